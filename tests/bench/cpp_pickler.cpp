#include "pickler.hpp"

#include <cassert>
#include <unordered_map>

namespace memviz::bench {

namespace {

/// torch/csrc/jit/serialization/pickler.cpp without tagged aggregates, PyTorch 2.4: each container is one batch, empty
/// or not; it goes into the memo after it was filled, and only where something else refers to it; texts go by value.
class CppPickler final : public Pickler {
public:
  explicit CppPickler(std::FILE* file) : Pickler(file) { put("\x80\x02"); }

  bool again(const Shared& object) override {
    if (object.memo == Shared::kNowhere) return false;
    put_get(object.memo);
    return true;
  }

  void open_list(std::uint64_t /*size*/, Shared* object) override {
    put("](");
    containers_.push_back({Kind::list, object});
  }

  void open_dict(std::uint64_t /*size*/, Shared* object) override {
    put("}(");
    containers_.push_back({Kind::dict, object});
  }

  void close() override {
    const Container container = containers_.back();
    containers_.pop_back();
    put(container.kind == Kind::list ? 'e' : 'u');
    if (container.object != nullptr) container.object->memo = memoize();
    if (waiting_bytes() >= kFlushBytes) flush();
  }

  void pair(std::int64_t first, std::int64_t second) override {
    integer(first);
    integer(second);
    put('\x86');
  }

  void new_text(std::string_view text) override { put_text(text); }

  void text(SharedText& text) override {
    if (!again(text.place)) text.place.memo = put_text(text.text);
  }

  void integer(std::int64_t value) override {
    if (put_short_integer(value)) return;
    put("\x8a\x08");
    put_number(static_cast<std::uint64_t>(value), 8);
  }

  void boolean(bool value) override { put(value ? '\x88' : '\x89'); }
  void real(double value) override { put_real(value); }

  void stop() override {
    put('.');
    flush();
  }

private:
  static constexpr std::size_t kFlushBytes = 1 << 20;

  struct Container {
    Kind kind = Kind::list;
    Shared* object = nullptr;
  };

  std::uint32_t put_text(std::string_view text) {
    const auto [place, is_new] = texts_.try_emplace(std::string(text), next_memo_);
    if (is_new) {
      put('X');
      put_number(text.size(), 4);
      put(text);
      memoize();
    } else {
      put_get(place->second);
    }
    return place->second;
  }

  std::uint32_t memoize() {
    const bool is_short = next_memo_ < 256;
    put(is_short ? 'q' : 'r');
    put_number(next_memo_, is_short ? 1 : 4);
    return next_memo_++;
  }

  std::vector<Container> containers_;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::uint32_t next_memo_ = 0;
};

} // namespace

std::unique_ptr<Pickler> make_cpp_pickler(std::FILE* file) {
  return std::make_unique<CppPickler>(file);
}

} // namespace memviz::bench
