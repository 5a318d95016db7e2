#pragma once

// Path -> bytes. Files are mapped, not copied; pipes and compressed files are read into memory, piece by piece: the
// peak is what the decompressed bytes take and little more.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace memviz {

/// The owner of the bytes of an Input.
class InputStorage {
public:
  InputStorage() = default;
  InputStorage(const InputStorage&) = delete;
  InputStorage& operator=(const InputStorage&) = delete;
  virtual ~InputStorage() = default;

  [[nodiscard]] virtual std::string_view bytes() const noexcept = 0;
  virtual void release_before(std::size_t) {}
  [[nodiscard]] virtual bool has_changed() const { return false; }
};

/// The bytes of one input, alive as long as this object; moving it does not move the bytes.
class Input {
public:
  explicit Input(std::unique_ptr<InputStorage> storage) : storage_(std::move(storage)) {}

  [[nodiscard]] std::string_view bytes() const noexcept { return storage_->bytes(); }

  /// Gives the main memory of the first `offset` bytes back, in whole pages, where they are a mapped file: whoever
  /// reads them once more reads the same bytes from the file again, and may give them back again. Bytes in memory stay
  /// where they are.
  void release_before(std::size_t offset) { storage_->release_before(offset); }

  /// Whether somebody wrote to the mapped file since it was opened: then nothing that was read from it can be relied
  /// on.
  [[nodiscard]] bool has_changed() const { return storage_->has_changed(); }

private:
  std::unique_ptr<InputStorage> storage_;
};

/// Bytes in memory as an input.
[[nodiscard]] Input input_of(std::string bytes);

struct InputOptions {
  /// More than this, than the main memory of the machine or of the process's control group, or than 64 MiB and 1,000
  /// times the compressed size, is not read into memory.
  std::uint64_t max_bytes = std::uint64_t{1} << 40U;
  /// Whether pipes, devices and standard input are refused: for a path that a program chose, which may lead to a pipe
  /// that never has a byte. `-` is a file of that name then.
  bool regular_only = false;
  /// Called once with the first 64 KiB, decompressed, before the rest is read into memory; not for a mapped or shorter
  /// input. What it throws ends the reading: ten gigabytes of zeros are refused before they are there.
  std::function<void(std::string_view head)> check_head = {};
  /// Called now and then while bytes are read into memory, with the number of bytes, as they are stored, that were read
  /// so far and of all of them, or 0 where that is unknown.
  std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)> on_progress = {};
};

/// Bytes that may be compressed with gzip or zstd, decompressed; others as they are. Of the options max_bytes and
/// check_head count. Throws Error for damaged or truncated compression, or too many bytes; and std::bad_alloc.
[[nodiscard]] Input unpacked(Input stored, const InputOptions& options = {});

/// Reads `path`; `-` is standard input. gzip and zstd are recognised by their first bytes, not by the name, and
/// decompressed. Throws Error, with a message that does not name the path: missing file, directory, no permission, a
/// read error, damaged or truncated compression, or too many bytes; and std::bad_alloc.
[[nodiscard]] Input read_input(const std::string& path, const InputOptions& options = {});

} // namespace memviz
