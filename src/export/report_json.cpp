#include "memviz/report_json.hpp"

#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/device_json.hpp"
#include "export/kinds_json.hpp"
#include "export/moment_json.hpp"
#include "export/rehearsal_json.hpp"
#include "export/text_limit.hpp"
#include "memviz/kinds.hpp"
#include "memviz/warnings.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

class ReportJson {
public:
  ReportJson(const ReportSubject& subject, JsonWriter& json)
      : subject_(subject), json_(json),
        limit_(subject.state.recording->origin.size_bytes, "a report has a stack for each of its entries") {}

  void write() {
    begin_document(json_, "memviz.report/1.1").member("file", subject_.file);
    write_rehearsal(json_, subject_.state.recording->origin.rehearsal);
    json_.member("project_root", subject_.project.root()).member("peak_bytes", subject_.report.peak_bytes);
    write_devices();
    write_entries("weights", subject_.report.weights, true);
    write_entries("activations", subject_.report.activations, false);
    write_gradients();
    json_.member("warnings", warnings_of(subject_.state)).end_object();
  }

private:
  void write_devices() {
    json_.key("devices").begin_array();
    for (const DeviceId device : subject_.report.devices) {
      const DeviceState* const device_state = subject_.state.device_at(device);
      if (device_state == nullptr) continue;
      write_device_key(json_.begin_object(), device).key("at");
      write_moment(json_, device_state->moment);
      json_.member("requested_bytes", device_state->figures.requested_bytes)
          .member("peak_bytes", device_state->figures.peak_requested_bytes);
      write_kinds(json_.key("kinds"), kind_account(subject_.state, device));
      json_.end_object();
    }
    json_.end_array();
  }

  void write_entries(std::string_view name, const std::vector<ReportEntry>& entries, bool has_gradients) {
    json_.key(name).begin_array();
    for (const ReportEntry& entry : entries) {
      const std::size_t before = json_.written_bytes();
      write_entry(entry, has_gradients);
      limit_.add(json_.written_bytes() - before);
    }
    json_.end_array();
  }

  void write_entry(const ReportEntry& entry, bool has_gradient) {
    const Block& block = subject_.state.blocks[entry.block];
    json_.begin_object(JsonLayout::spaced).member("name", subject_.report.name_of(entry));
    write_device_key(json_, entry.device)
        .member("address", std::to_string(block.address))
        .member("size_bytes", entry.size_bytes);
    if (has_gradient) json_.member("gradient_bytes", entry.gradient_bytes);
    json_.member("known_by", evidence_name(subject_.state.facts[entry.block].kind.evidence));
    write_frames(block.stack);
    json_.end_object();
  }

  /// Writes the frames of the project, with lines that an editor can open.
  void write_frames(StackId stack) {
    const FrameTable& frames = subject_.state.frames();
    json_.key("frames").begin_array();
    for (const FrameId id : frames.stack(stack)) {
      const Frame& frame = frames.frame(id);
      const std::string_view path = subject_.project.path_of(frame.filename);
      if (path.empty() || frame.line < 1) continue;
      json_.begin_object(JsonLayout::spaced).member("file", path).member("line", frame.line).end_object();
    }
    json_.end_array();
  }

  void write_gradients() {
    std::uint64_t paired_bytes = 0;
    for (const ReportEntry& weight : subject_.report.weights)
      paired_bytes += weight.gradient_bytes;
    std::uint64_t unpaired_bytes = 0;
    for (const UnpairedGradients& gradients : subject_.report.unpaired)
      unpaired_bytes += gradients.size_bytes * gradients.count;
    json_.key("gradients").begin_object().member("paired_bytes", paired_bytes);
    json_.member("unpaired_bytes", unpaired_bytes).key("unpaired").begin_array();
    for (const UnpairedGradients& gradients : subject_.report.unpaired) {
      write_device_key(json_.begin_object(JsonLayout::spaced), gradients.device)
          .member("size_bytes", gradients.size_bytes)
          .member("count", gradients.count)
          .member("reason", unpaired_words(gradients.reason))
          .end_object();
    }
    json_.end_array().end_object();
  }

  const ReportSubject& subject_;
  JsonWriter& json_;
  TextLimit limit_;
};

} // namespace

std::string report_json(const ReportSubject& subject) {
  return json_document([&](JsonWriter& json) { ReportJson(subject, json).write(); });
}

} // namespace memviz
