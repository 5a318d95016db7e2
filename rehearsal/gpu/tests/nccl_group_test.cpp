#include "nccl_group.hpp"
#include "support.hpp"

#include <string>

using namespace memviz::rehearsal;

namespace {

constexpr int kWorld = 0; // any address names a communicator
constexpr int kOther = 0;

std::string text_at(const RecentWrites& writes, std::uint64_t address) {
  std::string text(4, '?');
  writes.read(address, text.data(), text.size());
  return text;
}

Exchange own_broadcast(std::uint64_t from, std::uint64_t to) {
  return {&kWorld, Exchange::kBroadcast, 4, from, to};
}
Exchange other_broadcast(std::uint64_t to, const void* communicator = &kWorld) {
  return {communicator, Exchange::kBroadcast, 4, 0, to};
}
Exchange send(int peer, std::uint64_t from) {
  return {&kWorld, peer, 4, from, 0};
}
Exchange receive(int peer, std::uint64_t to) {
  return {&kWorld, peer, 4, 0, to};
}

} // namespace

TEST_CASE("a group of broadcasts, one from each rank, gives all ranks what this one sends") {
  RecentWrites writes;
  NcclGroup group;
  writes.write(100, "mine", 4);
  group.start();
  group.start();
  group.add(other_broadcast(200), writes);
  group.add(own_broadcast(100, 300), writes);
  group.add(other_broadcast(400), writes);
  CHECK(group.end(writes));
  CHECK(text_at(writes, 300) == std::string(4, '\0')); // the outermost group counts
  CHECK(group.end(writes));
  for (const std::uint64_t address : {200U, 300U, 400U})
    CHECK(text_at(writes, address) == "mine");
  CHECK_FALSE(group.end(writes));
}

TEST_CASE("a broadcast in place leaves what is there, and one of another communicator is no source") {
  RecentWrites writes;
  NcclGroup group;
  writes.write(100, "mine", 4);
  writes.write(200, "here", 4);
  group.add(other_broadcast(200), writes);
  CHECK(text_at(writes, 200) == "here");
  group.start();
  group.add(own_broadcast(100, 100), writes);
  group.add(other_broadcast(200, &kOther), writes);
  group.end(writes);
  CHECK(text_at(writes, 200) == "here");
}

TEST_CASE("what a rank sends to another stands for what it receives from it") {
  RecentWrites writes;
  NcclGroup group;
  writes.write(100, "to 1", 4);
  writes.write(104, "to 2", 4);
  writes.write(108, "2nd.", 4);
  for (const std::uint64_t address : {200U, 204U, 208U, 212U})
    writes.write(address, "old.", 4);
  group.start();
  group.add(receive(2, 204), writes);
  group.add(receive(1, 200), writes);
  group.add(send(1, 100), writes);
  group.add(send(2, 104), writes);
  group.add(send(2, 108), writes);
  group.add(receive(2, 208), writes);
  group.add(receive(3, 212), writes); // to which it sends nothing
  group.end(writes);
  CHECK(text_at(writes, 200) == "to 1");
  CHECK(text_at(writes, 204) == "to 2");
  CHECK(text_at(writes, 208) == "2nd.");
  CHECK(text_at(writes, 212) == std::string(4, '\0'));
}
