#include "rnn_space.hpp"

#include <doctest/doctest.h>

using namespace memviz::rehearsal;

namespace {

RnnShape shape_of(RnnCell cell, std::uint64_t layers, std::uint64_t directions, std::uint64_t steps,
                  std::uint64_t batch) {
  RnnShape shape;
  shape.cell = cell;
  shape.layers = layers;
  shape.directions = directions;
  shape.input = 256;
  shape.hidden = 512;
  shape.batch = batch;
  shape.steps = steps;
  shape.total_steps = steps * batch;
  const std::uint64_t gates = cell == RnnCell::lstm ? 4 : cell == RnnCell::gru ? 3 : 1;
  const std::uint64_t later_rows = shape.hidden * directions + shape.hidden;
  shape.matrix_bytes = 4 * gates * shape.hidden * directions * (shape.input + shape.hidden + (layers - 1) * later_rows);
  return shape;
}

} // namespace

// The sizes are those that an H100 requested.
TEST_CASE("recurrent networks request the workspaces that were measured") {
  CHECK(rnn_workspace_bytes(shape_of(RnnCell::lstm, 2, 2, 100, 32), true) == 169476608);
  CHECK(rnn_workspace_bytes(shape_of(RnnCell::gru, 2, 2, 100, 32), true) == 148898304);
  CHECK(rnn_workspace_bytes(shape_of(RnnCell::simple, 2, 2, 100, 32), true) == 130023936);
  CHECK(rnn_workspace_bytes(shape_of(RnnCell::simple, 2, 1, 100, 8), true) == 27951424);
  CHECK(rnn_workspace_bytes(shape_of(RnnCell::simple, 2, 1, 1, 8), false) == 20586816);
}

TEST_CASE("small recurrent networks run a persistent algorithm with its own workspace") {
  RnnShape shape = shape_of(RnnCell::gru, 3, 1, 10, 32);
  shape.is_persistent = true;
  shape.input = shape.hidden = 64;
  shape.matrix_bytes = 4 * 3 * 64 * 3 * 128;
  CHECK(rnn_workspace_bytes(shape, false) == 26952192);
}

TEST_CASE("packed sequences need no copies without padding") {
  RnnShape shape = shape_of(RnnCell::gru, 2, 2, 50, 8);
  shape.total_steps = 162;
  shape.is_packed = true;
  CHECK(rnn_workspace_bytes(shape, true) == 65511680);
}

TEST_CASE("training keeps what the backward pass needs, and which elements dropout kept") {
  RnnShape shape = shape_of(RnnCell::lstm, 2, 2, 50, 8);
  shape.total_steps = 162;
  shape.is_packed = true;
  CHECK(rnn_reserve_bytes(shape) == 7299328);
  shape.has_dropout = true;
  CHECK(rnn_reserve_bytes(shape) == 7401728);
}
