#include "memviz/flops.hpp"

#include "program/archive.hpp"
#include "program/counting.hpp"
#include "program/formulas.hpp"
#include "program/module_path.hpp"
#include "program/program.hpp"
#include "program/program_reader.hpp"
#include "program/roles.hpp"
#include "program/saved.hpp"
#include "program/work_budget.hpp"

#include "memviz/error.hpp"
#include "memviz/redact.hpp"
#include "value/document.hpp"
#include "json/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {
namespace program {
namespace {

/// A program exported without real tensors names one file for all of them: weights of different sizes do not share a
/// storage although they share the name.
void forget_shared_names(Program& program) {
  const auto sizes_of = [&](const Weight& weight) -> const std::vector<Polynomial>& {
    return program.graphs.front().tensors[weight.tensor].sizes;
  };
  std::map<std::string, const Weight*> first;
  std::set<std::string> unclear;
  for (const Weight& weight : program.weights) {
    if (!weight.storage) continue;
    const Weight& known = *first.try_emplace(*weight.storage, &weight).first->second;
    if (product_of(sizes_of(known)) != product_of(sizes_of(weight))) unclear.insert(*weight.storage);
  }
  for (Weight& weight : program.weights) {
    if (weight.storage && unclear.contains(*weight.storage)) weight.storage.reset();
  }
}

/// Sets the storage of the program's weights to the one that the archive's table of weights names for them, if any.
/// `json` is the text of model_weights_config.json. Throws Error (ParseError) if it is not JSON.
void read_weight_table(std::string_view json, Program& program) {
  const Document document = json::read(json);
  if (document.root.kind() != Kind::dict) return;
  const Value config = document.get(document.root, "config");
  if (config.kind() != Kind::dict) return;
  for (Weight& weight : program.weights) {
    const Value entry = document.get(config, document.find_text(weight.name));
    if (entry.kind() != Kind::dict) continue;
    const Value path = document.get(entry, "path_name");
    if (path.kind() == Kind::text) weight.storage = std::string(document.text(path));
  }
  forget_shared_names(program);
}

/// Rewrites the program before anything else reads it. The cost stays the same. Throws Error if a hidden text is left;
/// see Redactor.
void redact(Program& program, Redactor& redactor) {
  const auto hide = [&](ProgramText kind, std::string& text) { text = redactor.text(kind, text); };
  for (Module& module : program.modules) {
    hide(ProgramText::module_path, module.path);
    hide(ProgramText::class_name, module.type);
  }
  for (Graph& graph : program.graphs) {
    for (Node& node : graph.nodes)
      hide(ProgramText::operator_name, node.target);
    for (Tensor& tensor : graph.tensors)
      tensor.name.clear(); // never requested
  }
  for (Weight& weight : program.weights)
    hide(ProgramText::module_path, weight.name);
  const auto size_name = [&](const std::string& name) { return redactor.text(ProgramText::size, name); };
  program.symbols.rename(size_name);
  std::map<std::string, SizeRange> ranges;
  for (const auto& [name, range] : program.ranges)
    ranges.emplace(size_name(name), range);
  program.ranges = std::move(ranges);

  std::vector<std::string_view> texts;
  for (const Module& module : program.modules)
    texts.insert(texts.end(), {module.path, module.type});
  for (const Graph& graph : program.graphs) {
    for (const Node& node : graph.nodes)
      texts.emplace_back(node.target);
  }
  redactor.check_texts(texts);
}

/// The sizes by symbol, as FlopOptions::sizes.
using GivenSizes = std::map<std::string, std::int64_t>;

void set_size(Program& program, const std::string& name, std::int64_t size) {
  const std::optional<SymbolId> symbol = program.symbols.find(name);
  if (!symbol || program.symbols.meaning(*symbol) != Meaning::name) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < program.symbols.count(); ++i) {
      if (program.symbols.meaning(SymbolId{i}) == Meaning::name) names.push_back(program.symbols.text(SymbolId{i}));
    }
    throw UsageError(names.empty() ? fmt::format("--set {}={}: all sizes of the program are numbers", name, size)
                                   : fmt::format("--set {}={}: the program has no size '{}'; it has {}", name, size,
                                                 name, fmt::join(names, ", ")));
  }
  const auto range = program.ranges.find(name);
  if (range != program.ranges.end() && (size < range->second.least || size > range->second.most))
    throw UsageError(fmt::format("--set {}={}: the program is valid for {} from {} to {}", name, size, name,
                                 range->second.least, range->second.most));
  program.symbols.set_value(*symbol, size);
}

class Reporter {
public:
  Reporter(const Program& program, const Counting& counting) : program_(program), counting_(counting) {}

  ModelFlops run(const GivenSizes& sizes) {
    model_.torch_version = program_.torch_version;
    model_.schema_version = program_.schema_version;
    model_.notes = counting_.notes;
    add_symbols(sizes);
    add_modules();
    add_products();
    add_weights();
    add_saved();
    add_uncounted();
    add_transformer();
    return std::move(model_);
  }

private:
  [[nodiscard]] Count count_of(const Polynomial& polynomial) const {
    const std::optional<std::int64_t> value = program_.symbols.value(polynomial);
    Count count;
    if (value && *value >= 0) count.value = static_cast<std::uint64_t>(*value);
    if (!polynomial.is_number()) {
      count.formula = program_.symbols.text(polynomial);
      spend(count.formula.size() / kTextBytesAStep);
    }
    return count;
  }

  void add_symbols(const GivenSizes& sizes) {
    for (std::uint32_t i = 0; i < program_.symbols.count(); ++i) {
      const SymbolId id{i};
      if (program_.symbols.meaning(id) != Meaning::name) continue;
      ProgramSymbol symbol;
      symbol.name = program_.symbols.text(id);
      symbol.value = program_.symbols.value(Polynomial::of(id));
      symbol.is_given = sizes.contains(symbol.name);
      const auto range = program_.ranges.find(symbol.name);
      if (range != program_.ranges.end()) {
        symbol.least = range->second.least;
        symbol.most = range->second.most;
      }
      model_.symbols.push_back(symbol);
    }
  }

  void add_modules() {
    for (const Module& module : program_.modules) {
      ModuleFlops made;
      made.path = module.path;
      made.type = module.type;
      made.parent = module.parent;
      by_path_.emplace(module.path, static_cast<ModuleId>(model_.modules.size()));
      model_.modules.push_back(std::move(made));
    }
    saved_.resize(program_.modules.size());
  }

  /// Adds to a module and all that contain it.
  static void add_upward(const Program& program, std::vector<Polynomial>& sums, ModuleId module,
                         const Polynomial& more) {
    for (;; module = program.modules[module].parent) {
      sums[module] += more;
      if (module == kWholeModel) return;
    }
  }

  struct Sum {
    std::uint64_t calls = 0;
    Polynomial flops;
  };
  using ByOperator = std::map<std::string, Sum, std::less<>>;

  [[nodiscard]] std::vector<OperatorFlops> operators_of(const ByOperator& sums) const {
    std::vector<OperatorFlops> operators;
    for (const auto& [name, sum] : sums)
      operators.push_back({name, sum.calls, count_of(sum.flops)});
    std::ranges::stable_sort(operators, [](const OperatorFlops& left, const OperatorFlops& right) {
      return left.flops.value.value_or(0) > right.flops.value.value_or(0);
    });
    return operators;
  }

  void add_products() {
    std::vector<Polynomial> totals(program_.modules.size());
    std::vector<Polynomial> own(program_.modules.size());
    std::vector<ByOperator> own_operators(program_.modules.size());
    ByOperator operators;
    for (const Product& product : counting_.products) {
      const std::string name(operator_of(product.node->target));
      add_upward(program_, totals, product.module, product.flops);
      own[product.module] += product.flops;
      for (ByOperator* const sums : {&operators, &own_operators[product.module]}) {
        Sum& sum = (*sums)[name];
        sum.calls += product.calls;
        sum.flops += product.flops;
      }
    }
    model_.operators = operators_of(operators);
    for (std::size_t i = 0; i < totals.size(); ++i) {
      model_.modules[i].flops = count_of(totals[i]);
      model_.modules[i].own_flops = count_of(own[i]);
      model_.modules[i].own_operators = operators_of(own_operators[i]);
    }
    model_.flops = model_.modules.front().flops;
  }

  /// Returns the innermost module of the program that a weight's name is in; modules without nodes do not exist there.
  [[nodiscard]] ModuleId holder_of(std::string_view name) const {
    name = name.substr(0, kLongestModulePath + 1);
    while (name.find('.') != std::string_view::npos) {
      name = name.substr(0, name.rfind('.'));
      const auto found = by_path_.find(name);
      if (found != by_path_.end()) return found->second;
    }
    return kWholeModel;
  }

  void add_weights() {
    std::set<std::string> known;
    for (const Weight& weight : program_.weights) {
      const Tensor& tensor = program_.graphs.front().tensors[weight.tensor];
      const std::optional<std::int64_t> elements = program_.symbols.value(product_of(tensor.sizes));
      const std::optional<std::int64_t> size =
          program_.symbols.value(product_of(tensor.sizes) * Polynomial(tensor.element_bytes));
      if (!elements || !size) continue;
      // Strict exports up to PyTorch 2.7 give both inputs of a tied weight its first name.
      if (!known.insert(weight.storage ? *weight.storage : "name " + weight.name).second) continue;
      const auto bytes = static_cast<std::uint64_t>(*size);
      if (!weight.is_parameter) {
        model_.buffer_bytes += bytes;
        continue;
      }
      model_.parameter_bytes += bytes;
      model_.parameters += static_cast<std::uint64_t>(*elements);
      for (std::size_t module = holder_of(weight.name);; module = model_.modules[module].parent) {
        model_.modules[module].parameter_bytes += bytes;
        model_.modules[module].parameters += static_cast<std::uint64_t>(*elements);
        if (module == 0) break;
      }
    }
  }

  void add_saved() {
    const SavedTensors saved = saved_tensors(program_);
    for (const Saved& one : saved.all)
      add_upward(program_, saved_, one.module, one.bytes);
    for (std::size_t i = 0; i < saved_.size(); ++i)
      model_.modules[i].saved_bytes = count_of(saved_[i]);
    model_.saved_bytes = model_.modules.front().saved_bytes;
    model_.notes.insert(model_.notes.end(), saved.notes.begin(), saved.notes.end());
  }

  void add_uncounted() {
    for (const Uncounted& one : counting_.uncounted)
      model_.uncounted.push_back({one.name, one.calls, one.reason});
    std::stable_partition(model_.uncounted.begin(), model_.uncounted.end(),
                          [](const UncountedOperator& one) { return one.reason != UncountedReason::no_product; });
  }

  void add_transformer() {
    const Roles roles = roles_of(program_, counting_.products);
    model_.transformer.blocks = roles.blocks;
    model_.transformer.block_count = roles.block_count;
    for (const auto& [name, flops] : roles.lines)
      model_.transformer.lines.push_back({name, count_of(flops)});
  }

  const Program& program_;
  const Counting& counting_;
  ModelFlops model_;
  std::vector<Polynomial> saved_;
  std::map<std::string, ModuleId, std::less<>> by_path_;
};

} // namespace
} // namespace program

namespace {

// The programs of testdata/flops use one step per 90 bytes or more.
constexpr std::uint64_t kFreeSteps = 250'000;
constexpr std::uint64_t kBytesAStep = 2;

/// Says that an offset is in an entry of the archive.
template <class Read> void reading_entry(std::string_view entry, const Read& read) {
  try {
    read();
  } catch (const ParseError& error) {
    throw Error(fmt::format("{} in the archive: {}", entry, error.what()));
  }
}

} // namespace

void reject_foreign_archive(std::string_view head) {
  if (head.starts_with("PK")) return;
  if (head.empty()) throw Error("the file is empty");
  throw ParseError(0, fmt::format("expected a zip archive, as torch.export.save writes it, found byte {:#04x}",
                                  static_cast<unsigned char>(head.front())));
}

ModelFlops count_flops(std::string_view bytes, const FlopOptions& options) {
  reject_foreign_archive(bytes);
  const program::Archive archive = program::read_archive(bytes, options.model);
  const program::WorkBudget budget(kFreeSteps + archive.program_json.size() / kBytesAStep);
  program::Program program;
  reading_entry("the program", [&] { program = program::read_program(archive.program_json); });
  if (!archive.weights_json.empty())
    reading_entry("the table of weights", [&] { program::read_weight_table(archive.weights_json, program); });
  Redactor* const redactor = options.redactor;
  if (redactor != nullptr) program::redact(program, *redactor);
  program::GivenSizes sizes;
  for (const auto& [name, size] : options.sizes)
    sizes.emplace(redactor == nullptr ? name : redactor->text(ProgramText::size, name), size);
  for (const auto& [name, size] : sizes)
    program::set_size(program, name, size);
  const program::Counting counting = program::count_products(program);
  ModelFlops result = program::Reporter(program, counting).run(sizes);
  result.layout = archive.layout;
  result.model = redactor == nullptr ? archive.model : redactor->text(ProgramText::module_path, archive.model);
  return result;
}

} // namespace memviz
