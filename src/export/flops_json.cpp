#include "memviz/flops.hpp"
#include "memviz/flops_report.hpp"
#include "story/flops_words.hpp"

#include "base/index_range.hpp"
#include "base/json_object_schema.hpp"
#include "export/schemas.hpp"

#include <optional>
#include <string_view>

namespace memviz {
namespace {

constexpr std::string_view kFormulaMeaning = "The same as a formula, where it depends on sizes";

constexpr auto kOperator = json_object<OperatorFlops>(
    {.meaning = "An operator", .name = "operator", .layout = JsonLayout::spaced},
    member("operator", "Its name", &OperatorFlops::name),
    member("calls", "How often it is called", &OperatorFlops::calls),
    member("flops", "FLOPs of these calls; null where it depends on a size that is not known",
           part_of(&OperatorFlops::flops, &Count::value)),
    member("flops_formula", kFormulaMeaning, part_of(&OperatorFlops::flops, &Count::formula)).if_any());

constexpr auto kSize = json_object<ProgramSymbol>(
    {.meaning = "A size that the program was exported without", .layout = JsonLayout::spaced},
    member("name", "Such as s0", &ProgramSymbol::name),
    member("value", "The size that it has here; null where unknown", &ProgramSymbol::value),
    member("is_given", "Whether --set gave it", &ProgramSymbol::is_given),
    member("least", "Least that the program allows", &ProgramSymbol::least),
    member("most", "Most that the program allows", &ProgramSymbol::most));

constexpr auto kRole = json_object<RoleFlops>(
    {.meaning = "A line of the table", .layout = JsonLayout::spaced},
    member("name", "kqv, scores, reduce, proj, ffw, ...", &RoleFlops::name),
    member("flops", "FLOPs; null where it depends on a size that is not known",
           part_of(&RoleFlops::flops, &Count::value)),
    member("flops_formula", kFormulaMeaning, part_of(&RoleFlops::flops, &Count::formula)).if_any());

constexpr auto kTransformer =
    json_object<TransformerTable>({}, member("blocks", "Path of its blocks", &TransformerTable::blocks),
                                  member("block_count", "How many", &TransformerTable::block_count),
                                  member("lines", "The table", &TransformerTable::lines, kRole));

struct ModuleInJson {
  const ModuleFlops& module;
  bool is_root;
};

constexpr auto kModuleFigures = json_object<ModuleFlops>(
    {},
    member("flops", "FLOPs in it; null where it depends on a size that is not known",
           part_of(&ModuleFlops::flops, &Count::value)),
    member("flops_formula", kFormulaMeaning, part_of(&ModuleFlops::flops, &Count::formula)).if_any(),
    member("own_flops", "FLOPs in it and in no module within; null where it depends on a size that is not known",
           part_of(&ModuleFlops::own_flops, &Count::value)),
    member("own_flops_formula", kFormulaMeaning, part_of(&ModuleFlops::own_flops, &Count::formula)).if_any(),
    member("parameters", "Numbers in its parameters", &ModuleFlops::parameters),
    member("parameter_bytes", "Bytes of these", &ModuleFlops::parameter_bytes),
    member("saved_bytes", "Bytes that it keeps for backward; null where it depends on a size that is not known",
           part_of(&ModuleFlops::saved_bytes, &Count::value)),
    member("saved_bytes_formula", kFormulaMeaning, part_of(&ModuleFlops::saved_bytes, &Count::formula)).if_any(),
    member("own_operators", "What it calls itself", &ModuleFlops::own_operators, kOperator));

constexpr auto kModule = json_object<ModuleInJson>(
    {.meaning = "A module", .layout = JsonLayout::spaced},
    member(
        "path", "Such as transformer.h.0; empty of the whole",
        [](const ModuleInJson& module) -> const auto& { return module.module.path; }),
    member(
        "type", "Its class", [](const ModuleInJson& module) -> const auto& { return module.module.type; }),
    member(
        "parent", "Index of the module around it; null of the first",
        [](const ModuleInJson& module) { return module.is_root ? std::nullopt : std::optional(module.module.parent); }),
    members_of(
        kModuleFigures, [](const ModuleInJson& module) -> const auto& { return module.module; }));

constexpr auto kUncounted = json_object<UncountedOperator>(
    {.meaning = "An operator that is not counted", .layout = JsonLayout::spaced},
    member("operator", "Its name", &UncountedOperator::name), member("calls", "How often", &UncountedOperator::calls),
    member("why", "Why not", [](const UncountedOperator& one) { return reason_text(one.reason); }));

constexpr auto kProgram = json_object<ModelFlops>(
    {}, //
    member("model", "Which program of the archive", &ModelFlops::model),
    member("layout", "Which layout of archive it is",
           [](const ModelFlops& model) { return layout_text(model.layout); }),
    member("torch_version", "PyTorch that exported it", &ModelFlops::torch_version),
    member("schema_version", "Version of PyTorch's schema of programs", &ModelFlops::schema_version),
    member("flops",
           "Floating point operations of a forward pass; a multiplication and an addition are two; null where it "
           "depends on a size that is not known",
           part_of(&ModelFlops::flops, &Count::value)),
    member("flops_formula", kFormulaMeaning, part_of(&ModelFlops::flops, &Count::formula)).if_any(),
    member("parameters", "Numbers in parameters", &ModelFlops::parameters),
    member("parameter_bytes", "Bytes of parameters", &ModelFlops::parameter_bytes),
    member("buffer_bytes", "Bytes of buffers", &ModelFlops::buffer_bytes),
    member("saved_bytes",
           "Bytes that a forward pass in training keeps for backward; null where it depends on a size that is not "
           "known",
           part_of(&ModelFlops::saved_bytes, &Count::value)),
    member("saved_bytes_formula", kFormulaMeaning, part_of(&ModelFlops::saved_bytes, &Count::formula)).if_any(),
    member("sizes", "Dynamic sizes", &ModelFlops::symbols, kSize),
    member("operators", "By operator, most first", &ModelFlops::operators, kOperator),
    member(
        "transformer", "What each product of a transformer is for; null where it is none",
        [](const ModelFlops& model) { return model.transformer.lines.empty() ? nullptr : &model.transformer; },
        kTransformer),
    member(
        "modules", "Modules, each after the one around it",
        [](const ModelFlops& model) { return indexes(model.modules.size()); },
        made_by(
            [](const ModelFlops& model, std::size_t index) {
              return ModuleInJson{model.modules[index], index == 0};
            },
            kModule)),
    member("not_counted", "What is not in flops", &ModelFlops::uncounted, kUncounted),
    member("notes", "What to know, in sentences", flops_notes));

struct FlopsInJson {
  const std::string& file;
  const ModelFlops& model;
};

constexpr auto kFlops =
    json_described<FlopsInJson>({.schema = "memviz.flops/1.0",
                                 .title = "memviz flops --json",
                                 .meaning = "What a forward pass of a program of torch.export costs"},
                                member(
                                    "file", "The file as the command line names it",
                                    [](const FlopsInJson& flops) -> const auto& { return flops.file; }),
                                members_of(
                                    kProgram, [](const FlopsInJson& flops) -> const auto& { return flops.model; }));

} // namespace

std::string flops_json(const std::string& file, const ModelFlops& model) {
  return document_text(kFlops, {file, model});
}

std::string flops_schema() {
  return schema_text(kFlops);
}

} // namespace memviz
