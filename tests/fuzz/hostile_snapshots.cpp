#include "hostile_shapes.hpp"
#include "snapshot_pieces.hpp"

#include <algorithm>

namespace memviz::fuzz {
namespace {

std::string shared_segments(std::size_t bytes) {
  File file;
  const std::string one = file.keep(segment(0, "](" + block("]") + "e"));
  file.pad(bytes * 7 / 8);
  file.add("segments", repeated(bytes / 8, one)); // of 16 bytes each: for the block as well
  return file.done();
}

std::string shared_empty_segments(std::size_t bytes) {
  File file;
  const std::string one = file.keep(File::dict({{"address", "K\0"s}, {"total_size", "K\0"s}}));
  file.pad(bytes * 3 / 4);
  file.add("segments", repeated(bytes / 4, one));
  return file.done();
}

std::string shared_blocks(std::size_t bytes) {
  File file;
  const std::string one = file.keep(File::dict({{"size", "K\0"s}, {"state", File::word("active_allocated")}}));
  file.pad(bytes * 3 / 4);
  file.add("segments", "(" + segment(0, repeated(bytes / 4, one)) + "l");
  return file.done();
}

std::string distinct_segments(std::size_t bytes) {
  File file;
  const std::string blocks = file.keep("(" + block("]") + "l");
  file.add("segments", list_of(bytes, [&](std::uint64_t number) { return segment(number, blocks); }));
  return file.done();
}

std::string deep_stack_on_many_streams(std::size_t bytes) {
  File file;
  const std::string one = file.keep(frame(text_piece("f")));
  const std::string other = file.keep(frame(text_piece("g")));
  const std::string frames = file.keep(repeated(bytes / 2, one + other));
  const std::string blocks = file.keep("(" + block(frames) + "l");
  file.add("segments", list_of(bytes / 2, [&](std::uint64_t number) { return segment(number, blocks); }));
  return file.done();
}

std::string long_names_in_a_deep_stack(std::size_t bytes) {
  File file;
  const std::string one = file.keep(frame(text_piece(std::string(bytes / 2, 'x'))));
  const std::string frames = file.keep(repeated(bytes / 2, one));
  file.add("segments", "(" + segment(0, "(" + block(frames) + "l") + "l");
  return file.done();
}

std::string one_long_name_in_every_frame(std::size_t bytes) {
  File file;
  const std::string name = file.keep(text_piece(std::string(bytes / 2, 'x')));
  const std::string frames = file.keep(list_of(bytes / 2, [&](std::uint64_t number) {
    return File::dict({{"name", name}, {"filename", name}, {"line", "J" + number_bytes(number, 4)}});
  }));
  file.add("segments", "(" + segment(0, "(" + block(frames) + "l") + "l");
  return file.done();
}

/// Returns a frame for each number, all with one long name and file, which differ only in their lines.
std::string frame_at_line(const std::string& name, std::uint64_t number) {
  return File::dict({{"name", name}, {"filename", name}, {"line", "J" + number_bytes(number, 4)}});
}

std::string long_name_of(std::size_t bytes) {
  std::string name;
  while (name.size() < bytes)
    name += "a::b<c";
  return text_piece(name);
}

std::string one_long_name_in_many_blocks(std::size_t bytes) {
  File file;
  const std::string name = file.keep(long_name_of(bytes / 2));
  const std::string blocks =
      list_of(bytes / 2, [&](std::uint64_t number) { return block("](" + frame_at_line(name, number) + "e"); });
  file.add("segments",
           "(" + File::dict({{"address", "K\1"}, {"total_size", "J" + number_bytes(bytes, 4)}, {"blocks", blocks}}) +
               "l");
  return file.done();
}

/// Lines of the user's own, which are named with their file.
std::string one_long_file_in_many_blocks(std::size_t bytes) {
  File file;
  const std::string name = file.keep(text_piece("/" + std::string(bytes / 2, 'x') + ".py"));
  const std::string blocks = list_of(bytes / 2, [&](std::uint64_t number) {
    return block("](" + File::dict({{"filename", name}, {"line", "J" + number_bytes(number, 4)}}) + "e");
  });
  file.add("segments",
           "(" + File::dict({{"address", "K\1"}, {"total_size", "J" + number_bytes(bytes, 4)}, {"blocks", blocks}}) +
               "l");
  return file.done();
}

/// DUP adds an event with each byte.
std::string one_event_in_every_byte(std::size_t bytes) {
  File file;
  file.add("segments", "]");
  const std::string event = File::dict({{"action", File::word("free_completed")}, {"addr", "K\1"}, {"size", "K\1"}});
  file.add("device_traces", "](](" + event + std::string(bytes, '2') + "ee");
  return file.done();
}

std::string one_long_name_in_many_events(std::size_t bytes) {
  File file;
  const std::string name = file.keep(long_name_of(bytes / 2));
  file.add("segments", "]");
  std::string events = "]\x94(";
  for (std::uint64_t number = 1; events.size() < bytes / 2; ++number)
    events += "}\x94(" + File::word("action") + File::word("alloc") + File::word("addr") + "J" +
              number_bytes(number * 512, 4) + File::word("size") + "K\1" + File::word("frames") + "](" +
              frame_at_line(name, number) + "eu";
  file.add("device_traces", "(" + events + "el");
  return file.done();
}

std::string one_long_fx_text_in_every_frame(std::size_t bytes) {
  File file;
  const std::string text = file.keep(text_piece(std::string(bytes / 2, 'x')));
  const std::string frames = file.keep(list_of(bytes / 2, [&](std::uint64_t number) {
    return File::dict({{"fx_node_op", text}, {"line", "J" + number_bytes(number, 4)}});
  }));
  file.add("segments", "(" + segment(0, "(" + block(frames) + "l") + "l");
  return file.done();
}

/// Returns blocks in use with one stack.
std::string many_blocks(File file, const std::string& frames, std::size_t bytes) {
  file.add("segments", "(" +
                           File::dict({{"address", "K\1"},
                                       {"total_size", "J" + number_bytes(bytes, 4)},
                                       {"blocks", repeated(bytes / 2, block(frames))}}) +
                           "l");
  return file.done();
}

std::string deep_stack_in_many_blocks(std::size_t bytes) {
  File file;
  const std::string one = file.keep(frame(text_piece("PyEval_")));
  const std::string frames = file.keep(repeated(bytes / 2, one));
  return many_blocks(std::move(file), frames, bytes);
}

/// The outermost frame is the user's, so that all others are within its line.
std::string deep_line_in_many_blocks(std::size_t bytes) {
  File file;
  const std::string inner = file.keep(frame(text_piece("at::")));
  const std::string line = File::dict({{"name", text_piece("main")}, {"filename", text_piece("train.py")}});
  const std::string many = repeated(bytes / 2, inner);
  const std::string frames = file.keep(many.substr(0, many.size() - 1) + line + many.substr(many.size() - 1));
  return many_blocks(std::move(file), frames, bytes);
}

std::string settings_under_a_long_key(std::size_t bytes) {
  File file;
  const std::string inner =
      list_of(bytes / 2, [](std::uint64_t number) { return "J" + number_bytes(number, 4) + "N"; });
  file.add("segments", "]");
  file.add("allocator_settings",
           "}(" + text_piece(std::string(bytes / 3, 'k')) + inner.substr(0, inner.size() - 1) + "du");
  return file.done();
}

std::string metadata_of_one_long_text(std::size_t bytes) {
  File file;
  const std::string text = file.keep(text_piece(std::string(bytes / 2, 'm')));
  std::string metadata = "}(";
  for (std::uint64_t number = 0; metadata.size() < bytes / 3; ++number)
    metadata += "J" + number_bytes(number, 4) + text;
  file.add("segments", "]");
  file.add("external_annotations", "(" + metadata + "ul");
  return file.done();
}

std::string shared_annotations(std::size_t bytes) {
  File file;
  const std::string one = file.keep(File::dict({{"a", "N"}}));
  file.add("segments", "]");
  file.pad(bytes * 4 / 5);
  file.add("external_annotations", repeated(bytes / 5, one));
  return file.done();
}

std::string many_devices(std::size_t bytes) {
  File file;
  const std::string event = alloc(1);
  file.add("segments", "]");
  file.add("device_traces",
           "(" + std::string(std::min<std::size_t>(bytes, kMostDevices - 1), ']') + "(" + event + "ll");
  return file.done();
}

std::string an_event_on_many_devices(std::size_t bytes) {
  File file;
  const std::string trace = file.keep("(" + alloc(1) + "l");
  file.add("segments", "]");
  file.pad(bytes * 19 / 20);
  file.add("device_traces", repeated(std::min<std::size_t>(bytes / 20, kMostDevices * 2), trace)); // of 40 bytes each
  return file.done();
}

std::string shared_events(std::size_t bytes) {
  File file;
  const std::string event = file.keep(alloc(1));
  file.add("segments", "]");
  file.pad(bytes * 3 / 4);
  file.add("device_traces", "(" + repeated(bytes / 4, event) + "l");
  return file.done();
}

std::string allocs_never_freed(std::size_t bytes) {
  File file;
  file.add("segments", "]");
  file.add("device_traces", "(](" + list_of(bytes, alloc).substr(1, std::string::npos));
  std::string done = file.done();
  // A list that is filled after it was created, as in Python.
  return done.substr(0, done.size() - 3) + "elu.";
}

std::string events_of_distinct(std::size_t bytes, std::string_view key, std::string (*value)(std::uint64_t)) {
  File file;
  file.add("segments", "]");
  std::string events = "]\x94(";
  for (std::uint64_t number = 0; events.size() < bytes; ++number) {
    events += "}\x94(" + File::word("action") + File::word("alloc") + File::word("addr") + "K\1" + File::word("size") +
              "K\1" + File::word(key) + value(number) + "u";
  }
  file.add("device_traces", "(" + events + "el");
  return file.done();
}

std::string stack_of(std::uint64_t number) {
  // Frames without a name, distinguished by the words in them: the memo's own texts serve as well as any.
  std::string list = "](";
  for (; number > 0; number /= 16)
    list += fetch_piece(number % 16);
  return list + "e";
}

std::string frames_of_new_dicts(std::uint64_t number) {
  return "](" + File::dict({{"line", "J" + number_bytes(number, 4)}}) + "e";
}

std::string pool_of(std::uint64_t number) {
  return "J" + number_bytes(number & 0x7FFFFFFF, 4) + "K\1\x86";
}

std::string text_of_number(std::uint64_t number) {
  return text_piece(std::to_string(number));
}

} // namespace

std::vector<HostileShape> snapshot_shapes() {
  return {
      {"shared segments", shared_segments},
      {"shared empty segments", shared_empty_segments},
      {"shared blocks", shared_blocks},
      {"distinct segments", distinct_segments},
      {"a deep stack on many streams", deep_stack_on_many_streams},
      {"long names in a deep stack", long_names_in_a_deep_stack},
      {"one long name in every frame", one_long_name_in_every_frame},
      {"one long name in many blocks", one_long_name_in_many_blocks},
      {"one long name in many events", one_long_name_in_many_events},
      {"one long file in many blocks", one_long_file_in_many_blocks},
      {"one event in every byte", one_event_in_every_byte},
      {"one long fx text in every frame", one_long_fx_text_in_every_frame},
      {"a deep stack in many blocks", deep_stack_in_many_blocks},
      {"a deep line in many blocks", deep_line_in_many_blocks},
      {"settings under a long key", settings_under_a_long_key},
      {"metadata of one long text", metadata_of_one_long_text},
      {"shared annotations", shared_annotations},
      {"many devices", many_devices},
      {"an event on many devices", an_event_on_many_devices},
      {"shared events", shared_events},
      {"allocs never freed", allocs_never_freed},
      {"events of distinct text stacks",
       [](std::size_t n) { return events_of_distinct(n, "forward_frames", stack_of); }},
      {"events of distinct frames", [](std::size_t n) { return events_of_distinct(n, "frames", frames_of_new_dicts); }},
      {"events of distinct pools", [](std::size_t n) { return events_of_distinct(n, "pool_id", pool_of); }},
      {"events of distinct texts",
       [](std::size_t n) { return events_of_distinct(n, "user_metadata", text_of_number); }},
      {"events of distinct actions", [](std::size_t n) { return events_of_distinct(n, "action", text_of_number); }},
  };
}

std::vector<HostileShape> hostile_shapes() {
  std::vector<HostileShape> all = value_shapes();
  for (const std::vector<HostileShape>& more : {snapshot_shapes(), product_shapes(), archive_shapes()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

} // namespace memviz::fuzz
