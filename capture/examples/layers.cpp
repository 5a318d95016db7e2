#include "layers.hpp"

#include <string>

namespace memviz::capture::examples {

Mlp::Mlp(const LayerOptions& options)
    : activation_(options.activation), widen_(options.model, 4 * options.model),
      narrow_(4 * options.model, options.model) {
  register_module("widen", widen_);
  register_module("narrow", narrow_);
}

at::Tensor Mlp::forward(const at::Tensor& input) {
  return narrow_->forward(activation_(widen_->forward(input)));
}

Attention::Attention(const LayerOptions& options)
    : heads_(options.heads), project_in_(options.model, 3 * options.model), project_out_(options.model, options.model) {
  register_module("project_in", project_in_);
  register_module("project_out", project_out_);
}

at::Tensor Attention::forward(const at::Tensor& input) {
  const auto split_heads = [&](const at::Tensor& part) {
    return part.unflatten(-1, {heads_, input.size(-1) / heads_}).transpose(1, 2);
  };
  const std::vector<at::Tensor> parts = project_in_->forward(input).chunk(3, -1);
  const at::Tensor mixed = at::scaled_dot_product_attention(split_heads(parts[0]), split_heads(parts[1]),
                                                            split_heads(parts[2]), {}, 0.0, /*is_causal=*/true);
  return project_out_->forward(mixed.transpose(1, 2).flatten(-2));
}

Block::Block(const LayerOptions& options)
    : attention_norm_(torch::nn::LayerNormOptions({options.model})),
      mlp_norm_(torch::nn::LayerNormOptions({options.model})), attention_(std::make_shared<Attention>(options)),
      mlp_(std::make_shared<Mlp>(options)) {
  register_module("attention_norm", attention_norm_);
  register_module("attention", attention_);
  register_module("mlp_norm", mlp_norm_);
  register_module("mlp", mlp_);
}

at::Tensor Block::forward(const at::Tensor& input) {
  const at::Tensor attended = input + attention_->forward(attention_norm_->forward(input));
  return attended + mlp_->forward(mlp_norm_->forward(attended));
}

LanguageModel::LanguageModel(const LanguageModelOptions& options)
    : token_embedding_(options.vocabulary, options.layer.model),
      norm_(torch::nn::LayerNormOptions({options.layer.model})), head_(options.layer.model, options.vocabulary) {
  register_module("token_embedding", token_embedding_);
  position_embedding_ =
      register_parameter("position_embedding", at::randn({options.sequence, options.layer.model}) * 0.02);
  for (std::int64_t i = 0; i < options.layers; ++i) {
    blocks_.push_back(register_module("block_" + std::to_string(i), std::make_shared<Block>(options.layer)));
  }
  register_module("norm", norm_);
  register_module("head", head_);
}

at::Tensor LanguageModel::forward(const at::Tensor& tokens) {
  at::Tensor hidden = token_embedding_->forward(tokens) + position_embedding_;
  for (const std::shared_ptr<Block>& block : blocks_)
    hidden = block->forward(hidden);
  return head_->forward(norm_->forward(hidden));
}

} // namespace memviz::capture::examples
