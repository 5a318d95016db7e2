// The memory that every process of a rehearsal takes of each device, in a file that all of them map, so that each finds
// taken what the others took.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace memviz::rehearsal {

class SharedBooks {
public:
  // `file`: created if missing; "": this process is alone. `outside_bytes`: taken of each device of the machine by
  // programs outside this rehearsal, 0 for devices beyond its end.
  SharedBooks(std::string file, std::vector<std::uint64_t> outside_bytes);
  ~SharedBooks();
  SharedBooks(const SharedBooks&) = delete;
  SharedBooks& operator=(const SharedBooks&) = delete;

  // Returns what others have of the machine's device `number`. Processes that have ended have nothing, however they
  // ended.
  [[nodiscard]] std::uint64_t other_bytes(int number);
  // Records what this process has of it; within a Turn.
  void record(int number, std::uint64_t bytes);

  // From its beginning to its end no other process is in a Turn.
  class Turn {
  public:
    explicit Turn(SharedBooks& books);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    SharedBooks& books_;
  };

private:
  [[nodiscard]] bool has_place();
  [[nodiscard]] std::uint64_t& cell(int number, int place) const;
  void set_lock(short type, off_t at) const;
  [[nodiscard]] bool is_held(off_t at) const;

  std::string file_;
  std::vector<std::uint64_t> outside_bytes_;
  std::uint64_t* cells_ = nullptr; // of each device, one for each process
  int descriptor_ = -1;
  int place_ = -1;
  pid_t owner_ = 0; // of the place; a forked child takes its own
};

} // namespace memviz::rehearsal
