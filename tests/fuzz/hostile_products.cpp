#include "hostile_shapes.hpp"
#include "snapshot_pieces.hpp"

#include <algorithm>

namespace memviz::fuzz {
namespace {

std::string number(std::uint64_t value) {
  return "J" + number_bytes(value, 4);
}

std::string event(std::string_view action, std::uint64_t address) {
  return File::dict(
      {{"action", File::word(action)}, {"addr", number(address)}, {"size", "K\1"}, {"time_us", number(address)}});
}

std::string annotation(std::uint64_t time, const std::string& device) {
  return File::dict(
      {{"name", File::word("name")}, {"stage", File::word("START")}, {"time_us", number(time)}, {"device", device}});
}

/// Returns a snapshot of one block, whose stack is `frames`.
std::string with_stack(File& file, const std::string& frames) {
  file.add("segments", "(" + segment(0, "(" + block(frames) + "l") + "l");
  return file.done();
}

std::string devices_of_a_segment(std::size_t bytes) {
  File file;
  const std::size_t most = std::min<std::size_t>(bytes / 50, kMostDevices);
  std::string segments = "(";
  for (std::uint64_t device = 0; device < most; ++device)
    segments += File::dict({{"device", number(device)}, {"address", "K\1"}, {"total_size", "K\x09"}});
  file.add("segments", segments + "l");
  file.pad(bytes - std::min(bytes, file.size()));
  return file.done();
}

/// Returns a file whose every device causes a warning.
std::string devices_of_two_events(std::size_t bytes) {
  File file;
  file.add("segments", "]");
  std::string traces = "(";
  for (std::uint64_t device = 0; device < kMostDevices && traces.size() < bytes; ++device)
    traces += "](" + event("alloc", device) + event("free_completed", 7) + "e";
  file.add("device_traces", traces + "l");
  return file.done();
}

std::string annotations_of_every_device(std::size_t bytes) {
  File file;
  file.add("segments", "]");
  std::string traces = "(";
  std::string annotations = "(";
  for (std::uint64_t device = 0; device < kMostDevices && traces.size() + annotations.size() < bytes; ++device) {
    traces += "](" + event("alloc", device) + "e";
    annotations += annotation(device, number(device)) + annotation(device + 1, number(device));
  }
  file.add("device_traces", traces + "l");
  file.add("external_annotations", annotations + "l");
  return file.done();
}

std::string annotations_beside_devices(std::size_t bytes) {
  File file;
  file.add("segments", "]");
  const std::string shared = file.keep("(" + event("alloc", 1) + "l");
  file.add("device_traces", repeated(std::min<std::size_t>(bytes / 50, kMostDevices) * shared.size(), shared));
  file.add("external_annotations", list_of(bytes / 3, [](std::uint64_t time) { return annotation(time, "K\0"s); }));
  file.pad(bytes - std::min(bytes, file.size()));
  return file.done();
}

std::string a_long_name_on_every_tensor(std::size_t bytes) {
  File file;
  file.add("segments", "]");
  const std::string name = file.keep(text_piece(std::string(bytes / 2, 'x')));
  const std::string one = file.keep("(K\0K\1K\1"s + File::word("parameter") + name + "l");
  file.add("memviz_recorder", File::dict({{"tensors", repeated(bytes / 4, one)}}));
  file.pad(bytes / 4);
  return file.done();
}

std::string tensors_beside_blocks(std::size_t bytes) {
  File file;
  const std::string one = file.keep(File::dict({{"size", "K\1"}, {"state", File::word("active_allocated")}}));
  file.add("segments",
           "(" +
               File::dict({{"address", "K\0"s}, {"total_size", number(bytes)}, {"blocks", repeated(bytes / 10, one)}}) +
               "l");
  file.pad(bytes / 2);
  file.add("memviz_recorder", File::dict({{"tensors", list_of(bytes / 4, [](std::uint64_t address) {
                                             return "(K\0"s + number(address) + "K\1" + File::word("gradient") +
                                                    File::word("w") + "l";
                                           })}}));
  return file.done();
}

/// Returns a file whose columns are one list, of as many zeros as its bytes pay for.
std::string one_list_as_every_column_of_keepers(std::size_t bytes) {
  File file;
  file.add("segments", "(" + segment(0, "]") + "l");
  const std::string zeros = file.keep(repeated(bytes / 6, "K\0"s));
  std::string keepers = File::word("kinds") + "(" + File::word("tensor") + "l" + File::word("hows") + "(" +
                        File::word("attribute") + "l" + File::word("root_kinds") + "(" + File::word("local") + "l";
  for (const std::string_view column :
       {"node_kind", "node_name", "edge_from", "edge_to", "edge_how", "root_kind", "root_node", "storage_node",
        "storage_device", "storage_address", "storage_bytes", "place_node", "place_variable", "place_how", "place_name",
        "place_file", "place_line"})
    keepers += File::word(column) + zeros;
  file.add("memviz_keepers", "(" + keepers + "d");
  file.pad(bytes * 2 / 3);
  return file.done();
}

/// Returns a file with a chain of objects, from which each object refers back to an earlier one.
std::string a_long_chain_of_keepers(std::size_t bytes) {
  File file;
  file.add("segments", "(" + segment(0, "]") + "l");
  const auto numbers = [&](const auto& number_of) {
    return list_of(bytes * 2 / 5, [&](std::uint64_t i) { return number(number_of(i)); });
  };
  file.add("memviz_keepers",
           File::dict({{"node_kind", repeated(bytes / 10, "K\0"s)},
                       {"edge_from", numbers([](std::uint64_t i) { return i / 2; })},
                       {"edge_to", numbers([](std::uint64_t i) { return i % 2 == 0 ? i / 2 + 1 : i / 4; })},
                       {"root_kinds", "(" + File::word("local") + "l"},
                       {"root_kind", "(K\0l"s},
                       {"root_node", "(K\0l"s}}));
  return file.done();
}

std::string measured_devices_beside_devices(std::size_t bytes) {
  File file;
  std::string segments = "(";
  for (std::uint64_t device = 0; device < kMostDevices && segments.size() < bytes / 6; ++device)
    segments += File::dict({{"device", number(device)}, {"address", "K\1"}, {"total_size", "K\x09"}});
  file.add("segments", segments + "l");
  file.pad(bytes / 2);
  file.add("memviz_recorder", File::dict({{"devices", list_of(bytes / 4, [](std::uint64_t device) {
                                             return File::dict({{"device", number(device)}, {"total_bytes", "K\x09"}});
                                           })}}));
  return file.done();
}

/// Returns a dict of many keys, with `items` before them, fetched as often as the bytes allow.
std::string large_dict(File& file, std::size_t bytes, std::string items) {
  items += "u(";
  for (std::uint64_t key = 0; items.size() < bytes / 2; ++key)
    items += number(key) + "N";
  return file.keep("}(" + items + "u");
}

std::string a_large_dict_as_every_segment(std::size_t bytes) {
  File file;
  const std::string one = large_dict(file, bytes, File::word("address") + "K\1" + File::word("total_size") + "K\0"s);
  file.add("segments", repeated(bytes / 4, one));
  file.pad(bytes / 4);
  return file.done();
}

std::string a_large_dict_as_every_block(std::size_t bytes) {
  File file;
  const std::string one =
      large_dict(file, bytes, File::word("size") + "K\0"s + File::word("state") + File::word("inactive"));
  file.add("segments", "(" + segment(0, repeated(bytes / 4, one)) + "l");
  file.pad(bytes / 4);
  return file.done();
}

std::string a_large_dict_as_every_event(std::size_t bytes) {
  File file;
  file.add("segments", "]");
  const std::string one =
      large_dict(file, bytes, File::word("action") + File::word("oom") + File::word("size") + "K\1");
  file.add("device_traces", "(" + repeated(bytes / 4, one) + "l");
  file.pad(bytes / 4);
  return file.done();
}

std::string a_large_dict_as_every_annotation(std::size_t bytes) {
  File file;
  file.add("segments", "]");
  const std::string one = large_dict(file, bytes, File::word("name") + "N");
  file.add("external_annotations", repeated(bytes / 4, one));
  file.pad(bytes / 4);
  return file.done();
}

std::string blocks_of_every_segment(std::size_t bytes) {
  File file;
  const std::string one = file.keep(File::dict({{"size", "K\0"s}, {"state", File::word("inactive")}}));
  const std::string all = file.keep(repeated(bytes / 20, one));
  file.add("dicts", "(" + std::string(bytes * 4 / 5, '}') + "l"); // which once paid for four records each
  const std::string whole = file.keep(segment(0, all));
  file.add("segments", repeated(bytes / 10, whole));
  return file.done();
}

std::string events_of_every_device(std::size_t bytes) {
  File file;
  file.add("segments", "]");
  const std::string one = file.keep(event("segment_alloc", 1));
  const std::string other = file.keep(event("segment_free", 1));
  const std::string all = file.keep(repeated(bytes / 200, one + other));
  file.add("dicts", "(" + std::string(bytes * 4 / 5, '}') + "l");
  file.add("device_traces", repeated(400, all));
  return file.done();
}

std::string a_long_file_name_on_every_block(std::size_t bytes) {
  File file;
  std::string name;
  while (name.size() < bytes / 2)
    name += "/home/user/x.py";
  const std::string kept = file.keep(text_piece(name));
  std::uint64_t count = 0;
  const std::string blocks = list_of(bytes / 2, [&](std::uint64_t line) {
    ++count;
    return block("](" + File::dict({{"filename", kept}, {"line", number(line)}}) + "e");
  });
  file.add("segments", "(" + File::dict({{"address", "K\1"}, {"total_size", number(count)}, {"blocks", blocks}}) + "l");
  return file.done();
}

std::string a_long_text_in_every_graph_node(std::size_t bytes) {
  File file;
  const std::string text = file.keep(text_piece(std::string(bytes / 2, 'x')));
  return with_stack(file, list_of(bytes / 2, [&](std::uint64_t line) {
                      return File::dict({{"fx_node_op", text}, {"line", number(line)}});
                    }));
}

std::string long_bytes_in_every_annotation(std::size_t bytes) {
  File file;
  file.add("segments", "]");
  const std::string text = file.keep("B" + number_bytes(bytes / 2, 4) + std::string(bytes / 2, 'm'));
  file.add("external_annotations", repeated(bytes / 2, File::dict({{"k", text}})));
  return file.done();
}

std::string a_long_name_on_every_annotation(std::size_t bytes) {
  File file;
  const std::string name = file.keep(text_piece(std::string(bytes / 2, 'n')));
  file.add("segments", "]");
  file.add("device_traces", "((" + event("alloc", 1) + event("alloc", 2) + "ll");
  file.add("external_annotations", list_of(bytes / 2, [&](std::uint64_t time) {
             return File::dict({{"name", name}, {"stage", File::word("START")}, {"time_us", number(time)}});
           }));
  return file.done();
}

std::string a_deep_stack_in_every_event(std::size_t bytes) {
  File file;
  const std::string frames = file.keep(repeated(bytes / 2, file.keep(frame(text_piece("f")))));
  file.add("segments", "]");
  file.add("device_traces",
           "(" + list_of(bytes / 2, [&](std::uint64_t address) {
             return File::dict(
                 {{"action", File::word("alloc")}, {"addr", number(address)}, {"size", "K\1"}, {"frames", frames}});
           }) + "l");
  return file.done();
}

std::string failures_after_every_segment(std::size_t bytes) {
  File file;
  file.add("segments", "]");
  file.add("device_traces", "(" + list_of(bytes, [](std::uint64_t address) {
                              return event("segment_alloc", 2 * address) + event("alloc", 2 * address) +
                                     event("oom", 0);
                            }) + "l");
  return file.done();
}

} // namespace

std::vector<HostileShape> product_shapes() {
  return {
      {"devices of a segment", devices_of_a_segment},
      {"devices of two events", devices_of_two_events},
      {"annotations of every device", annotations_of_every_device},
      {"annotations beside devices", annotations_beside_devices},
      {"a large dict as every segment", a_large_dict_as_every_segment},
      {"a large dict as every block", a_large_dict_as_every_block},
      {"a large dict as every event", a_large_dict_as_every_event},
      {"a large dict as every annotation", a_large_dict_as_every_annotation},
      {"blocks of every segment", blocks_of_every_segment},
      {"events of every device", events_of_every_device},
      {"a long file name on every block", a_long_file_name_on_every_block},
      {"a long text in every graph node", a_long_text_in_every_graph_node},
      {"long bytes in every annotation", long_bytes_in_every_annotation},
      {"a long name on every annotation", a_long_name_on_every_annotation},
      {"a deep stack in every event", a_deep_stack_in_every_event},
      {"failures after every segment", failures_after_every_segment},
      {"a long name on every tensor", a_long_name_on_every_tensor},
      {"tensors beside blocks", tensors_beside_blocks},
      {"measured devices beside devices", measured_devices_beside_devices},
      {"one list as every column of keepers", one_list_as_every_column_of_keepers},
      {"a long chain of keepers", a_long_chain_of_keepers},
  };
}

} // namespace memviz::fuzz
