#include "pickle/opcode.hpp"
#include "pickle_program.hpp"

namespace memviz::fuzz {

using pickle::Opcode;

namespace {

/// Executes a program on the places where its values begin instead of on values. Skips opcodes that find too little on
/// the stack: the result is a guess for broken programs and correct for others.
class Outline {
public:
  void run(Opcode opcode, std::size_t index) {
    switch (opcode) {
    case Opcode::proto:
    case Opcode::frame:
    case Opcode::stop:
    case Opcode::put:
    case Opcode::binput:
    case Opcode::long_binput:
    case Opcode::memoize: return extend(index);
    case Opcode::mark: marks_.push_back({starts_.size(), index}); return;
    case Opcode::pop: return use_up(1, false, index);
    case Opcode::append: return use_up(1, true, index);
    case Opcode::setitem: return use_up(2, true, index);
    case Opcode::tuple1: return make(1, index);
    case Opcode::tuple2: return make(2, index);
    case Opcode::tuple3: return make(3, index);
    case Opcode::pop_mark: return use_up_to_mark(index);
    case Opcode::appends:
    case Opcode::setitems:
    case Opcode::additems: use_up_to_mark(index); return extend(index);
    case Opcode::list:
    case Opcode::dict:
    case Opcode::tuple:
    case Opcode::frozenset: return make_to_mark(index);
    default: starts_.push_back({index, index + 1});
    }
  }

  [[nodiscard]] std::vector<Expression> found() && {
    found_.insert(found_.end(), starts_.begin(), starts_.end());
    return std::move(found_);
  }

private:
  void extend(std::size_t index) {
    if (!starts_.empty()) starts_.back().end = index + 1;
  }
  void use_up(std::size_t count, bool extends, std::size_t index) {
    for (; count > 0 && !starts_.empty(); --count) {
      found_.push_back(starts_.back());
      starts_.pop_back();
    }
    if (extends) extend(index);
  }
  void make(std::size_t count, std::size_t index) {
    if (starts_.size() < count) return;
    const std::size_t begin = starts_[starts_.size() - count].begin;
    use_up(count, false, index);
    starts_.push_back({begin, index + 1});
  }
  void use_up_to_mark(std::size_t index) {
    if (marks_.empty()) return;
    if (starts_.size() > marks_.back().depth) use_up(starts_.size() - marks_.back().depth, false, index);
    marks_.pop_back();
  }
  void make_to_mark(std::size_t index) {
    if (marks_.empty()) return;
    const std::size_t begin = marks_.back().index;
    use_up_to_mark(index);
    starts_.push_back({begin, index + 1});
  }

  struct Mark {
    std::size_t depth;
    std::size_t index;
  };
  std::vector<Expression> starts_;
  std::vector<Mark> marks_;
  std::vector<Expression> found_;
};

} // namespace

std::vector<Expression> expressions_of(const Program& program) {
  Outline outline;
  for (std::size_t i = 0; i < program.size(); ++i)
    outline.run(static_cast<Opcode>(program[i].code()), i);
  return std::move(outline).found();
}

} // namespace memviz::fuzz
