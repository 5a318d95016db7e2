#include "cli/frame/many_files.hpp"

#include "base/snapshot_names.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>

namespace memviz::cli {

namespace {

namespace fs = std::filesystem;

bool is_packed(std::string_view name) {
  return without_packing(name).size() < name.size();
}

bool is_snapshot_name(const std::string& name) {
  return !name.starts_with('.') && has_snapshot_ending(name);
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      std::error_code unreadable;
      const bool is_file = entry.is_regular_file(unreadable);
      if ((is_file || unreadable) && is_snapshot_name(entry.path().filename().string()))
        files.push_back(entry.path().string());
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(fmt::format("{}: {}", folder, error.code().message()));
  }
  if (files.empty())
    throw Error(fmt::format("{}: no file in this folder has the name of a snapshot (*.pickle, *.pkl, *.pt, *.json, "
                            "*.ndjson, also with .gz, .zst, .xz or .bz2), or of an archive (*.zip, *.tar, *.tgz)",
                            folder));
  std::ranges::sort(files);
  return files;
}

/// Returns an estimate of the bytes of a file after it is unpacked.
std::uint64_t weight_of(const std::string& file) {
  constexpr std::uint64_t kUnpacked = 16;
  std::error_code unknown;
  const std::uintmax_t size = fs::file_size(file, unknown);
  if (unknown) return 0;
  return is_packed(file) ? size * kUnpacked : size;
}

class Workers {
public:
  Workers(const std::vector<std::string>& files, unsigned threads,
          const std::function<void(std::size_t, unsigned)>& work)
      : threads_(threads), work_(work), is_done_(files.size()) {
    for (const std::string& file : files) {
      weights_.push_back(weight_of(file));
      most_bytes_ = std::max(most_bytes_, weights_.back());
    }
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    stop();
    for (std::thread& thread : running_)
      thread.join();
  }

  void start() {
    const std::size_t count = std::min<std::size_t>(threads_, weights_.size());
    for (std::size_t i = 0; i < count; ++i)
      running_.emplace_back([this] { run(); });
  }

  /// Returns when the work on `file` is finished; throws the exception of a worker.
  void wait_for(std::size_t file) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return error_ || is_done_[file]; });
    if (error_) std::rethrow_exception(error_);
  }

private:
  void stop() {
    const std::scoped_lock lock(mutex_);
    next_ = weights_.size();
    changed_.notify_all();
  }

  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return next_ == weights_.size() || has_room(weights_[next_]); });
      if (next_ == weights_.size()) return;
      const std::size_t file = next_++;
      busy_bytes_ += weights_[file];
      lock.unlock();
      std::exception_ptr error = worked_on(file);
      lock.lock();
      busy_bytes_ -= weights_[file];
      is_done_[file] = true;
      if (error && !error_) error_ = std::move(error);
      if (error_) next_ = weights_.size();
      changed_.notify_all();
    }
  }

  [[nodiscard]] bool has_room(std::uint64_t bytes) const {
    return busy_bytes_ == 0 || bytes <= most_bytes_ - std::min(most_bytes_, busy_bytes_);
  }

  std::exception_ptr worked_on(std::size_t file) {
    try {
      // A file that leaves no room for others gets all threads.
      work_(file, weights_[file] > most_bytes_ / 2 || weights_.size() == 1 ? threads_ : 1);
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  const unsigned threads_;
  const std::function<void(std::size_t, unsigned)>& work_;
  std::vector<std::uint64_t> weights_; ///< by file
  std::uint64_t most_bytes_ = std::uint64_t{64} << 20U;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0; ///< per file
  std::uint64_t busy_bytes_ = 0;
  std::vector<bool> is_done_;
  std::exception_ptr error_;
  std::vector<std::thread> running_;
};

} // namespace

std::vector<std::string> files_of(const std::vector<std::string>& operands) {
  std::vector<std::string> files;
  for (const std::string& operand : operands) {
    std::error_code unknown;
    if (operand == "-" || !fs::is_directory(operand, unknown)) {
      files.push_back(operand);
      continue;
    }
    const std::vector<std::string> below = files_below(operand);
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

void find_files(CommandOptions& options) {
  const std::vector<std::string> given = options.operands;
  options.operands = files_of(given);
  options.has_several = given.size() > 1 || options.operands != given;
}

void work_on_files(const std::vector<std::string>& files, unsigned threads,
                   const std::function<void(std::size_t, unsigned)>& work,
                   const std::function<void(std::size_t)>& done) {
  if (threads <= 1) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      work(i, 1);
      done(i);
    }
    return;
  }
  Workers workers(files, threads, work);
  workers.start();
  for (std::size_t i = 0; i < files.size(); ++i) {
    workers.wait_for(i);
    done(i);
  }
}

} // namespace memviz::cli
