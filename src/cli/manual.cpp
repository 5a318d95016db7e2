#include "cli/manual.hpp"

#include "memviz/version.hpp"

#include <cctype>
#include <fmt/format.h>
#include <string_view>

namespace memviz::cli {

namespace {

/// Returns text escaped for roff, including the first character of a line.
std::string roff_text(std::string_view text) {
  std::string result;
  bool is_line_start = true;
  for (const char letter : text) {
    if (is_line_start && (letter == '.' || letter == '\'')) result += "\\&";
    is_line_start = letter == '\n';
    switch (letter) {
    case '\\': result += "\\e"; break;
    case '-': result += "\\-"; break;
    case '\'': result += "\\(aq"; break;
    case '`': result += "\\(ga"; break;
    case '^': result += "\\(ha"; break;
    case '~': result += "\\(ti"; break;
    default: result += letter;
    }
  }
  return result;
}

std::string bold(std::string_view text) {
  return fmt::format("\\fB{}\\fR", roff_text(text));
}

std::string italic(std::string_view text) {
  return fmt::format("\\fI{}\\fR", roff_text(text));
}

std::string upper(std::string_view text) {
  std::string result;
  for (const char letter : text)
    result += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return result;
}

std::string manual_head(std::string_view name, std::string_view summary) {
  return fmt::format(".TH {} 1 {} \"memviz {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", upper(name), release_date(),
                     version(), roff_text(name), roff_text(summary));
}

std::string paragraphs(std::string_view text) {
  return roff_text(text) + '\n';
}

/// Examples are indented by two columns, which the page adds.
std::string example_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.starts_with("  ")) line.remove_prefix(2);
    lines += roff_text(line) + '\n';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return ".SH EXAMPLES\n.nf\n" + lines + ".fi\n";
}

std::string option_entry(const OptionText& option) {
  std::string names = option.letter == '\0' ? "" : bold(fmt::format("-{}", option.letter)) + ", ";
  names += bold(fmt::format("--{}", option.name));
  names += value_help(option, italic(option.value));
  return fmt::format(".TP\n{}\n{}", names, paragraphs(option.text));
}

constexpr std::string_view kExitStatus =
    ".SH EXIT STATUS\n.TP\n\\fB0\\fR\ndone\n.TP\n\\fB1\\fR\nbad data, or a file that cannot be read or "
    "written\n.TP\n\\fB2\\fR\nbad usage\n.TP\n\\fB3\\fR\na threshold was exceeded; for \\fBmemviz rehearse\\fR: the "
    "program does not fit\n.PP\nFor several files, the worst: 2, else 1, else 3, else 0.\n";

} // namespace

std::string general_manual() {
  std::string text = manual_head("memviz", "show who holds the GPU memory, from PyTorch memory snapshots");
  text += ".SH SYNOPSIS\n\\fBmemviz\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] \\fISNAPSHOT\\fR...\n.br\n"
          "\\fBmemviz\\fR \\fBhelp\\fR [\\fICOMMAND\\fR]\n.br\n\\fBmemviz\\fR \\fB\\-\\-version\\fR\n";
  text += ".SH DESCRIPTION\n";
  text += paragraphs("memviz opens the files that torch.cuda.memory._dump_snapshot writes, draws them as one SVG, and "
                     "reports as text and JSON who holds the memory, why it ran out, what grows and what changed. "
                     "Nothing in a snapshot is executed. A snapshot is a pickle or its JSON form, plain, compressed "
                     "(gzip, zstd, xz, bzip2) or in an archive (zip, tar); "
                     "- is standard input. Results go to standard output, warnings to standard error.");
  text += ".SH COMMANDS\n";
  for (const Command& command : commands())
    text += fmt::format(".TP\n{}(1)\n{}", bold(fmt::format("memviz-{}", command.text.name)),
                        paragraphs(command.text.summary));
  text += ".TP\n\\fBcompletion\\fR \\fIbash\\fR|\\fIzsh\\fR|\\fIfish\\fR\nprint a completion script for that shell\n";
  text += ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\n" +
          paragraphs("if set to anything, there is no colour on a terminal") + ".TP\n\\fBMEMVIZ_REHEARSAL_DIR\\fR\n" +
          paragraphs("the folder of the made-up GPU, if not the default");
  text += ".SH JSON\n" + paragraphs("The first member of every --json output is the name and version of its schema. "
                                    "The schemas are installed with the documentation, as docs/schemas/NAME.json.");
  text += kExitStatus;
  text += ".SH SEE ALSO\n";
  for (const Command& command : commands())
    text += fmt::format("{}(1){}\n", bold(fmt::format("memviz-{}", command.text.name)),
                        &command == &commands().back() ? "" : ",");
  return text;
}

std::string command_manual(const Command& command) {
  const std::string name = fmt::format("memviz-{}", command.text.name);
  std::string text = manual_head(name, command.text.summary);
  text += fmt::format(".SH SYNOPSIS\n{} {}\n", bold(fmt::format("memviz {}", command.text.name)),
                      roff_text(command.text.operands));
  text += ".SH DESCRIPTION\n" + paragraphs(command.text.text) + ".SH OPTIONS\n";
  for (const OptionText& option : command.options)
    text += option_entry(option);
  text += example_lines(command.text.examples);
  if (!command.text.takes_program) text += kExitStatus; // for programs, the description includes it
  return text + ".SH SEE ALSO\n\\fBmemviz\\fR(1)\n";
}

} // namespace memviz::cli
