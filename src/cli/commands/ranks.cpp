#include "memviz/ranks.hpp"

#include "base/first_of.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/messages.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/picture_output.hpp"
#include "cli/frame/rank_files.hpp"
#include "cli/frame/text_outputs.hpp"
#include "memviz/format.hpp"
#include "memviz/ranks_report.hpp"
#include "memviz/svg.hpp"
#include "story/ranks_words.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memviz::cli {

namespace {

struct RanksCommand : CommandOptions {
  RankOptions ranks;
  PictureOptions picture;
  std::optional<std::string> json;
  std::optional<std::string> ndjson;
  std::optional<std::string> partial;
  std::optional<std::string> text;
  bool is_strict = false;
};

OptionList<RanksCommand> ranks_options() {
  return joined<RanksCommand>(
      {within<RanksCommand>(&RanksCommand::picture,
                            {output_option("also draw a picture; - is standard output, instead of the text")}),
       within<RanksCommand>(&RanksCommand::ranks, rank_options()),
       {json_option(&RanksCommand::json, "instead of the text"),
        verbatim(
            {"ndjson", '\0', "FILE", "write a line of JSON for each rank and each bad file there, instead of the text"},
            &RanksCommand::ndjson),
        verbatim({"partial", '\0', "FILE",
                  "write a part of each file there, at most 8 KB per line, instead of the text: memviz ranks reads "
                  "such parts from several calls like the snapshots"},
                 &RanksCommand::partial),
        rare(verbatim({"text", '\0', "FILE", "write the text there, in addition to JSON or parts"},
                      &RanksCommand::text)),
        flag({"strict", '\0', "", "exit with code 1 if a file could not be read"}, &RanksCommand::is_strict)},
       within<RanksCommand>(&RanksCommand::picture, picture_format_options()),
       kinds_options<RanksCommand>(),
       within<RanksCommand>(&RanksCommand::file, joined<FileOptions>({redact_options(), general_options()}))});
}

std::string all_parts(const std::vector<RankPart>& parts) {
  std::string text;
  for (const RankPart& part : parts)
    text += rank_part_json(part);
  return text;
}

/// Says why the exit code is not 0 and names the first files that could not be read, where no text does.
void say_unread(const JobReport& report) {
  constexpr std::size_t kMostNamed = 3;
  if (report.ranks.empty()) say_message(ranks_headline(report));
  for (const std::size_t i : first_of(report.unread, kMostNamed))
    say_message(report.parts[i].file + ": " + report.parts[i].error);
  if (report.unread.size() > kMostNamed)
    say_message(format_counted(report.unread.size() - kMostNamed, "more file") + " could not be read");
}

int run_ranks(const RanksCommand& options) {
  check_picture(options.picture);
  check_outputs(options, {{"-o", options.picture.output},
                          {"--json", options.json},
                          {"--ndjson", options.ndjson},
                          {"--partial", options.partial},
                          {"--text", options.text}});
  std::vector<RankPart> parts = parts_of_files(options.operands, options.file);
  if (options.partial) write_output(options.file, *options.partial, all_parts(parts));
  const JobReport report = job_report(std::move(parts), options.ranks);
  if (options.json) write_output(options.file, *options.json, ranks_json(report));
  if (options.ndjson) write_output(options.file, *options.ndjson, ranks_ndjson(report));
  if (options.picture.output)
    write_picture(options.file, options.picture, ranks_svg(report, svg_options(options.picture.drawing)));
  const bool is_text_replaced = options.json || options.ndjson || options.partial || options.picture.output == "-";
  if (options.text || !is_text_replaced)
    write_text(options.file, options.text.value_or("-"), ranks_text(report, text_columns()));
  const bool is_failure = report.ranks.empty() || (options.is_strict && !report.unread.empty());
  if (!is_failure) return kSuccess;
  if (is_text_replaced) say_unread(report);
  return kBadData;
}

} // namespace

Command ranks_command() {
  const CommandText text{
      .name = "ranks",
      .operands = "FILE...|FOLDER... [-o FILE] [options]",
      .summary = "the ranks of a job: which one stands out, by how much, and which memory only it holds",
      .text = "Reads the snapshots of many ranks, several at once, and reports which rank ran out of memory or stands "
              "out from the ranks that are otherwise like it, by how much, and by which lines and kinds of memory; "
              "then the groups of ranks and a table. The rank comes from the file, else from its name. A file that "
              "cannot be read is a row with the reason.",
      .examples = "  memviz ranks snapshots/\n"
                  "  memviz ranks snapshots/ --step 100\n"
                  "  memviz ranks node*/ --rank-pattern 'gpu(\\d+)'\n"
                  "  memviz ranks snapshots/ --json - | jq -r .headline\n"
                  "  memviz ranks /local/snapshots --partial part-$(hostname).ndjson && memviz ranks part-*.ndjson\n",
      .takes_several = true,
  };
  return command(text, ranks_options(), run_ranks);
}

} // namespace memviz::cli
