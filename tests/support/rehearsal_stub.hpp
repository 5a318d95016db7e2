#pragma once

// What rehearsed programs of the tests find: a made-up GPU that does nothing, and a package `torch` that knows what the
// hook of `memviz rehearse` asks for.

#include <string>

namespace memviz::test {

[[nodiscard]] std::string rehearsal_stub();
[[nodiscard]] std::string fake_torch();

} // namespace memviz::test
