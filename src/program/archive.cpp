#include "program/archive.hpp"

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "io/zip_file.hpp"

#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz::program {
namespace {

constexpr std::string_view kFlatProgram = "serialized_exported_program.json";
constexpr std::size_t kMostListed = 8;

bool is_of_word(char c) {
  return is_digit(c) || is_letter(c) || c == '_';
}

/// Python's json writes numbers that JSON does not have, such as the -inf of every attention mask. Replaced in place.
void replace_odd_numbers(std::string& json) {
  constexpr std::string_view kOdd[] = {"-Infinity", "Infinity", "NaN"};
  bool is_in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_in_text && c == '\\') ++i;
    if (c == '"') is_in_text = !is_in_text;
    if (is_in_text || (c != '-' && c != 'I' && c != 'N')) continue;
    for (const std::string_view odd : kOdd) {
      if (json.compare(i, odd.size(), odd) != 0) continue;
      const bool ends = i + odd.size() == json.size() || !is_of_word(json[i + odd.size()]);
      if (!ends) continue;
      // A number that is never counted.
      json.replace(i, odd.size(), "0" + std::string(odd.size() - 1, ' '));
      break;
    }
  }
}

bool any_name(const ZipFile& zip, std::string_view part) {
  return std::ranges::any_of(zip.names(),
                             [&](const std::string& name) { return name.find(part) != std::string::npos; });
}

/// Describes what an archive without a program is instead.
[[noreturn]] void throw_other_kind(const ZipFile& zip) {
  const std::string_view hint = "expected a program that torch.export.save wrote";
  if (any_name(zip, "aotinductor/"))
    throw Error(fmt::format("{}, found a compiled AOTInductor package, which has none", hint));
  if (any_name(zip, "/code/") || any_name(zip, "constants.pkl"))
    throw Error(fmt::format("{}, found TorchScript: export the model with torch.export.export", hint));
  if (any_name(zip, "data.pkl")) throw Error(fmt::format("{}, found tensors that torch.save wrote", hint));
  throw Error(fmt::format("{}, found a zip archive without one", hint));
}

/// "ROOT/models/NAME.json"
struct ModelEntry {
  std::string entry;
  std::string root; ///< including its slash
  std::string name;
};

std::vector<ModelEntry> models_of(const ZipFile& zip) {
  constexpr std::string_view kFolder = "models/";
  constexpr std::string_view kEnding = ".json";
  std::vector<ModelEntry> models;
  for (const std::string& entry : zip.names()) {
    const std::size_t folder = entry.find(kFolder);
    if (folder == std::string::npos || !entry.ends_with(kEnding)) continue;
    if (folder > 0 && entry.find('/') != folder - 1) continue;
    const std::size_t begin = folder + kFolder.size();
    if (entry.find('/', begin) != std::string::npos) continue;
    models.push_back({entry, entry.substr(0, folder), entry.substr(begin, entry.size() - kEnding.size() - begin)});
  }
  return models;
}

const ModelEntry& chosen(const std::vector<ModelEntry>& models, const std::optional<std::string>& name) {
  std::vector<std::string> names;
  for (const ModelEntry& model : models) {
    if (name ? model.name == *name : models.size() == 1) return model;
    if (names.size() < kMostListed) names.push_back(printable(model.name));
  }
  if (name) throw Error(fmt::format("has no program '{}'; it has {}", *name, fmt::join(names, ", ")));
  throw Error(fmt::format("has several programs, choose one with --model: {}", fmt::join(names, ", ")));
}

} // namespace

Archive read_archive(std::string_view bytes, const std::optional<std::string>& model) {
  const ZipFile zip(bytes, "expected a zip archive, as torch.export.save writes it");
  Archive archive;
  const std::string flat(kFlatProgram);
  if (zip.has(flat)) {
    if (model) throw Error(fmt::format("has one program, which has no name: leave --model {} out", *model));
    archive.program_json = zip.text(flat);
  } else {
    const std::vector<ModelEntry> models = models_of(zip);
    if (models.empty()) throw_other_kind(zip);
    const ModelEntry& entry = chosen(models, model);
    archive.layout = ArchiveLayout::pt2;
    archive.model = entry.name;
    archive.program_json = zip.text(entry.entry);
    const std::string weights = fmt::format("{}data/weights/{}_weights_config.json", entry.root, entry.name);
    if (zip.has(weights)) archive.weights_json = zip.text(weights);
  }
  replace_odd_numbers(archive.program_json);
  return archive;
}

} // namespace memviz::program
