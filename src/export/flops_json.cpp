#include "memviz/flops.hpp"
#include "memviz/flops_report.hpp"
#include "memviz/flops_words.hpp"

#include "base/json_schema.hpp"
#include "base/json_writer.hpp"

namespace memviz {
namespace {

/// Writes "flops": 800, and "flops_formula" if it depends on sizes.
void write_count(JsonWriter& json, const std::string& name, const Count& count) {
  json.member(name, count.value);
  if (!count.formula.empty()) json.member(name + "_formula", count.formula);
}

void write_operators(JsonWriter& json, const std::vector<OperatorFlops>& operators) {
  json.begin_array();
  for (const OperatorFlops& one : operators) {
    json.begin_object(JsonLayout::spaced).member("operator", one.name).member("calls", one.calls);
    write_count(json, "flops", one.flops);
    json.end_object();
  }
  json.end_array();
}

void write_symbols(JsonWriter& json, const ModelFlops& model) {
  json.key("sizes").begin_array();
  for (const ProgramSymbol& symbol : model.symbols)
    json.begin_object(JsonLayout::spaced)
        .member("name", symbol.name)
        .member("value", symbol.value)
        .member("is_given", symbol.is_given)
        .member("least", symbol.least)
        .member("most", symbol.most)
        .end_object();
  json.end_array();
}

void write_modules(JsonWriter& json, const ModelFlops& model) {
  json.key("modules").begin_array();
  for (std::size_t i = 0; i < model.modules.size(); ++i) {
    const ModuleFlops& module = model.modules[i];
    json.begin_object(JsonLayout::spaced).member("path", module.path).member("type", module.type);
    json.key("parent");
    if (i == 0)
      json.value(nullptr);
    else
      json.value(module.parent);
    write_count(json, "flops", module.flops);
    write_count(json, "own_flops", module.own_flops);
    json.member("parameters", module.parameters).member("parameter_bytes", module.parameter_bytes);
    write_count(json, "saved_bytes", module.saved_bytes);
    json.key("own_operators");
    write_operators(json, module.own_operators);
    json.end_object();
  }
  json.end_array();
}

void write_transformer(JsonWriter& json, const TransformerTable& transformer) {
  json.key("transformer");
  if (transformer.lines.empty()) {
    json.value(nullptr);
    return;
  }
  json.begin_object().member("blocks", transformer.blocks).member("block_count", transformer.block_count);
  json.key("lines").begin_array();
  for (const RoleFlops& line : transformer.lines) {
    json.begin_object(JsonLayout::spaced).member("name", line.name);
    write_count(json, "flops", line.flops);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_uncounted(JsonWriter& json, const ModelFlops& model) {
  json.key("not_counted").begin_array();
  for (const UncountedOperator& one : model.uncounted)
    json.begin_object(JsonLayout::spaced)
        .member("operator", one.name)
        .member("calls", one.calls)
        .member("why", reason_text(one.reason))
        .end_object();
  json.end_array();
}

} // namespace

std::string flops_json(const std::string& file, const ModelFlops& model) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.flops/1.0").member("file", file).member("model", model.model);
    json.member("layout", layout_text(model.layout))
        .member("torch_version", model.torch_version)
        .member("schema_version", model.schema_version);
    write_count(json, "flops", model.flops);
    json.member("parameters", model.parameters)
        .member("parameter_bytes", model.parameter_bytes)
        .member("buffer_bytes", model.buffer_bytes);
    write_count(json, "saved_bytes", model.saved_bytes);
    write_symbols(json, model);
    json.key("operators");
    write_operators(json, model.operators);
    write_transformer(json, model.transformer);
    write_modules(json, model);
    write_uncounted(json, model);
    json.member("notes", flops_notes(model)).end_object();
  });
}

} // namespace memviz
