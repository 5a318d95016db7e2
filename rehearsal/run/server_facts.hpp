#pragma once

// Events "server" of the hook's log -> the figures of an inference server.

#include "verdict/fit_server.hpp"

#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace memviz::rehearse {

/// Adds what an event of any of the server's processes says. Members of another type than expected are left out.
void add_server_event(std::optional<ServerFacts>& facts, const nlohmann::json& event);

} // namespace memviz::rehearse
