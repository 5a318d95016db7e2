#include "analysis/keepers/keeper_steps.hpp"

#include "base/ascii.hpp"

namespace memviz {
namespace {

KeeperPart part_of(KeeperRoot root) {
  switch (root) {
  case KeeperRoot::local: return KeeperPart::running;
  case KeeperRoot::main:
  case KeeperRoot::global: return KeeperPart::globals;
  case KeeperRoot::exception: return KeeperPart::exception;
  case KeeperRoot::cycle: return KeeperPart::cycle;
  case KeeperRoot::temporary: break;
  }
  return KeeperPart::temporary;
}

KeeperStep named(KeeperPart part, StringId text) {
  return {.part = part, .text = text, .file = {}, .line = 0};
}

/// torch.nn.ModuleList and Sequential name their modules by numbers.
KeeperStep attribute(StringId label, const FrameTable& texts) {
  return is_number(texts.text(label)) ? named(KeeperPart::items, {}) : named(KeeperPart::attribute, label);
}

} // namespace

KeeperStep step_of(const RootObject& root, const KeeperObject& object) {
  switch (root.kind) {
  case KeeperRoot::cycle:
  case KeeperRoot::temporary: return named(part_of(root.kind), {});
  default: return {.part = part_of(root.kind), .text = object.name, .file = object.file, .line = object.line};
  }
}

std::optional<KeeperStep> step_of(const ReferencePlace& place, const FrameTable& texts) {
  const KeeperObject& to = place.to;
  const StringId label = place.reference.label;
  if (to.kind == KeeperKind::traceback)
    return KeeperStep{.part = KeeperPart::traceback, .text = to.name, .file = to.file, .line = to.line};
  if (place.from.kind == KeeperKind::autograd) return std::nullopt;
  switch (place.reference.how) {
  case ReferenceKind::local:
  case ReferenceKind::argument:
  case ReferenceKind::global:
  case ReferenceKind::closure: return named(KeeperPart::variable, label);
  case ReferenceKind::attribute:
  case ReferenceKind::slot:
  case ReferenceKind::parameter:
  case ReferenceKind::buffer:
  case ReferenceKind::grad:
  case ReferenceKind::default_value:
  case ReferenceKind::self:
  case ReferenceKind::context:
  case ReferenceKind::cause: return attribute(label, texts);
  case ReferenceKind::key: return place.is_one_of_many ? named(KeeperPart::items, {}) : named(KeeperPart::key, label);
  case ReferenceKind::other_key:
  case ReferenceKind::index:
  case ReferenceKind::item: return named(KeeperPart::items, {});
  case ReferenceKind::grad_fn: return named(KeeperPart::graph, {});
  case ReferenceKind::base: return std::nullopt; // a view and its base have one storage
  default: break;
  }
  if (place.from.kind == KeeperKind::closure) return std::nullopt;
  return named(KeeperPart::object, to.name);
}

} // namespace memviz
