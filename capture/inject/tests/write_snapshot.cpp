// Reports made-up calls of the driver and writes a snapshot of them, for readers in other languages:
// memviz_inject_write FILE
#include "call_stack.hpp"
#include "session.hpp"

namespace {

__attribute__((noinline)) void allocate(memviz::inject::Session& session, std::uint64_t address, std::uint64_t bytes,
                                        int device) {
  memviz::inject::Allocation allocation;
  allocation.device = device;
  allocation.address = address;
  allocation.size = (bytes + 511) / 512 * 512;
  allocation.requested_size = bytes;
  allocation.stream = device == 0 ? 0 : 7;
  allocation.function = "cuMemAllocAsync";
  const memviz::inject::CallStack stack(32);
  session.log().allocated(allocation, {stack.addresses(), memviz::inject::now_us()});
}

} // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) return 2;
  memviz::inject::Options options;
  options.out = arguments[1];
  options.max_entries = 20; // some of the history is lost
  auto& session = *new memviz::inject::Session(options);
  for (std::uint64_t number = 0; number < 20; ++number) {
    allocate(session, 0x7f0000000000 + 0x100000 * number, 1000 + number, static_cast<int>(number % 2));
    if (number % 4 == 3) session.log().freed(0x7f0000000000 + 0x100000 * (number - 2), {{}, memviz::inject::now_us()});
  }
  memviz::inject::Allocation wanted;
  wanted.requested_size = std::uint64_t{1} << 40U;
  session.log().failed(wanted, 4096, {{}, memviz::inject::now_us()});
  return session.dump("test").empty() ? 1 : 0;
}
