#pragma once

// Recording::keepers -> the kinds of blocks that they prove: a module's parameters and buffers, gradients, an
// optimizer's state, caches of keys and values, with the names of parameters as model.named_parameters() has them.

#include "memviz/recording.hpp"

namespace memviz {

/// Adds to Recording::declared the blocks at the end that the program has not declared. What is both a parameter and a
/// gradient, or both a cache and something else, is left out. The names of very deep modules are "".
void add_keeper_kinds(Recording& recording);

} // namespace memviz
