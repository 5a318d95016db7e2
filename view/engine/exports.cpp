// The engine as C functions, for a worker: texts and files are written to memory that it reserves, answers stay in
// memory until the next one.

#include "engine/engine.hpp"

#include "memviz/input.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace {

/// Bytes that the page writes. Room for them is not filled with zeros first, because files are large.
class Given final : public memviz::InputStorage {
public:
  explicit Given(std::size_t size) : memory_(std::make_unique_for_overwrite<char[]>(size)), size_(size) {}
  [[nodiscard]] char* data() { return memory_.get(); }
  [[nodiscard]] std::string_view bytes() const noexcept override { return {memory_.get(), size_}; }
  /// Removes the last `size` bytes, of which a copy is returned.
  [[nodiscard]] std::string take_last(std::size_t size) {
    size_ -= size;
    return {memory_.get() + size_, size};
  }

private:
  std::unique_ptr<char[]> memory_;
  std::size_t size_;
};

memviz::view::Engine engine;
std::unique_ptr<Given> given;
std::string result; ///< an answer, or why there is none

template <class Make> std::int32_t guarded(const Make& make) {
  try {
    result = make();
    return 1;
  } catch (const std::bad_alloc&) {
    result = "this browser tab does not have enough memory for that; the memviz program on the machine with the file "
             "has more";
  } catch (const std::exception& error) {
    result = error.what();
  }
  return 0;
}

} // namespace

extern "C" {

/// Returns where the page writes `size` bytes of a file or a request; null if there is no room.
__attribute__((export_name("reserve"))) char* reserve(std::size_t size) {
  return guarded([&] {
    given.reset();
    given = std::make_unique<Given>(size);
    return std::string();
  })
             ? given->data()
             : nullptr;
}

/// Opens the written file, or adds it to the job ("is_of_job"): the request about it is the last `request_size` bytes.
__attribute__((export_name("open"))) std::int32_t open_file(std::size_t request_size) {
  return guarded([&] {
    const memviz::view::PageRequest request(given->take_last(request_size));
    memviz::Input bytes(std::move(given));
    if (request.flag("is_of_job")) return engine.add_to_job(request.text("name"), std::move(bytes));
    return std::to_string(engine.add(request.text("name"), std::move(bytes), request.text("rank")));
  });
}

/// Answers the written request. 1: the result is the answer; 0: a message.
__attribute__((export_name("ask"))) std::int32_t ask() {
  return guarded([&] { return engine.answer(given->bytes()); });
}

__attribute__((export_name("result"))) const char* result_bytes() {
  return result.data();
}

__attribute__((export_name("result_size"))) std::size_t result_size() {
  return result.size();
}

} // extern "C"
