#include "cli/dispatch.hpp"
#include "cli/frame/messages.hpp"
#include "io/signals.hpp"

#include <exception>

int main(int argc, char** argv) {
  try {
    memviz::install_signal_handlers();
    return memviz::cli::run_command_line({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::exception& error) {
    return memviz::cli::report(error);
  }
}
