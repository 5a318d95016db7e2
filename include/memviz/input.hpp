#pragma once

// Path -> bytes. Files are mapped, not copied. Pipes and compressed files are read into memory piece by piece, so the
// peak is the size of the decompressed bytes and little more.

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

/// The bytes of one input, valid as long as this object; moving the object does not move the bytes.
class Input {
public:
  explicit Input(std::unique_ptr<InputStorage> storage) : storage_(std::move(storage)) {}

  [[nodiscard]] std::string_view bytes() const noexcept { return storage_->bytes(); }

  /// Releases the main memory of the first `offset` bytes, in whole pages, if they are a mapped file: later reads load
  /// the same bytes from the file again, and may release them again. Has no effect on bytes in memory.
  void release_before(std::size_t offset) { storage_->release_before(offset); }

  /// Whether the mapped file was written to since it was opened: then nothing read from it is reliable.
  [[nodiscard]] bool has_changed() const { return storage_->has_changed(); }

private:
  std::unique_ptr<InputStorage> storage_;
};

/// Returns bytes in memory as an input.
[[nodiscard]] Input input_of(std::string bytes);

struct InputOptions {
  /// The limit for input read into memory, in addition to the main memory of the machine or of the process's control
  /// group, and to 64 MiB plus 1,000 times the compressed size.
  std::uint64_t max_bytes = std::uint64_t{1} << 40U;
  /// Whether to refuse pipes, devices and standard input: for a path that a program chose, which may lead to a pipe
  /// that never produces a byte. `-` is then a file of that name.
  bool regular_only = false;
  /// Called once with the first 64 KiB, decompressed, before the rest is read into memory; not called for a mapped or
  /// shorter input. An exception ends the reading: ten gigabytes of zeros are refused before they are read.
  std::function<void(std::string_view head)> check_head = {};
  /// Called now and then while bytes are read into memory, with the number of stored bytes read so far and the total,
  /// or 0 if that is unknown.
  std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)> on_progress = {};
};

/// Decompresses bytes compressed with gzip, zstd, xz or bzip2; returns others unchanged. Uses only the options
/// max_bytes and check_head. Throws Error for damaged or truncated compression, or too many bytes; and std::bad_alloc.
[[nodiscard]] Input unpacked(Input stored, const InputOptions& options = {});

/// Reads `path`; `-` is standard input. Recognises gzip, zstd, xz and bzip2 by their first bytes, not by the name, and
/// decompresses them. Throws Error, with a message that does not name the path: missing file, directory, no permission,
/// a read error, damaged or truncated compression, or too many bytes; and std::bad_alloc.
[[nodiscard]] Input read_input(const std::string& path, const InputOptions& options = {});

/// The bytes of a file, and how it is stored.
struct StoredInput {
  Input input;
  std::uint64_t stored_bytes = 0; ///< before decompression
  std::string compression;        ///< "gzip", "zstd", "xz", "bzip2"; "" for none
};

/// Does the same.
[[nodiscard]] StoredInput read_stored(const std::string& path, const InputOptions& options = {});

} // namespace memviz
