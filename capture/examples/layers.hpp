#pragma once

// The layers of the examples: the MLP of a transformer, its block, and a small language model of blocks.

#include <ATen/ATen.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace memviz::capture::examples {

using Activation = std::function<at::Tensor(const at::Tensor&)>;

struct LayerOptions {
  std::int64_t model = 1024; ///< width of a token
  std::int64_t heads = 2;
  Activation activation = [](const at::Tensor& x) { return at::gelu(x); };
};

/// Maps (batch, sequence, model) to the same shape.
class Layer : public torch::nn::Module {
public:
  [[nodiscard]] virtual at::Tensor forward(const at::Tensor& input) = 0;
};

class Mlp : public Layer {
public:
  explicit Mlp(const LayerOptions& options);
  at::Tensor forward(const at::Tensor& input) override;

private:
  Activation activation_;
  torch::nn::Linear widen_;
  torch::nn::Linear narrow_;
};

/// Applies causal self-attention through scaled_dot_product_attention.
class Attention : public Layer {
public:
  explicit Attention(const LayerOptions& options);
  at::Tensor forward(const at::Tensor& input) override;

private:
  std::int64_t heads_;
  torch::nn::Linear project_in_;
  torch::nn::Linear project_out_;
};

class Block : public Layer {
public:
  explicit Block(const LayerOptions& options);
  at::Tensor forward(const at::Tensor& input) override;

private:
  torch::nn::LayerNorm attention_norm_;
  torch::nn::LayerNorm mlp_norm_;
  std::shared_ptr<Attention> attention_;
  std::shared_ptr<Mlp> mlp_;
};

struct LanguageModelOptions {
  LayerOptions layer;
  std::int64_t layers = 2;
  std::int64_t vocabulary = 256;
  std::int64_t sequence = 128;
};

/// Maps tokens (batch, sequence) to scores of the next token (batch, sequence, vocabulary).
class LanguageModel : public torch::nn::Module {
public:
  explicit LanguageModel(const LanguageModelOptions& options);
  [[nodiscard]] at::Tensor forward(const at::Tensor& tokens);

private:
  torch::nn::Embedding token_embedding_;
  at::Tensor position_embedding_;
  std::vector<std::shared_ptr<Block>> blocks_;
  torch::nn::LayerNorm norm_;
  torch::nn::Linear head_;
};

} // namespace memviz::capture::examples
