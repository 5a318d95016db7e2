#include "pickler.hpp"

#include <array>
#include <bit>
#include <cassert>

namespace memviz::bench {

namespace {

/// Modules/_pickle.c of CPython 3.8 to 3.13. Everything that can be shared goes into the memo as soon as it has a place
/// on the stack: containers before they are filled.
class PythonPickler final : public Pickler {
public:
  explicit PythonPickler(std::FILE* file) : Pickler(file) {
    put("\x80\x04");
    flush();
  }

  bool again(const Shared& object) override {
    if (object.memo == Shared::kNowhere) return false;
    begin_object();
    put_get(object.memo);
    end_object();
    return true;
  }

  void open_list(std::uint64_t size, Shared* object) override { open({Kind::list, size, 0, false}, object); }
  void open_dict(std::uint64_t size, Shared* object) override { open({Kind::dict, size * 2, 0, false}, object); }

  void close() override {
    assert(containers_.back().done == containers_.back().size);
    containers_.pop_back();
    end_object();
  }

  void pair(std::int64_t first, std::int64_t second) override {
    begin_object();
    begin_frame_if_full();
    put_integer(first);
    begin_frame_if_full();
    put_integer(second);
    put('\x86');
    memoize();
    end_object();
  }

  void new_text(std::string_view text) override {
    if (text.size() > 1) return put_text(text);
    // Python has one object for the empty text and one for each character.
    Shared& only = short_texts_[text.empty() ? 0 : static_cast<unsigned char>(text.front())];
    if (again(only)) return;
    only.memo = next_memo_;
    put_text(text);
  }

  void text(SharedText& text) override {
    if (text.text.size() <= 1) return new_text(text.text);
    if (again(text.place)) return;
    text.place.memo = next_memo_;
    put_text(text.text);
  }

  void integer(std::int64_t value) override {
    begin_object();
    put_integer(value);
    end_object();
  }

  void boolean(bool value) override {
    begin_object();
    put(value ? '\x88' : '\x89');
    end_object();
  }

  void real(double value) override {
    begin_object();
    put_real(value);
    end_object();
  }

  void stop() override {
    put('.');
    end_frame();
  }

private:
  static constexpr std::size_t kFrameBytes = 64 * 1024;
  static constexpr std::size_t kFewestFrameBytes = 4;
  static constexpr std::uint64_t kBatch = 1000;

  struct Container {
    Kind kind = Kind::list;
    std::uint64_t size = 0; ///< objects in it, keys included
    std::uint64_t done = 0;
    bool is_batch_open = false;
  };

  void open(const Container& container, Shared* object) {
    begin_object();
    put(container.kind == Kind::list ? ']' : '}');
    if (object != nullptr) object->memo = next_memo_;
    memoize();
    containers_.push_back(container);
  }

  void put_text(std::string_view text) {
    begin_object();
    assert(text.size() < kFrameBytes); // longer ones would stand outside of frames
    const bool is_short = text.size() < 256;
    put(is_short ? '\x8c' : 'X');
    put_number(text.size(), is_short ? 1 : 4);
    put(text);
    memoize();
    end_object();
  }

  void put_integer(std::int64_t value) {
    if (put_short_integer(value)) return;
    // As few bytes as hold it and its sign.
    const auto bits =
        65U - static_cast<unsigned>(std::countl_zero(static_cast<std::uint64_t>(value < 0 ? ~value : value)));
    const unsigned bytes = (bits + 7) / 8;
    put('\x8a');
    put_number(bytes, 1);
    put_number(static_cast<std::uint64_t>(value), bytes);
  }

  void memoize() {
    put('\x94');
    ++next_memo_;
  }

  /// A batch begins before its first object, and a frame ends where an object begins.
  void begin_object() {
    if (!containers_.empty()) begin_batch(containers_.back());
    begin_frame_if_full();
  }

  void begin_batch(Container& container) {
    const std::uint64_t single = container.kind == Kind::list ? 1 : 2;
    if (container.is_batch_open || container.size == single) return;
    put('(');
    container.is_batch_open = true;
  }

  void end_object() {
    if (containers_.empty()) return;
    Container& container = containers_.back();
    ++container.done;
    const bool is_list = container.kind == Kind::list;
    const std::uint64_t single = is_list ? 1 : 2;
    if (container.size == single) {
      if (container.done == single) put(is_list ? 'a' : 's');
    } else if (container.done == container.size || container.done % (kBatch * single) == 0) {
      put(is_list ? 'e' : 'u');
      container.is_batch_open = false;
    }
  }

  void begin_frame_if_full() {
    if (waiting_bytes() >= kFrameBytes) end_frame();
  }

  void end_frame() {
    const std::uint64_t bytes = waiting_bytes();
    std::string header;
    if (bytes >= kFewestFrameBytes) {
      header.push_back('\x95');
      for (unsigned i = 0; i < 8; ++i)
        header.push_back(static_cast<char>(bytes >> (8 * i) & 0xffU));
    }
    flush(header);
  }

  std::vector<Container> containers_;
  std::array<Shared, 256> short_texts_;
  std::uint32_t next_memo_ = 0;
};

} // namespace

std::unique_ptr<Pickler> make_python_pickler(std::FILE* file) {
  return std::make_unique<PythonPickler>(file);
}

} // namespace memviz::bench
