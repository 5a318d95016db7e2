#pragma once

// Who this process is among those of a distributed program: parts of the names of the files that it writes.

#include <functional>
#include <optional>
#include <string>

namespace memviz::capture {

/// Returns the value of an environment variable, or nullptr; std::getenv does.
using Variable = std::function<const char*(const char*)>;

/// The rank that a launcher left in the environment, in digits: RANK (torchrun), those of Open MPI, PMIx, PMI (MPICH,
/// Intel MPI) and MVAPICH2, SLURM_PROCID. SLURM's is the last, as what mpirun starts within a batch script inherits the
/// script's own. A value that is no number is passed over; nullopt: there is none.
[[nodiscard]] std::optional<std::string> find_rank(const Variable& variable);

/// Of this machine, without its domain, fit for a file's name; "host" where it has none.
[[nodiscard]] std::string host_name();

} // namespace memviz::capture
