#pragma once

// Facts about one kind of allocation -> whether and how it grows from step to step. Two signs are weighed: the floor of
// each step, and the survivors. A leak leaves memory of each step alive at the end; mere variation leaves only young
// blocks.

#include "analysis/steps/step_floors.hpp"

#include <cstddef>

namespace memviz {

[[nodiscard]] StackGrowth growth_of(const KindFloors& kind, std::size_t steps);

} // namespace memviz
