#include "memviz/capture/saved_tensors.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

using memviz::capture::SavedTensors;

namespace {

at::Tensor leaf(at::IntArrayRef sizes) {
  return at::randn(sizes).requires_grad_(true);
}

} // namespace

TEST_CASE("SavedTensors counts what autograd saves") {
  at::manual_seed(0);

  SUBCASE("the result of tanh, once, although a second operator saves it as well") {
    const at::Tensor input = leaf({64});
    const SavedTensors saved;
    const at::Tensor result = at::tanh(input);
    CHECK(saved.bytes() == 256);
    const at::Tensor second = at::sin(result);
    CHECK(saved.bytes() == 256);
    CHECK(saved.storage_count() == 1);
  }
  SUBCASE("views count once, with the whole storage behind them") {
    const at::Tensor input = leaf({4, 64});
    const SavedTensors saved;
    at::Tensor sum = at::zeros({64});
    for (const at::Tensor& row : input.unbind(0))
      sum = sum + at::sin(row);
    CHECK(saved.bytes() == 4 * 64 * 4);
    CHECK(saved.storage_count() == 1);
  }
  SUBCASE("ignored tensors do not count, nor do their views") {
    const at::Tensor input = leaf({8, 16});
    const at::Tensor weight = leaf({32, 16});
    const SavedTensors saved({weight});
    const at::Tensor result = at::mm(input, weight.t());
    CHECK(saved.bytes() == 8 * 16 * 4);
  }
  SUBCASE("without ignored tensors the weight counts") {
    const at::Tensor input = leaf({8, 16});
    const at::Tensor weight = leaf({32, 16});
    const SavedTensors saved;
    const at::Tensor result = at::mm(input, weight.t());
    CHECK(saved.bytes() == (8 * 16 + 32 * 16) * 4);
    CHECK(saved.storage_count() == 2);
  }
  SUBCASE("nothing where no gradient is wanted, nor for tensors without elements") {
    const SavedTensors saved;
    const at::Tensor plain = at::tanh(at::randn({64}));
    const at::Tensor empty = at::tanh(leaf({0}));
    CHECK(saved.bytes() == 0);
    CHECK(saved.storage_count() == 0);
  }
  SUBCASE("a sparse tensor with its indices and values") {
    const at::Tensor indices = at::zeros({2, 3}, at::kLong);
    const at::Tensor sparse = at::sparse_coo_tensor(indices, at::ones({3}), {4, 4});
    const at::Tensor dense = leaf({4, 2});
    const SavedTensors saved;
    const at::Tensor result = at::_sparse_mm(sparse, dense);
    CHECK(saved.bytes() >= 2 * 3 * 8 + 3 * 4);
  }
}

TEST_CASE("SavedTensors follows what is kept") {
  at::manual_seed(0);
  const at::Tensor input = leaf({64});

  SUBCASE("a backward pass inside the scope releases what was saved, the gradient is right") {
    const SavedTensors saved;
    at::tanh(input).sum().backward();
    CHECK(saved.bytes() == 256);
    CHECK(saved.kept_bytes() == 0);
    CHECK(at::allclose(input.grad(), 1 - at::tanh(input.detach()).square()));
  }
  SUBCASE("what is kept has its address, until a backward pass releases it") {
    const SavedTensors saved;
    const at::Tensor result = at::tanh(input);
    REQUIRE(saved.kept().size() == 1);
    CHECK(saved.kept()[0].data == result.data_ptr());
    CHECK(saved.kept()[0].bytes == 256);
    result.sum().backward();
    CHECK(saved.kept().empty());
  }
  SUBCASE("a dropped result is no longer kept: no cycle holds it") {
    const SavedTensors saved;
    { const at::Tensor result = at::exp(input); }
    CHECK(saved.kept_bytes() == 0);
    CHECK(saved.bytes() == 256);
  }
  SUBCASE("a second forward pass in the same memory is no new peak") {
    const SavedTensors saved;
    for (int step = 0; step < 3; ++step)
      at::tanh(input).sum().backward();
    CHECK(saved.bytes() == 256);
  }
  SUBCASE("a backward pass after the scope works") {
    at::Tensor loss;
    {
      const SavedTensors saved;
      loss = at::exp(input).sum();
    }
    loss.backward();
    CHECK(at::allclose(input.grad(), at::exp(input.detach())));
  }
  SUBCASE("second derivatives") {
    const SavedTensors saved;
    const at::Tensor cube = input.pow(3).sum();
    cube.backward({}, true, true);
    const at::Tensor first = input.grad();
    input.mutable_grad() = at::Tensor();
    first.sum().backward();
    CHECK(at::allclose(input.grad(), 6 * input.detach(), 1e-4, 1e-5));
    CHECK(saved.bytes() > 256);
  }
}

TEST_CASE("SavedTensors keeps autograd's check of in-place changes") {
  const at::Tensor input = leaf({64});

  SUBCASE("a saved tensor changed in place is refused by backward") {
    const SavedTensors saved;
    at::Tensor result = at::tanh(input);
    const at::Tensor loss = at::sin(result).sum();
    result.mul_(2);
    std::string message;
    try {
      loss.backward();
    } catch (const c10::Error& error) {
      message = error.what();
    }
    CHECK(message.find("modified by an inplace operation") != std::string::npos);
    CHECK(message.find("version 1; expected version 0") != std::string::npos);
  }
  SUBCASE("an in-place operator that saves its result is right") {
    const SavedTensors saved;
    at::Tensor hidden = input * 1;
    at::leaky_relu_(hidden, 0.5);
    hidden.sum().backward();
    const at::Tensor expected = at::where(input.detach() > 0, at::ones({64}), at::full({64}, 0.5));
    CHECK(at::equal(input.grad(), expected));
  }
  SUBCASE("a second backward pass through released tensors is refused as usual") {
    const SavedTensors saved;
    const at::Tensor loss = at::tanh(input).sum();
    loss.backward();
    CHECK_THROWS_WITH_AS(loss.backward(), doctest::Contains("a second time"), c10::Error);
  }
}

TEST_CASE("SavedTensors scopes") {
  const at::Tensor input = leaf({64});

  SUBCASE("count in every open scope, not after it") {
    const SavedTensors outer;
    const at::Tensor first = at::tanh(input);
    at::Tensor second;
    {
      const SavedTensors inner;
      second = at::exp(input);
      CHECK(inner.bytes() == 256);
    }
    CHECK(outer.bytes() == 512);
    const at::Tensor third = at::sigmoid(input);
    CHECK(outer.bytes() == 768);
  }
  SUBCASE("may end in any order") {
    auto first = std::make_unique<SavedTensors>();
    const SavedTensors second;
    first.reset();
    const at::Tensor result = at::tanh(input);
    CHECK(second.bytes() == 256);
  }
  SUBCASE("do not see other threads") {
    const SavedTensors saved;
    std::atomic<std::uint64_t> other_bytes = 0;
    at::Tensor result;
    std::thread other([&] {
      const SavedTensors own;
      result = at::tanh(input);
      other_bytes = own.bytes();
    });
    other.join();
    CHECK(other_bytes == 256);
    CHECK(saved.bytes() == 0);
  }
}
