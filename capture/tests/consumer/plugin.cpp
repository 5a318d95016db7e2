// A shared library: what it is linked with has to be position-independent.
#include <memviz/capture/recorder.hpp>

void plugin_start() {
  static memviz::capture::Recorder recorder;
  recorder.start();
}
