#include "commands.hpp"
#include "options.hpp"

#include <c10/util/Exception.h>

#include <exception>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace program = memviz::capture::program;
using program::UsageError;

constexpr std::string_view kHelp =
    "usage: memviz-capture COMMAND [options]\n"
    "Runs models on LibTorch and records their memory as PyTorch memory snapshots.\n\n"
    "  activations  what activation functions keep for the backward pass, beside a formula\n"
    "  train        a small transformer's training, recorded\n\n"
    "memviz-capture COMMAND --help lists the options of a command.\n";

void run(std::span<const std::string_view> arguments) {
  if (arguments.empty()) throw UsageError("a command is missing: activations or train");
  const std::string_view command = arguments.front();
  if (command == "activations") {
    program::run_activations(arguments.subspan(1));
  } else if (command == "train") {
    program::run_train(arguments.subspan(1));
  } else if (command == "--help" || command == "-h" || command == "help") {
    std::cout << kHelp;
  } else {
    throw UsageError("unknown command '" + std::string(command) + "'" +
                     program::did_you_mean(command, {"activations", "train"}));
  }
  if (!std::cout.flush()) throw std::runtime_error("cannot write to standard output");
}

int fail(int exit_code, std::string_view message) {
  std::cerr << "memviz-capture: " << message << '\n';
  return exit_code;
}

} // namespace

int main(int argument_count, char** arguments) {
  const std::vector<std::string_view> words(arguments + 1, arguments + argument_count);
  try {
    run(words);
    return 0;
  } catch (const UsageError& error) {
    return fail(2, std::string(error.what()) + "\nmemviz-capture --help tells more");
  } catch (const c10::Error& error) {
    return fail(1, error.what_without_backtrace());
  } catch (const std::exception& error) {
    return fail(1, error.what());
  }
}
