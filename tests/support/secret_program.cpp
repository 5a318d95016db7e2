#include "support/secret_program.hpp"

#include <doctest/doctest.h>

namespace memviz::test {

SnapshotBuilder secret_program() {
  SnapshotBuilder builder;
  const Stack stack{"/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:114:forward",
                    "/home/alice/acme_project/hidden_model.py:12:train_acme_step",
                    "/home/alice/acme_project/run.py:3:<module>"};
  builder.segment(0x7f0000000000, 2 * MiB).active(MiB, MiB, stack).inactive(MiB);
  builder.event(dict({{"action", "alloc"},
                      {"addr", 0x7f0000000000},
                      {"size", 1048576},
                      {"stream", 0},
                      {"time_us", 5},
                      {"compile_context", "AcmeRegion_7"},
                      {"user_metadata", "acme_customer_42"},
                      {"frames", frames_of(stack)}}));
  builder.event(dict({{"action", "acme_Action"}, {"addr", 1}, {"size", 2}, {"stream", 0}, {"frames", list()}}));
  builder.set("external_annotations", list({dict({{"name", "acme_phase#3"},
                                                  {"stage", "AcmeStage"},
                                                  {"device", 0},
                                                  {"time_us", 4},
                                                  {"acme_key", "acme_value"}})}));
  builder.set("allocator_settings", dict({{"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"},
                                          {"acme_setting", "/home/alice/acme_project/conf.yaml/x"}}));
  return builder;
}

void check_none(std::string_view output, std::span<const std::string_view> secrets) {
  for (const std::string_view secret : secrets) {
    CAPTURE(secret);
    CHECK(output.find(secret) == std::string_view::npos);
  }
}

std::string starred(std::string text) {
  for (const std::string_view prefix : {"func_", "file_", "dir_", "path_", "mark_", "text_", "snapshot_"}) {
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1))
      text.replace(at + prefix.size(), 8, "*");
  }
  return text;
}

} // namespace memviz::test
