#include "memviz/format.hpp"
#include "memviz/kinds.hpp"
#include "memviz/label.hpp"
#include "memviz/warnings.hpp"
#include "sqlite/report_tables.hpp"
#include "story/moment_words.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>

namespace memviz {

namespace {

constexpr std::size_t kMostUnpaired = 50;

class Facts {
public:
  explicit Facts(Database& database) : rows_(database, "INSERT INTO memviz_report VALUES (?, ?)") {}

  void add(std::string_view key, std::string_view value) { rows_.row(key, column_text(value)); }
  void add(std::string_view key, std::uint64_t number) { add(key, std::to_string(number)); }

private:
  Insertion rows_;
};

void add_moments(Facts& facts, const SqliteSubject& subject) {
  for (const DeviceId device : subject.report.devices)
    if (const DeviceState* const device_state = subject.state.device_at(device)) {
      const std::string name = "device." + device_word(device) + ".";
      facts.add(name + "moment", moment_text(*device_state));
      facts.add(name + "requested_bytes", device_state->figures.requested_bytes);
      facts.add(name + "peak_bytes", device_state->figures.peak_requested_bytes);
    }
}

void add_kinds(Facts& facts, const SqliteSubject& subject) {
  KindAccount account;
  for (const DeviceId device : subject.report.devices)
    add(account, kind_account(subject.state, device));
  for (std::size_t i = 0; i < account.size(); ++i)
    facts.add(fmt::format("kind.{}_bytes", kind_name(static_cast<MemoryKind>(i))), account[i].bytes);
}

void add_gradients(Facts& facts, const MemoryReport& report) {
  std::uint64_t paired_bytes = 0;
  for (const ReportEntry& weight : report.weights)
    paired_bytes += weight.gradient_bytes;
  facts.add("gradients.paired_bytes", paired_bytes);
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  for (const UnpairedGradients& gradients : report.unpaired) {
    bytes += gradients.size_bytes * gradients.count;
    count += gradients.count;
  }
  facts.add("gradients.unpaired_bytes", bytes);
  facts.add("gradients.unpaired", count);
  for (std::size_t i = 0; i < std::min(report.unpaired.size(), kMostUnpaired); ++i) {
    const UnpairedGradients& gradients = report.unpaired[i];
    facts.add(fmt::format("gradients.unpaired.{}", i + 1),
              fmt::format("{} of {} on device {}: {}", format_counted(gradients.count, "gradient"),
                          format_counted(gradients.size_bytes, "byte"), device_word(gradients.device),
                          unpaired_words(gradients.reason)));
  }
}

} // namespace

void write_facts(Database& database, const SqliteSubject& subject, bool has_report) {
  database.run("CREATE TABLE memviz_report (key TEXT PRIMARY KEY, value TEXT NOT NULL)");
  Facts facts(database);
  facts.add("memviz_version", subject.version);
  facts.add("file", subject.file);
  facts.add("written_by", subject.state.recording->origin.generation);
  if (has_report) facts.add("project_root", subject.project.root());
  add_moments(facts, subject);
  add_kinds(facts, subject);
  if (has_report) add_gradients(facts, subject.report);
  std::size_t number = 0;
  for (const std::string& warning : warnings_of(subject.state))
    facts.add(fmt::format("warning.{}", ++number), warning);
}

} // namespace memviz
