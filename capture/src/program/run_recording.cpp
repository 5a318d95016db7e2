#include "run_recording.hpp"

#include <ATen/Context.h>

#include <iostream>
#include <stdexcept>

namespace memviz::capture::program {

c10::Device device_of(std::string_view name) {
  if (name == "cpu") return {c10::kCPU};
  if (!at::hasCUDA()) throw std::runtime_error("--device cuda: no CUDA device found");
  return {c10::kCUDA, 0};
}

RunRecording::RunRecording(const std::string& path, c10::Device device) : path_(path) {
  if (path_.empty()) return;
  const std::filesystem::path folder = std::filesystem::absolute(path_).parent_path();
  if (!std::filesystem::is_directory(folder)) throw std::runtime_error(path + ": its folder does not exist");
  if (std::filesystem::is_directory(path_)) throw std::runtime_error(path + ": is a folder");
  RecorderOptions options;
  options.device = device;
  recorder_.emplace().start(options);
}

void RunRecording::finish() {
  if (!recorder_) return;
  recorder_->dump(path_);
  recorder_->stop();
  std::cout << "recorded to " << path_.string() << '\n';
}

} // namespace memviz::capture::program
