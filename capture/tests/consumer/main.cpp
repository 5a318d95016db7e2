#include <memviz/capture/recorder.hpp>

int main() {
  memviz::capture::Recorder recorder;
  try {
    recorder.start();
    return recorder.is_recording() ? 0 : 1;
  } catch (const std::runtime_error&) { // there is no GPU
    return recorder.is_recording() ? 1 : 0;
  }
}
