// A shared library: everything linked into it must be position-independent.
#include <memviz/capture/recorder.hpp>

void plugin_start() {
  static memviz::capture::Recorder recorder;
  recorder.start();
}
