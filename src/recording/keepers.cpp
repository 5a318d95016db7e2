#include "memviz/keepers.hpp"

namespace memviz {

std::string_view keeper_word(KeeperKind kind) {
  switch (kind) {
  case KeeperKind::frame: return "frame";
  case KeeperKind::globals: return "globals";
  case KeeperKind::dict: return "dict";
  case KeeperKind::list: return "list";
  case KeeperKind::tuple: return "tuple";
  case KeeperKind::set: return "set";
  case KeeperKind::deque: return "deque";
  case KeeperKind::instance: return "instance";
  case KeeperKind::module: return "module";
  case KeeperKind::parameter: return "parameter";
  case KeeperKind::tensor: return "tensor";
  case KeeperKind::optimizer: return "optimizer";
  case KeeperKind::exception: return "exception";
  case KeeperKind::traceback: return "traceback";
  case KeeperKind::closure: return "closure";
  case KeeperKind::function: return "function";
  case KeeperKind::method: return "method";
  case KeeperKind::generator: return "generator";
  case KeeperKind::class_object: return "class";
  case KeeperKind::autograd: return "autograd";
  case KeeperKind::object: break;
  }
  return "object";
}

std::string_view keeper_word(ReferenceKind how) {
  switch (how) {
  case ReferenceKind::local: return "local";
  case ReferenceKind::argument: return "argument";
  case ReferenceKind::global: return "global";
  case ReferenceKind::attribute: return "attribute";
  case ReferenceKind::slot: return "slot";
  case ReferenceKind::parameter: return "parameter";
  case ReferenceKind::buffer: return "buffer";
  case ReferenceKind::key: return "key";
  case ReferenceKind::other_key: return "other_key";
  case ReferenceKind::index: return "index";
  case ReferenceKind::item: return "item";
  case ReferenceKind::closure: return "closure";
  case ReferenceKind::default_value: return "default";
  case ReferenceKind::self: return "self";
  case ReferenceKind::grad: return "grad";
  case ReferenceKind::base: return "base";
  case ReferenceKind::grad_fn: return "grad_fn";
  case ReferenceKind::next: return "next";
  case ReferenceKind::saved: return "saved";
  case ReferenceKind::context: return "context";
  case ReferenceKind::cause: return "cause";
  case ReferenceKind::traceback: return "traceback";
  case ReferenceKind::refers: break;
  }
  return "refers";
}

std::string_view keeper_word(KeeperRoot root) {
  switch (root) {
  case KeeperRoot::local: return "local";
  case KeeperRoot::main: return "main";
  case KeeperRoot::exception: return "exception";
  case KeeperRoot::global: return "global";
  case KeeperRoot::cycle: return "cycle";
  case KeeperRoot::temporary: return "temporary";
  }
  return "";
}

std::string_view keeper_word(CodeRelation how) {
  switch (how) {
  case CodeRelation::sets: return "set";
  case CodeRelation::uses: return "used";
  case CodeRelation::would_set: break;
  }
  return "would set";
}

std::string_view keeper_word(KeeperLimit limit) {
  switch (limit) {
  case KeeperLimit::none: return "";
  case KeeperLimit::time: return "time";
  case KeeperLimit::nodes: return "nodes";
  case KeeperLimit::objects: return "objects";
  case KeeperLimit::depth: return "depth";
  case KeeperLimit::unknown: break;
  }
  return "unknown";
}

} // namespace memviz
