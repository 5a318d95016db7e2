#include "machine.hpp"

#include "fault.hpp"
#include "real_library.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>
#include <utility>

namespace memviz::rehearsal {
namespace {

std::mutex machine_mutex;
Machine* the_machine = nullptr;
pid_t maker = 0;
std::atomic<void (*)()> read_watcher{nullptr};
thread_local bool has_read = false; // since this thread took the lock
pid_t user = 0;                     // the first process that called CUDA; NVML does not count

[[noreturn]] void refuse(const std::string& reason) {
  const std::string line = "memviz rehearse: " + reason + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) _exit(2);
  _exit(2);
}

void make_machine() {
  if (const std::string driver = real_library("libcuda.so"); !driver.empty())
    refuse("a real CUDA driver is in this process already (" + driver +
           "); a rehearsal cannot run next to it: is the library's folder first in LD_LIBRARY_PATH?");
  try {
    the_machine = new Machine(read_settings([](const char* name) { return getenv(name); }, library_folder()));
  } catch (const std::exception& error) {
    refuse(error.what());
  }
  maker = getpid();
  const AddressSpace& addresses = the_machine->memory.addresses();
  explain_faults(addresses.begin(), addresses.bytes());
  // A fork while another thread holds the lock would leave it locked in the child.
  pthread_atfork([] { machine_mutex.lock(); }, [] { machine_mutex.unlock(); }, [] { machine_mutex.unlock(); });
}

bool write_report() {
  if (!the_machine || the_machine->settings.report_file.empty()) return false;
  return append_line(the_machine->settings.report_file,
                     report_line(the_machine->settings.profile.name, the_machine->memory.devices(), the_machine->counts,
                                 the_machine->notes));
}

// Runs when the process ends, after PyTorch's own end. Never frees the machine, because other threads may still use it.
__attribute__((destructor)) void at_exit() {
  if (!the_machine || (user ? user : maker) != getpid() || !write_report()) return;
  the_machine->live_report.remove(the_machine->settings.report_file);
}

} // namespace

Machine::Machine(Settings settings_of_it)
    : settings(std::move(settings_of_it)), memory(settings),
      streams(static_cast<int>(settings.devices.size()), settings.events_pass) {
}

Locked::Locked() : lock_(machine_mutex) {
  if (!the_machine) make_machine();
  machine_ = the_machine;
}

int& current_device() {
  thread_local int device = 0;
  return device;
}

// Calls the watcher of reads without the lock, because it may wait for another thread that waits for the lock.
Locked::~Locked() {
  try {
    machine_->live_report.keep(machine_->settings.report_file, machine_->settings.profile.name,
                               machine_->memory.devices(), machine_->counts, machine_->notes);
  } catch (const std::exception&) { // no memory for a line: the next one includes its figures
  }
  lock_.unlock();
  if (!std::exchange(has_read, false)) return;
  if (auto* const watcher = read_watcher.load()) watcher();
}

void note_read(Machine& of) {
  ++of.counts.host_reads;
  has_read = true;
}

bool is_forked() {
  if (user == 0) user = getpid();
  return user != getpid();
}

Error& last_error() {
  thread_local Error error = Error::success;
  return error;
}

void touch(Machine& of, int device) {
  of.memory.open_context(device);
}

Error launch(Machine& on, Handle stream_handle, int node_type) {
  Stream* const stream = on.streams.find(stream_handle, current_device());
  if (!stream) return Error::invalid_handle;
  touch(on, stream->device);
  if (const Error error = on.streams.add_node(*stream, node_type); error != Error::success) return error;
  if (node_type != 0) return Error::success;
  if (const Error error = on.memory.charge_outside(stream->device); error != Error::success) return error;
  ++on.counts.kernel_launches;
  if (!stream->capture) on.memory.writes().forget_all();
  return Error::success;
}

void note(Machine& of, const std::string& text, bool say) {
  if (of.notes.insert(text).second && say) std::fprintf(stderr, "memviz rehearse: %s\n", text.c_str());
}

} // namespace memviz::rehearsal

using namespace memviz::rehearsal;

const char* memviz_rehearsal_profile() {
  const Locked locked;
  return locked->settings.profile.name.c_str();
}

void memviz_rehearsal_set_outside(std::uint64_t bytes) {
  const Locked locked;
  locked->memory.set_outside(bytes);
}

void memviz_rehearsal_set_graph_model(std::uint64_t graph_bytes, std::uint64_t node_bytes) {
  const Locked locked;
  locked->memory.set_graph_model({graph_bytes, node_bytes});
}

void memviz_rehearsal_graphs(std::uint64_t* graphs_nodes_bytes) {
  const Locked locked;
  GraphUse sum;
  for (const DeviceBook& book : locked->memory.devices()) {
    sum.graphs += book.most_graphs.graphs;
    sum.nodes += book.most_graphs.nodes;
    sum.bytes += book.most_graphs.bytes;
  }
  graphs_nodes_bytes[0] = sum.graphs;
  graphs_nodes_bytes[1] = sum.nodes;
  graphs_nodes_bytes[2] = sum.bytes;
}

std::uint64_t memviz_rehearsal_take_peak(int device) {
  const Locked locked;
  return locked->memory.is_device(device) ? locked->memory.take_recent_peak(device) : 0;
}

int memviz_rehearsal_is_optional(std::uint64_t segment_bytes) {
  // PyTorch's kMinLargeAlloc, kRoundLarge and kLargeBuffer: small workspaces share segments with tensors.
  constexpr std::uint64_t kOwnSegmentBytes = 10 << 20;
  constexpr std::uint64_t kStepBytes = 2 << 20;
  const Locked locked;
  const auto& workspaces = locked->optional_workspaces;
  return std::any_of(workspaces.lower_bound(kOwnSegmentBytes), workspaces.end(), [&](std::uint64_t bytes) {
    return (bytes + kStepBytes - 1) / kStepBytes * kStepBytes == segment_bytes;
  });
}

void memviz_rehearsal_watch_reads(void (*on_read)()) {
  read_watcher = on_read;
}

int memviz_rehearsal_report() {
  const Locked locked;
  return write_report() ? 0 : -1;
}
