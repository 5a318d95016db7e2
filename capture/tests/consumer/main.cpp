#include <memviz/capture/recorder.hpp>

int main() {
  memviz::capture::RecorderOptions options;
  options.device = c10::Device(c10::kCPU);
  memviz::capture::Recorder recorder;
  recorder.start(options);
  return recorder.is_recording() ? 0 : 1;
}
