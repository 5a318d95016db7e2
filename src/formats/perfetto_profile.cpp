#include "memviz/perfetto.hpp"

#include "base/printable.hpp"
#include "formats/perfetto_packets.hpp"
#include "memviz/error.hpp"
#include "recording/profiler_events.hpp"
#include "json/json_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace memviz {

namespace {

constexpr std::uint64_t kFirstTrack = std::uint64_t{1} << 40U; ///< above those of memory
constexpr std::size_t kMostLanes = 16;                         ///< of a thread whose slices overlap
constexpr double kMostMicros = 4e15;                           ///< the year 2096; in nanoseconds, within 64 bits
constexpr std::int64_t kMostNanos = 4'000'000'000'000'000'000;

struct ProfilerSlice {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  Value name;
};

struct ProfilerThread {
  std::string name;
  std::vector<ProfilerSlice> slices;
};

struct ProfilerProcess {
  std::string name;
  std::string labels;
  std::map<std::string, ProfilerThread> threads; ///< by the trace's word for them, as processes are
};

class ProfilerTrace {
public:
  explicit ProfilerTrace(const Document& document)
      : document_(document),
        base_ns_(document.as_signed(document.get(document.root, "baseTimeNanoseconds")).value_or(0)) {
    if (base_ns_ < 0 || base_ns_ > kMostNanos) throw Error("it begins before 1970 or after 2096");
    document.for_each(document.get(document.root, "traceEvents"), [&](Value event) {
      if (event.kind() == Kind::dict) read(event);
      return true;
    });
  }

  ProfilerTimes write(const TextSink& write) {
    PerfettoPackets packets(write);
    for (auto& [word, process] : processes_) {
      const std::uint64_t parent = next_track_++;
      std::string name = process.name.empty() ? "process" : process.name;
      name += ' ' + word + (process.labels.empty() ? "" : " (" + process.labels + ')');
      packets.write_track(parent, 0, name);
      for (auto& [thread_word, thread] : process.threads)
        write_thread(packets, parent, thread.name.empty() ? "thread " + thread_word : thread.name, thread.slices);
    }
    packets.finish();
    return times_;
  }

private:
  [[nodiscard]] Value in(Value dict, std::string_view key) const {
    return dict.kind() == Kind::dict ? document_.get(dict, key) : Value();
  }
  [[nodiscard]] std::string word(Value value) const {
    if (value.kind() == Kind::text) return safe_line(document_.text(value));
    const auto number = document_.as_signed(value);
    return number ? std::to_string(*number) : "";
  }
  /// Returns microseconds as nanoseconds.
  [[nodiscard]] std::optional<std::int64_t> nanos(Value value) const {
    double micros = 0;
    if (value.kind() == Kind::real)
      micros = document_.real(value);
    else if (const auto whole = document_.as_signed(value))
      micros = static_cast<double>(*whole);
    else
      return std::nullopt;
    if (!(std::abs(micros) < kMostMicros)) return std::nullopt; // also NaN
    // A double has microseconds since 1970 exactly, but not nanoseconds.
    const double whole = std::floor(micros);
    return static_cast<std::int64_t>(whole) * kNanosOfMicro + std::llround((micros - whole) * kNanosOfMicro);
  }

  void read(Value event) {
    const std::string phase = word(in(event, "ph"));
    if (phase == "M") return read_name(event);
    const Value name = in(event, "name");
    const auto begin = nanos(in(event, "ts"));
    const auto length = nanos(in(event, "dur"));
    if (phase != "X" || !begin || !length || *length < 0 || name.kind() != Kind::text) return;
    const std::int64_t begin_ns = base_ns_ + *begin;
    if (begin_ns < 0 || begin_ns > kMostNanos) return;
    const ProfilerSlice slice{begin_ns, begin_ns + *length, name};
    if (times_.slices++ == 0) times_.first_us = slice.begin_ns / kNanosOfMicro;
    times_.first_us = std::min(times_.first_us, slice.begin_ns / kNanosOfMicro);
    times_.last_us = std::max(times_.last_us, slice.end_ns / kNanosOfMicro);
    processes_[word(in(event, "pid"))].threads[word(in(event, "tid"))].slices.push_back(slice);
  }

  void read_name(Value event) {
    const std::string kind = word(in(event, "name"));
    const Value args = in(event, "args");
    ProfilerProcess& process = processes_[word(in(event, "pid"))];
    if (kind == "process_name") process.name = word(in(args, "name"));
    if (kind == "process_labels") process.labels = word(in(args, "labels"));
    if (kind == "thread_name") process.threads[word(in(event, "tid"))].name = word(in(args, "name"));
  }

  /// Slices of a track are within each other or apart; those of a GPU's streams may overlap: these get a lane below. In
  /// the last lane they end with the slice that they begin in.
  void write_thread(PerfettoPackets& packets, std::uint64_t parent, std::string_view name,
                    std::vector<ProfilerSlice>& slices) {
    std::ranges::stable_sort(slices, {},
                             [](const ProfilerSlice& one) { return std::tuple(one.begin_ns, -one.end_ns); });
    std::array<std::vector<std::int64_t>, kMostLanes> open; // the ends of the slices that are open in each lane
    const std::uint64_t first_track = next_track_;
    std::size_t lanes = 0;
    const auto end_until = [&](std::size_t lane, std::int64_t time_ns) {
      for (; !open[lane].empty() && open[lane].back() <= time_ns; open[lane].pop_back())
        packets.end_slice(first_track + lane, static_cast<std::uint64_t>(open[lane].back()));
    };
    for (const ProfilerSlice& slice : slices) {
      std::size_t lane = 0;
      for (end_until(0, slice.begin_ns); lane + 1 < kMostLanes; end_until(++lane, slice.begin_ns))
        if (open[lane].empty() || open[lane].back() >= slice.end_ns) break;
      for (; lanes <= lane; ++lanes)
        packets.write_track(first_track + lanes, parent, name);
      const std::int64_t end_ns = open[lane].empty() ? slice.end_ns : std::min(slice.end_ns, open[lane].back());
      packets.begin_slice(first_track + lane, safe_line(document_.text(slice.name)),
                          static_cast<std::uint64_t>(slice.begin_ns));
      open[lane].push_back(end_ns);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane)
      end_until(lane, std::numeric_limits<std::int64_t>::max());
    next_track_ += lanes;
  }

  const Document& document_;
  std::int64_t base_ns_;
  std::map<std::string, ProfilerProcess> processes_; // balanced, whatever the words
  std::uint64_t next_track_ = kFirstTrack;
  ProfilerTimes times_;
};

} // namespace

ProfilerTimes write_perfetto_profile(std::string_view json, const TextSink& write) {
  const Document document = json::read(json);
  if (!is_profiler_trace(document)) throw Error("not a trace of a profiler: it has no list of traceEvents");
  return ProfilerTrace(document).write(write);
}

} // namespace memviz
