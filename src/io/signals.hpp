#pragma once

// What a signal does to a run: SIGINT, SIGTERM and SIGHUP remove the unfinished output before they end the program;
// writing to a closed pipe or past a size limit is an error to report instead of a silent death.

#include <string>

namespace memviz {

/// Called once, by main.
void install_signal_handlers();

/// The one unfinished output that a signal removes, until the next call; "" for none.
void remove_on_signal(const std::string& path);

} // namespace memviz
