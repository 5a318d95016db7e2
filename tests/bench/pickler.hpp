#pragma once

// Values -> the bytes of a pickle, as a stream. What the two writers of PyTorch share; how they differ is in
// python_pickler.cpp and cpp_pickler.cpp.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::bench {

/// An object that may occur again: where the memo has it.
struct Shared {
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  std::uint32_t memo = kNowhere;
};

/// A text that is one object wherever it occurs.
struct SharedText {
  explicit SharedText(std::string_view value) : text(value) {}
  std::string_view text;
  Shared place;
};

class Pickler {
public:
  explicit Pickler(std::FILE* file) : file_(file) {}
  virtual ~Pickler() = default;
  Pickler(const Pickler&) = delete;
  Pickler& operator=(const Pickler&) = delete;

  /// Writes an object once more; false, and nothing written, where it has not been written yet.
  virtual bool again(const Shared& object) = 0;
  /// The next `size` values, or pairs of key and value, are in it, up to close(). `object` is where it can be referred
  /// to afterwards; nullptr for what the program itself holds no second reference to. It must outlive close().
  virtual void open_list(std::uint64_t size, Shared* object = nullptr) = 0;
  virtual void open_dict(std::uint64_t size, Shared* object = nullptr) = 0;
  virtual void close() = 0;
  virtual void pair(std::int64_t first, std::int64_t second) = 0;
  /// A text of which the program made a new object.
  virtual void new_text(std::string_view text) = 0;
  virtual void text(SharedText& text) = 0;
  virtual void integer(std::int64_t value) = 0;
  virtual void boolean(bool value) = 0;
  virtual void real(double value) = 0;
  /// Nothing may follow. Throws std::runtime_error where the file could not be written; so may all the others.
  virtual void stop() = 0;

protected:
  enum class Kind : std::uint8_t { list, dict };

  void put(char byte) { buffer_.push_back(byte); }
  void put(std::string_view bytes) { buffer_.append(bytes); }
  /// The low bytes of `value`, lowest first.
  void put_number(std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
      put(static_cast<char>(value >> (8 * i) & 0xffU));
  }
  void put_get(std::uint32_t memo);
  void put_real(double value);
  /// What both writers do alike: one, two or four bytes. False for what takes more.
  bool put_short_integer(std::int64_t value);
  [[nodiscard]] std::size_t waiting_bytes() const { return buffer_.size(); }
  /// Gives to the file what was put since the last time, `before` ahead of it.
  void flush(std::string_view before = {});

private:
  std::string buffer_;
  std::FILE* file_;
};

/// CPython's C implementation of pickle, protocol 4, which Python code uses.
[[nodiscard]] std::unique_ptr<Pickler> make_python_pickler(std::FILE* file);
/// torch/csrc/jit/serialization/pickler.cpp, protocol 2.
[[nodiscard]] std::unique_ptr<Pickler> make_cpp_pickler(std::FILE* file);

} // namespace memviz::bench
