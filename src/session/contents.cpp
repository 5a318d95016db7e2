#include "memviz/contents.hpp"

#include "base/printable.hpp"
#include "base/snapshot_names.hpp"
#include "io/base64_text.hpp"
#include "io/byte_buffer.hpp"
#include "io/decompress.hpp"
#include "io/tar_file.hpp"
#include "io/zip_file.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"
#include "pickle/survey.hpp"
#include "recording/file_kind.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

namespace {

/// Throws Error for a file of torch.save with tensors.
[[noreturn]] void throw_checkpoint() {
  throw_other_file("a checkpoint (tensors that torch.save wrote)");
}

bool ends_as_snapshot(std::string_view name) {
  return has_snapshot_ending(name) || without_compression(name).ends_with(".html");
}

/// Whether it is a file of the user's, not a folder or what an archiver added.
bool is_own_file(std::string_view name) {
  return !name.empty() && !name.ends_with('/') && !name.starts_with("__MACOSX/") &&
         !file_basename(name).starts_with('.');
}

bool any_name(const std::vector<std::string>& names, const auto& fits) {
  return std::ranges::any_of(names, [&](const std::string& name) { return fits(std::string_view(name)); });
}

/// Returns the index of the object that torch.save wrote, which is in one folder with its version; names.size() if the
/// archive is not of that kind.
std::size_t saved_object(const std::vector<std::string>& names) {
  constexpr std::string_view kObject = "/data.pkl";
  const auto object = std::ranges::find_if(names, [&](const std::string& name) {
    return name.ends_with(kObject) && name.find('/') == name.size() - kObject.size();
  });
  if (object == names.end()) return names.size();
  const std::string folder = object->substr(0, object->size() - kObject.size() + 1);
  const bool has_version = any_name(names, [&](std::string_view name) { return name == folder + "version"; });
  const auto is_of_program = [&](std::string_view name) {
    return name.starts_with(folder + "code/") || name == folder + "constants.pkl";
  };
  if (any_name(names, is_of_program)) throw_other_file("a TorchScript program, which records no memory");
  const auto is_tensor = [&](std::string_view name) {
    return name.starts_with(folder + "data/") && name.size() > folder.size() + 5;
  };
  if (any_name(names, is_tensor)) throw_checkpoint();
  return has_version ? static_cast<std::size_t>(object - names.begin()) : names.size();
}

void reject_other_archive(const std::vector<std::string>& names) {
  const auto is_program = [](std::string_view name) {
    return name.ends_with("serialized_exported_program.json") || name.ends_with("archive_format");
  };
  if (any_name(names, is_program))
    throw_other_file("a program that torch.export.save wrote", "memviz flops counts its operations and memory");
  const auto is_array = [](std::string_view name) { return name.ends_with(".npy"); };
  if (!names.empty() && std::ranges::all_of(names, is_array)) throw_other_file("arrays of NumPy (.npz)");
}

/// Returns the indices of the entries that may be snapshots: of those that are named like one, if there are any; only
/// the object itself of what torch.save wrote. Throws Error, which says what the archive is and what to do, if it has
/// none.
std::vector<std::size_t> snapshot_entries(const std::vector<std::string>& names) {
  reject_other_archive(names);
  const std::size_t object = saved_object(names);
  if (object < names.size()) return {object};
  std::vector<std::size_t> files;
  std::vector<std::size_t> named;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!is_own_file(names[i])) continue;
    files.push_back(i);
    if (ends_as_snapshot(names[i])) named.push_back(i);
  }
  if (files.empty()) throw_other_file("an archive without a file");
  return named.empty() ? files : named;
}

enum class Packing : std::uint8_t {
  none,
  compressed, ///< by a Compression
  zip,        ///< also the form of torch.save since PyTorch 1.6
  tar,
  base64,            ///< of a pickle, or of something packed
  page,              ///< HTML that PyTorch's trace_plot and segment_plot write, which holds a pickle in base64
  torch_save_pickles ///< the form of torch.save before PyTorch 1.6: five pickles, one after another
};

/// LONG1 of ten bytes: the number with which torch.save begins (torch/serialization.py, MAGIC_NUMBER).
constexpr std::string_view kTorchSaveNumber = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";

bool is_zip(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

/// PROTO and a protocol that has it.
bool begins_with_protocol(std::string_view bytes) {
  return bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

bool is_base64_of_packed(std::string_view bytes) {
  const std::string head = base64_head(bytes);
  return begins_with_protocol(head) || is_zip(head) || compression_of(head) != Compression::none;
}

bool begins_as_html(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '<';
}

/// Returns the base64 in such a page; "" if there is none.
std::string_view base64_of_page(std::string_view page) {
  constexpr std::string_view kKey = R"("base64": ")";
  const std::size_t key = page.find(kKey);
  if (key == std::string_view::npos) return "";
  const std::string_view text = page.substr(key + kKey.size());
  return text.substr(0, text.find('"'));
}

/// Returns the packing, recognised by the first 64 KiB.
Packing packing_of(std::string_view bytes) {
  constexpr std::size_t kNumberWithin = 32;
  if (compression_of(bytes) != Compression::none) return Packing::compressed;
  if (is_zip(bytes)) return Packing::zip;
  if (begins_with_protocol(bytes)) {
    const bool has_number = bytes.substr(0, kNumberWithin).find(kTorchSaveNumber) != std::string_view::npos;
    return has_number ? Packing::torch_save_pickles : Packing::none;
  }
  if (looks_like_tar(bytes)) return Packing::tar;
  if (begins_as_html(bytes)) return base64_of_page(bytes).empty() ? Packing::none : Packing::page;
  return is_base64_of_packed(bytes) ? Packing::base64 : Packing::none;
}

/// Returns the object among the pickles of torch.save. Throws Error for a checkpoint of tensors, and for pickles that
/// are damaged.
std::string_view object_of_torch_save(std::string_view bytes) {
  constexpr int kBefore = 3; // the number, the protocol of torch.save, facts about the system
  std::size_t at = 0;
  for (int i = 0;; ++i) {
    const std::string_view rest = bytes.substr(at);
    const pickle::Survey survey = pickle::survey(rest);
    if (i == kBefore && survey.counts[static_cast<std::size_t>(pickle::Opcode::binpersid)] > 0) throw_checkpoint();
    const auto size = static_cast<std::size_t>(survey.end_offset);
    if (i == kBefore) return survey.end == pickle::SurveyEnd::stop ? rest.substr(0, size) : rest;
    if (survey.end != pickle::SurveyEnd::stop)
      throw ParseError(at + size, "expected the pickles that torch.save writes, found none: is the file cut short?");
    at += size;
  }
}

constexpr std::size_t kShownName = 120;

/// A part of another input.
class PartOfInput final : public InputStorage {
public:
  PartOfInput(std::shared_ptr<Input> whole, std::string_view bytes)
      : whole_(std::move(whole)), bytes_(bytes),
        begin_(static_cast<std::size_t>(bytes.data() - whole_->bytes().data())) {}
  [[nodiscard]] std::string_view bytes() const noexcept override { return bytes_; }
  void release_before(std::size_t offset) override { whole_->release_before(begin_ + offset); }
  [[nodiscard]] bool has_changed() const override { return whole_->has_changed(); }

private:
  std::shared_ptr<Input> whole_;
  std::string_view bytes_;
  std::size_t begin_;
};

/// Returns options that let the head of something packed pass: what it holds is looked at when it is unpacked.
InputOptions letting_packed_pass(InputOptions options) {
  if (!options.check_head) return options;
  options.check_head = [check = std::move(options.check_head)](std::string_view head) {
    if (packing_of(head) == Packing::none) check(head);
  };
  return options;
}

} // namespace

/// An input, and what it is packed in.
class Contents::Layers {
public:
  Layers(Input stored, std::uint64_t stored_bytes, InputOptions options)
      : input_(std::make_shared<Input>(std::move(stored))), stored_bytes_(stored_bytes), options_(std::move(options)) {}

  /// Adds the name of a layer that is unpacked already.
  void add_name(std::string name) { snapshot_layers_.push_back(std::move(name)); }

  /// Unpacks until there are several snapshots, or one that is not packed. Errors begin with the place.
  void unpack() {
    try {
      unpack_all();
    } catch (const Error& error) {
      if (place_.empty()) throw;
      throw Error(fmt::format("{}: {}", place_, error.what()));
    }
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  [[nodiscard]] Snapshot take(std::size_t index) {
    if (!zip_ && tar_.empty()) return {std::move(*input_), snapshot_layers_, place_};
    Layers one(entry(index), stored_bytes_, options_);
    one.snapshot_layers_ = snapshot_layers_;
    one.place_ = place_of(index);
    one.unpack();
    if (one.names_.size() != 1)
      throw Error(fmt::format("{} has several snapshots itself: unpack the archive first", one.place_));
    return one.take(0);
  }

private:
  void unpack_all() {
    for (;;) {
      const Packing packing = packing_of(input_->bytes());
      if (packing == Packing::none) {
        names_ = {""};
        return;
      }
      if (snapshot_layers_.size() >= kMostLayers)
        throw Error(fmt::format("is packed more than {} times: unpack it first", kMostLayers));
      if (packing == Packing::zip || packing == Packing::tar)
        open_archive(packing);
      else
        unpack_one(packing);
      if (names_.size() > 1) return;
      if (names_.size() == 1) enter(0);
    }
  }

  [[nodiscard]] ByteBuffer buffer() const {
    ByteBuffer result(options_.max_bytes, options_.check_head);
    limit_growth(result, stored_bytes_);
    return result;
  }

  void unpack_one(Packing packing) {
    const std::string_view bytes = input_->bytes();
    if (packing == Packing::torch_save_pickles) {
      replace(part_of(object_of_torch_save(bytes)));
      add_name("torch.save");
      place_ = "the object that torch.save wrote";
      return;
    }
    ByteBuffer unpacked = buffer();
    if (packing == Packing::compressed) {
      const Compression compression = compression_of(bytes);
      add_name(std::string(compression_name(compression)));
      decompress(
          compression, [rest = bytes]() mutable { return std::exchange(rest, {}); }, unpacked);
    } else {
      add_name(packing == Packing::page ? "HTML" : "base64");
      decode_base64(packing == Packing::page ? base64_of_page(bytes) : bytes, unpacked);
    }
    replace(std::move(unpacked).into_input());
  }

  void open_archive(Packing packing) {
    archive_ = packing == Packing::zip ? "zip" : "tar";
    add_name(archive_);
    std::vector<std::string> all;
    if (packing == Packing::zip) {
      zip_ = std::make_unique<ZipFile>(input_->bytes(), "the zip archive is damaged, or the file is cut short");
      all = zip_->names();
    } else {
      tar_ = tar_entries(input_->bytes());
      for (const TarEntry& entry : tar_)
        all.push_back(entry.name);
    }
    entries_ = snapshot_entries(all);
    for (const std::size_t entry : entries_)
      names_.push_back(all[entry]);
  }

  /// Goes on with the only snapshot of the archive.
  void enter(std::size_t index) {
    Input input = entry(index);
    place_ = place_of(index);
    zip_.reset();
    tar_.clear();
    names_.clear();
    replace(std::move(input));
  }

  [[nodiscard]] std::string place_of(std::size_t index) const {
    return fmt::format("'{}' in the {} archive", elided(names_[index], kShownName), archive_);
  }

  [[nodiscard]] Input entry(std::size_t index) {
    if (!zip_) return part_of(tar_[entries_[index]].content);
    ByteBuffer content = buffer();
    zip_->read(entries_[index], content);
    return std::move(content).into_input();
  }

  [[nodiscard]] Input part_of(std::string_view bytes) const {
    return Input(std::make_unique<PartOfInput>(input_, bytes));
  }

  void replace(Input input) { input_ = std::make_shared<Input>(std::move(input)); }

  std::shared_ptr<Input> input_;
  std::uint64_t stored_bytes_;
  InputOptions options_;
  std::vector<std::string> snapshot_layers_;
  std::string place_;
  std::string archive_; ///< the latest: "zip", "tar"
  std::unique_ptr<ZipFile> zip_;
  std::vector<TarEntry> tar_;
  std::vector<std::size_t> entries_; ///< of the archive, by index in names_
  std::vector<std::string> names_;
};

Contents::Contents(const std::string& path, const InputOptions& options) {
  const InputOptions own = letting_packed_pass(options);
  StoredInput stored = read_stored(path, own);
  layers_ = std::make_unique<Layers>(std::move(stored.input), stored.stored_bytes, own);
  if (!stored.compression.empty()) layers_->add_name(std::move(stored.compression));
  layers_->unpack();
}

Contents::Contents(Input stored, const InputOptions& options) {
  const std::size_t bytes = stored.bytes().size();
  layers_ = std::make_unique<Layers>(std::move(stored), bytes, letting_packed_pass(options));
  layers_->unpack();
}

Contents::Contents(Contents&&) noexcept = default;
Contents& Contents::operator=(Contents&&) noexcept = default;
Contents::~Contents() = default;

const std::vector<std::string>& Contents::names() const {
  return layers_->names();
}

Contents::Snapshot Contents::take(std::size_t index) {
  return layers_->take(index);
}

} // namespace memviz
