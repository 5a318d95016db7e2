// The bytes that the host wrote to device memory since the last kernel ran. Device memory has no bytes, so reads of it
// give zeros; but what was written since the last kernel is known for certain, and frameworks write small numbers and
// read them back at once (the sizes that DDP's ranks send each other). Large writes are not kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace memviz::rehearsal {

class RecentWrites {
public:
  void write(std::uint64_t address, const void* data, std::size_t bytes);
  void fill(std::uint64_t address, unsigned char value, std::size_t bytes);
  void copy(std::uint64_t destination, std::uint64_t source, std::size_t bytes);
  void read(std::uint64_t address, void* out, std::size_t bytes) const;
  void forget(std::uint64_t address, std::size_t bytes);
  void forget_all(); // a kernel ran: anything may have changed

private:
  void keep(std::uint64_t address, std::vector<unsigned char> data);

  std::map<std::uint64_t, std::vector<unsigned char>> writes_; // by address; they do not overlap
  std::size_t kept_bytes_ = 0;
};

} // namespace memviz::rehearsal
