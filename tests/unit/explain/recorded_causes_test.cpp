// Recordings of mistakes -> the causes that explain names.

#include "memviz/causes.hpp"
#include "memviz/explain.hpp"
#include "story/cause_words.hpp"
#include "story/explain_words.hpp"
#include "support/explained.hpp"
#include "support/files.hpp"
#include "support/states.hpp"

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

namespace {

/// A recording of a mistake, its first cause, and the line that the answer names; "" without one, as in a backward
/// pass.
struct RecordedMistake {
  std::string file;
  CauseKind kind;
  std::string line;
};

const std::vector<RecordedMistake>& recorded_mistakes() {
  static const std::vector<RecordedMistake> all{
      {"h200_attention_scores", CauseKind::attention_scores, "forward attention_scores.py:10"},
      {"h200_best_copies", CauseKind::copied_weights, "keep_best best_copies.py:8"},
      {"h200_broadcast_nxn", CauseKind::large_request, "regression_loss broadcast_nxn.py:7"},
      {"h200_gan_no_detach", CauseKind::kept_graphs, "critic_step gan_no_detach.py:8"},
      {"h200_logits_float", CauseKind::logits, "loss_of_tokens logits_float.py:14"},
      {"h200_running_loss", CauseKind::kept_graphs, "epoch running_loss.py:8"},
      {"h200_slice_keeps_base", CauseKind::kept_outputs, "last_logits slice_keeps_base.py:8"},
      {"h200_validate_keeps", CauseKind::kept_graphs, "validate validate_keeps.py:10"},
      {"rehearsed_cycles", CauseKind::kept_outputs, "forward common.py:42"},
      {"rehearsed_dense_embedding", CauseKind::dense_gradient, ""},
      {"rehearsed_eval_not_frozen", CauseKind::untrained, "step eval_not_frozen.py:10"},
      {"rehearsed_mha_weights", CauseKind::attention_scores, "forward mha_weights.py:12"},
      {"rehearsed_policy_entropy", CauseKind::logits, "scores policy_entropy.py:6"},
  };
  return all;
}

/// Recordings of ../shared, and the first cause of each.
const std::vector<std::pair<std::string, CauseKind>>& shared_mistakes() {
  static const std::vector<std::pair<std::string, CauseKind>> all{
      {"causes/snapshots/adamw_foreach.pickle.zst", CauseKind::foreach_temporaries},
      {"causes/snapshots/attention_scores.pickle.zst", CauseKind::attention_scores},
      {"causes/snapshots/best_copies.pickle.zst", CauseKind::copied_weights},
      {"causes/snapshots/broadcast_nxn.pickle.zst", CauseKind::large_request},
      {"causes/snapshots/caught_oom.pickle.zst", CauseKind::earlier_failure},
      {"causes/snapshots/checkpoint_whole.pickle.zst", CauseKind::recomputed},
      {"causes/snapshots/dataset_on_gpu.pickle.zst", CauseKind::made_at_once},
      {"causes/snapshots/fp32_by_default.pickle.zst", CauseKind::weights},
      {"causes/snapshots/gan_no_detach.pickle.zst", CauseKind::kept_graphs},
      {"causes/snapshots/hook_stores.pickle.zst", CauseKind::kept_outputs},
      {"causes/snapshots/kv_cat.pickle.zst", CauseKind::concatenation},
      {"causes/snapshots/load_on_gpu.pickle.zst", CauseKind::loaded_weights},
      {"causes/snapshots/logits_float.pickle.zst", CauseKind::logits},
      {"causes/snapshots/lora_not_frozen.pickle.zst", CauseKind::training_state},
      {"causes/snapshots/outside.pickle.zst", CauseKind::outside},
      {"causes/snapshots/rnn_state.pickle.zst", CauseKind::kept_graphs},
      {"causes/snapshots/running_loss.pickle.zst", CauseKind::kept_graphs},
      {"causes/snapshots/slice_keeps_base.pickle.zst", CauseKind::kept_outputs},
      {"causes/snapshots/validate_keeps.pickle.zst", CauseKind::kept_graphs},
      {"causes/snapshots/varying_lengths.pickle.zst", CauseKind::varying_sizes},
      {"probes/findings4/field/caught_exception_keeps_attempts.pickle", CauseKind::earlier_failure},
      {"probes/findings4/field/eval_keeps_predictions.pickle", CauseKind::kept_outputs},
      {"probes/findings4/field/eval_without_no_grad.pickle", CauseKind::kept_graphs},
      {"probes/findings4/field/foreach_adamw_oom.pickle", CauseKind::foreach_temporaries},
      {"probes/findings4/field/logits_oom.pickle", CauseKind::logits},
      {"probes/findings4/field/logits_oom_checkpointed.pickle", CauseKind::logits},
      {"probes/findings4/field/outside_94_percent.pickle", CauseKind::outside},
      {"probes/findings4/field/retain_graph_no_steps.pickle.gz", CauseKind::kept_graphs},
      {"probes/findings4/truth/explain/ema_copy.pickle", CauseKind::copied_weights},
      {"probes/findings4/truth/explain/eval_without_no_grad.pickle", CauseKind::kept_graphs},
      {"probes/findings4/truth/explain/first_step.pickle", CauseKind::activations},
      {"probes/findings4/truth/explain/infer_no_guard.pickle", CauseKind::activations},
      {"probes/findings4/truth/explain/prealloc.pickle", CauseKind::activations},
      {"probes/findings4/truth/explain/retained_graph.pickle", CauseKind::kept_graphs},
  };
  return all;
}

/// Returns the state at the error, with kinds.
MemoryState state_of(const std::filesystem::path& path) {
  return test::state_with_kinds(test::read_file(path), MomentKind::automatic);
}

Cause cause_of_kind(const std::vector<Cause>& causes, CauseKind kind) {
  const auto found = std::ranges::find(causes, kind, &Cause::kind);
  REQUIRE(found != causes.end());
  return *found;
}

} // namespace

TEST_CASE("causes: the first cause of recorded mistakes is the mistake") {
  for (const RecordedMistake& mistake : recorded_mistakes()) {
    CAPTURE(mistake.file);
    const MemoryState state = state_of(test::testdata() / "causes" / (mistake.file + ".pickle.zst"));
    const std::vector<DeviceExplanation> devices = explain(state, {});
    REQUIRE(devices.size() == 1);
    REQUIRE_FALSE(devices[0].causes.empty());
    const Cause& first = devices[0].causes.front();
    CHECK(cause_name(first.kind) == cause_name(mistake.kind));
    CHECK_MESSAGE(called_line_text(state.frames(), first.line).find(mistake.line) != std::string::npos,
                  called_line_text(state.frames(), first.line));
    CHECK(has_mistake(devices[0]));
    CHECK_FALSE(is_request_the_problem(devices[0]));
  }
}

TEST_CASE("causes: an evaluation after training may need no gradients") {
  const MemoryState state = state_of(test::testdata() / "causes" / "rehearsed_no_no_grad.pickle.zst");
  const DeviceExplanation device = explain(state, {}).at(0);
  REQUIRE_FALSE(device.causes.empty());
  CHECK(lacks_backward(device.causes.front()));
  CHECK(called_line_text(state.frames(), device.causes.front().line) ==
        "forward common.py:23 ‹ loss_of common.py:50 ‹ evaluate no_no_grad.py:9");
  CHECK(in_words(state, device).advice.at(0) ==
        "If no backward pass follows (inference, validation), run it under torch.no_grad() or torch.inference_mode(), "
        "which keep none of it.");
}

TEST_CASE("causes: softmax of logits is no attention, and nn.MultiheadAttention has advice of its own") {
  const MemoryState entropy = state_of(test::testdata() / "causes" / "rehearsed_policy_entropy.pickle.zst");
  const std::vector<Cause> causes = explain(entropy, {}).at(0).causes;
  CHECK(std::ranges::find(causes, CauseKind::attention_scores, &Cause::kind) == causes.end());
  const MemoryState state = state_of(test::testdata() / "causes" / "rehearsed_mha_weights.pickle.zst");
  CHECK(in_words(state, explain(state, {}).at(0)).advice.at(0) ==
        "Call nn.MultiheadAttention with need_weights=False: without weights to return it does not materialise the "
        "scores.");
}

TEST_CASE("causes: gradients are not without an optimizer where something written by hand uses them, or more is kept") {
  for (const std::string file : {"rehearsed_hand_optimizer", "rehearsed_masters", "rehearsed_perceptual"}) {
    CAPTURE(file);
    const MemoryState state = state_of(test::testdata() / "causes" / (file + ".pickle.zst"));
    const std::vector<Cause> causes = explain(state, {}).at(0).causes;
    CHECK(std::ranges::find(causes, CauseKind::untrained, &Cause::kind) == causes.end());
    CHECK(std::ranges::find(causes, CauseKind::activations, &Cause::kind) != causes.end());
  }
}

TEST_CASE("causes: an optimizer and no backward pass before are the first step of training") {
  const auto is_first_training = [](std::string_view file) {
    const MemoryState state = state_of(test::testdata() / "causes" / (std::string(file) + ".pickle.zst"));
    return cause_of_kind(explain(state, {}).at(0).causes, CauseKind::activations).is_first_training;
  };
  CHECK(is_first_training("rehearsed_masters"));
  CHECK_FALSE(is_first_training("rehearsed_hand_optimizer"));
}

TEST_CASE("causes: attention is named though its scores are as large as the logits") {
  const MemoryState state = state_of(test::testdata() / "causes" / "rehearsed_scores_as_logits.pickle.zst");
  const std::vector<std::string> advice = in_words(state, explain(state, {}).at(0)).advice;
  CHECK(std::ranges::any_of(advice, [](const std::string& sentence) {
    return sentence.find("scaled_dot_product_attention") != std::string::npos;
  }));
}

TEST_CASE("causes: what earlier calls left is not counted as logits again") {
  const MemoryState state = state_of(test::testdata() / "causes" / "rehearsed_cycles.pickle.zst");
  const DeviceExplanation device = explain(state, {}).at(0);
  const auto logits = std::ranges::find(device.causes, CauseKind::logits, &Cause::kind);
  REQUIRE(logits != device.causes.end());
  CHECK(logits->blocks == 4);
  const std::vector<std::string> advice = in_words(state, device).advice;
  CHECK(std::ranges::find(advice, "Break the cycles of objects that refer to each other (weakref, or a del when they "
                                  "are done with), or call gc.collect(): 1.04 GiB waits for it.") != advice.end());
}

TEST_CASE("causes: the first cause of audited mistakes is the mistake") {
  const auto shared = test::shared_folder();
  if (!shared) return;
  for (const std::pair<std::string, CauseKind>& mistake : shared_mistakes()) {
    CAPTURE(mistake.first);
    const MemoryState state = state_of(*shared / mistake.first);
    const std::vector<DeviceExplanation> devices = explain(state, {});
    REQUIRE_FALSE(devices.empty());
    REQUIRE_FALSE(devices[0].causes.empty());
    CHECK(cause_name(devices[0].causes.front().kind) == cause_name(mistake.second));
  }
}

TEST_CASE("causes: what an audited pass and an optimizer had still to make is named") {
  const auto shared = test::shared_folder();
  if (!shared) return;
  const std::vector<std::pair<std::string, std::uint64_t>> to_come_bytes{
      {"truth/explain/first_step.pickle", 19 * 184'320'000ULL},   // of 12 layers with two blocks each, 5 are there
      {"truth/explain/infer_no_guard.pickle", 9 * 65'536'000ULL}, // of 24, 15
      {"field/foreach_adamw_oom.pickle", 419'049'472ULL},         // of 674,357,248 bytes of gradients
  };
  for (const auto& program : to_come_bytes) {
    CAPTURE(program.first);
    const MemoryState state = state_of(*shared / "probes/findings4" / program.first);
    CHECK(explain(state, {}).at(0).causes.at(0).to_come_bytes == program.second);
  }
}

TEST_CASE("causes: training state says how much of the parameters is trained") {
  const auto shared = test::shared_folder();
  if (!shared) return;
  const MemoryState state = state_of(*shared / "causes/snapshots/lora_not_frozen.pickle.zst");
  const DeviceExplanation device = explain(state, {}).at(0);
  CHECK(cause_text(state.frames(), scope_of(device), device.causes.at(0)) ==
        "Training state: 1.24 GiB (63.7 %) is gradients and the optimizer's state. The gradients are as large as all "
        "parameters, 661 MiB. Its largest line: train common.py:56 ‹ <module> lora_not_frozen.py:23.");
}

TEST_CASE("causes: the line of the script is the caller if there is no other") {
  const auto shared = test::shared_folder();
  if (!shared) return;
  const MemoryState state = state_of(*shared / "causes/snapshots/rnn_state.pickle.zst");
  CHECK(called_line_text(state.frames(), explain(state, {}).at(0).causes.at(0).line) ==
        "window rnn_state.py:9 ‹ <module> rnn_state.py:15");
}

} // namespace memviz
