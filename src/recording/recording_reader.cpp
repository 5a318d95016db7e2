#include "memviz/recording.hpp"

#include "memviz/error.hpp"
#include "pickle/decoder.hpp"
#include "pickle/locate.hpp"
#include "recording/document_reader.hpp"
#include "recording/file_kind.hpp"
#include "recording/folded_reader.hpp"
#include "recording/read_fast.hpp"
#include "value/field.hpp"
#include "json/json_reader.hpp"

#include <utility>

namespace memviz {
namespace {

/// Decodes everything before it looks at anything: the reference for the fast reader, and slower.
Recording read_whole(std::string_view bytes, const ReadOptions& options) {
  Recording recording;
  const pickle::Decoded decoded = pickle::decode(bytes, pickle::Progress(options.on_progress));
  Readers readers(decoded.document, recording, bytes.size(), options, true);
  try {
    read_document(readers);
  } catch (const SchemaError& error) {
    throw ParseError(pickle::offset_of(bytes, error.container()), error.what());
  }
  finish_pickle(decoded.protocol, decoded.end_offset, bytes, recording);
  return recording;
}

void tell_reader(const ReadOptions& options, const ReadBy& read_by) {
  if (options.on_reader) options.on_reader(read_by);
}

Recording read_pickle(std::string_view bytes, const ReadOptions& options) {
  FastReading fast;
  if (options.stream)
    fast = read_fast(bytes, options);
  else
    fast.read_by.plain_reason = PlainReason::not_wanted;
  tell_reader(options, fast.read_by);
  return fast.recording ? std::move(*fast.recording) : read_whole(bytes, options);
}

Recording read_text(std::string_view bytes, const ReadOptions& options) {
  tell_reader(options, {PlainReason::not_a_pickle});
  const bool is_folded = looks_like_folded(bytes);
  Recording recording;
  recording.origin.encoding = is_folded ? "folded stacks" : "JSON";
  if (is_folded)
    recording.warnings.emplace_back("read from folded stacks, which have neither addresses nor events: each line is "
                                    "one block, and segments are made up");
  const Document document = is_folded ? folded_document(bytes) : json::read(bytes);
  try {
    Readers readers(document, recording, bytes.size(), options, true);
    read_document(readers);
  } catch (const SchemaError& error) {
    throw Error(error.what());
  }
  if (is_folded) recording.origin.generation = "unknown PyTorch";
  return recording;
}

} // namespace

Recording read_snapshot(std::string_view bytes, const ReadOptions& options) {
  reject_foreign_file(bytes);
  const bool is_text = looks_like_json(bytes) || looks_like_folded(bytes);
  Recording recording = is_text ? read_text(bytes, options) : read_pickle(bytes, options);
  recording.origin.size_bytes = bytes.size();
  if (options.rewriter != nullptr) options.rewriter->check(recording);
  return recording;
}

} // namespace memviz
