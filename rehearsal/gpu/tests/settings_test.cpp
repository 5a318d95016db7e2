#include "support.hpp"

#include "device_facts.hpp"
#include "report.hpp"

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

using namespace memviz::rehearsal;

namespace {

using Variables = std::map<std::string, std::string>;

Settings read(const Variables& variables) {
  const auto variable = [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  const std::string profiles = MEMVIZ_REHEARSAL_PROFILES;
  return read_settings(variable, profiles.substr(0, profiles.rfind('/')));
}

std::string refusal(const Variables& variables) {
  try {
    static_cast<void>(read(variables));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

std::string profile_refusal(const std::string& text) {
  const std::string path = "rehearsal_test.profile";
  std::ofstream(path) << text;
  const std::string result = refusal({{"MEMVIZ_REHEARSAL_GPU", "./" + path}});
  std::remove(path.c_str());
  return result;
}

} // namespace

TEST_CASE("settings have defaults") {
  const Settings settings = read({});
  CHECK(settings.profile.name == "h100-80");
  CHECK(settings.devices == std::vector<int>{0});
  CHECK(settings.report_file.empty());
  CHECK(settings.events_pass == EventsPass::at_once);
  CHECK(settings.profile.device == "NVIDIA H100 80GB HBM3");
}

TEST_CASE("every profile that is shipped can be read") {
  for (const char* const name :
       {"h100-80", "h200",     "h20",      "gh200",    "b200",        "b300",           "a100-40",
        "a100-80", "a10g",     "a6000",    "gb10",     "jetson-thor", "jetson-orin-64", "l4",
        "l40s",    "rtx-5090", "rtx-4090", "rtx-3090", "t4",          "v100-16"}) {
    CAPTURE(name);
    const Settings settings = read({{"MEMVIZ_REHEARSAL_GPU", name}});
    CHECK(settings.profile.name == name);
    CHECK(settings.profile.capability_major >= 7);
    CHECK(code_version(settings.profile) / 10 == settings.profile.capability_major);
    CHECK(blocks_per_multiprocessor(settings.profile, 256, 0) == settings.profile.threads_per_multiprocessor / 256);
    CHECK(device_properties12(settings.profile, 0).totalGlobalMem == settings.profile.total_bytes);
    CHECK(device_properties13(settings.profile, 0).major == settings.profile.capability_major);
  }
}

TEST_CASE("settings say what the machine is") {
  const Settings settings = read({{"MEMVIZ_REHEARSAL_DEVICES", "4"},
                                  {"MEMVIZ_REHEARSAL_MEMORY", "17179869184"},
                                  {"MEMVIZ_REHEARSAL_REPORT", "report.jsonl"},
                                  {"CUDA_VISIBLE_DEVICES", "3,1"}});
  CHECK(settings.machine_devices == 4);
  CHECK(settings.devices == std::vector<int>{3, 1});
  CHECK(settings.profile.total_bytes == 17179869184);
  CHECK(settings.report_file == "report.jsonl");
  CHECK(read({{"CUDA_VISIBLE_DEVICES", ""}}).devices.empty());
  CHECK(read({{"MEMVIZ_REHEARSAL_DEVICES", "4"}, {"CUDA_VISIBLE_DEVICES", "0,7,1"}}).devices == std::vector<int>{0});
}

TEST_CASE("of memory that CPU and GPU share, the system has its part") {
  const std::string path = "rehearsal_shared.profile";
  std::string text;
  {
    std::ifstream file(std::string(MEMVIZ_REHEARSAL_PROFILES) + "/t4.profile");
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  std::ofstream(path) << text << "system_bytes = 1000000000\n";
  const Settings settings = read({{"MEMVIZ_REHEARSAL_GPU", "./" + path}, {"MEMVIZ_REHEARSAL_OTHERS", "5"}});
  std::remove(path.c_str());
  CHECK(settings.other_bytes == std::vector<std::uint64_t>{1000000005});
  CHECK(device_properties13(settings.profile, 0).integrated == 1);
  CHECK(device_properties13(read({}).profile, 0).integrated == 0);
}

TEST_CASE("bad settings are said in a sentence") {
  CHECK(read({{"MEMVIZ_REHEARSAL_EVENTS", "late"}}).events_pass == EventsPass::late);
  CHECK(refusal({{"MEMVIZ_REHEARSAL_EVENTS", "soon"}}) ==
        "MEMVIZ_REHEARSAL_EVENTS: 'soon' is neither at-once nor late");
  CHECK(read({{"MEMVIZ_REHEARSAL_ADDRESSES", "windows"}}).packs_addresses);
  CHECK(refusal({{"MEMVIZ_REHEARSAL_ADDRESSES", "mac"}}) ==
        "MEMVIZ_REHEARSAL_ADDRESSES: 'mac' is neither linux nor windows");
  CHECK(read({{"MEMVIZ_REHEARSAL_OUTSIDE", "1000"}}).outside_bytes == 1000);
  CHECK(read({{"MEMVIZ_REHEARSAL_OTHERS", "0,1000"}}).other_bytes == std::vector<std::uint64_t>{0, 1000});
  CHECK(refusal({{"MEMVIZ_REHEARSAL_OTHERS", "1,x"}}) ==
        "MEMVIZ_REHEARSAL_OTHERS: '1,x' is not a list of bytes that a device has");
  CHECK(refusal({{"MEMVIZ_REHEARSAL_OUTSIDE", "much"}}).find("'much'") != std::string::npos);
  CHECK(refusal({{"MEMVIZ_REHEARSAL_OUTSIDE", "99000000000000"}}).find("that the device has") != std::string::npos);
  CHECK(refusal({{"MEMVIZ_REHEARSAL_GPU", "h1"}}).find("h1.profile: no such profile") != std::string::npos);
  CHECK(refusal({{"MEMVIZ_REHEARSAL_DEVICES", "0"}}) == "MEMVIZ_REHEARSAL_DEVICES: '0' is not a number from 1 to 1024");
  CHECK(refusal({{"MEMVIZ_REHEARSAL_DEVICES", "two"}}).find("'two'") != std::string::npos);
  CHECK(refusal({{"MEMVIZ_REHEARSAL_MEMORY", "40G"}}) == "MEMVIZ_REHEARSAL_MEMORY: '40G' is not a number of bytes");
  CHECK(refusal({{"MEMVIZ_REHEARSAL_MEMORY", "1000"}}).find("less than a context takes") != std::string::npos);
}

TEST_CASE("bad profiles are said with file and line") {
  CHECK(profile_refusal("device = X\nspeed = 3\n").find(".profile:2: unknown key 'speed'") != std::string::npos);
  CHECK(profile_refusal("device = X\nmultiprocessors = many\n").find("'many' is not a number") != std::string::npos);
  CHECK(profile_refusal("compute_capability = 9\n").find("is not a compute capability") != std::string::npos);
  CHECK(profile_refusal("device = X\ndevice = Y\n").find("given twice") != std::string::npos);
  CHECK(profile_refusal("# nothing\n").find("'device' is missing") != std::string::npos);
  CHECK(profile_refusal("device\n").find("expected key = value") != std::string::npos);
}

TEST_CASE("a report is one line of JSON") {
  DeviceBook book;
  book.number = 2;
  book.total_bytes = 100;
  book.context_bytes = 10;
  book.used_bytes = 20;
  book.peak_used_bytes = 30;
  book.peak_all_bytes = 45;
  book.most_other_bytes = 5;
  book.peak_handle_bytes = 7;
  const std::string line = report_line("small", {book}, {4, 5, 6}, {"a \"note\""});
  const std::string beginning =
      "{\"pid\": " + std::to_string(getpid()) +
      ", \"profile\": \"small\", \"devices\": [{\"device\": 2, \"total_bytes\": 100, \"context_bytes\": 10, "
      "\"outside_bytes\": 0, \"refused_bytes\": 0, \"used_bytes\": 20, \"peak_used_bytes\": 30, "
      "\"peak_all_bytes\": 45, \"most_other_bytes\": 5, \"peak_handle_bytes\": 7}], \"host_reads\": 4, "
      "\"kernel_launches\": 5, "
      "\"convolutions\": 6, \"host_peak_bytes\": ";
  REQUIRE(line.starts_with(beginning));
  const std::size_t digits = line.find_first_not_of("0123456789", beginning.size()) - beginning.size();
  CHECK(std::stoull(line.substr(beginning.size(), digits)) > 0);
  CHECK(line.substr(beginning.size() + digits) == ", \"notes\": [\"a \\\"note\\\"\"]}\n");
  CHECK_FALSE(append_line("/no/such/folder/file", "x"));
}
