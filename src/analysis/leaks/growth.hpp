#pragma once

// Facts about one kind of allocation -> whether and how it grows from step to step. Two signs are weighed: the floor
// of each step, and the survivors. A leak leaves something in each step that is there at the end; mere variation
// leaves young blocks only.

#include "analysis/leaks/step_floors.hpp"

#include <cstddef>

namespace memviz {

[[nodiscard]] StackGrowth growth_of(const KindFloors& kind, std::size_t steps);

} // namespace memviz
