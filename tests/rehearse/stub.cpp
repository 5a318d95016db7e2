// Stands in for the made-up GPU where a test is about `memviz rehearse` itself: a library that can be preloaded and
// does nothing.
extern "C" const char* memviz_rehearsal_profile() {
  return "test";
}
