// A snapshot in ten lines: what a LibTorch program adds to see its memory. Usage: memviz_example_record [FILE]

#include <memviz/capture/recorder.hpp>

#include <torch/torch.h>

int main(int argc, char** argv) {
  const torch::Device device(torch::kCUDA);
  torch::nn::Sequential model(torch::nn::Linear(256, 1024), torch::nn::GELU(), torch::nn::Linear(1024, 256));
  model->to(device);
  torch::optim::AdamW optimizer(model->parameters());

  memviz::capture::Recorder recorder;
  memviz::capture::RecorderOptions options;
  options.names = {model.ptr()};
  recorder.start(options);
  for (int step = 0; step < 3; ++step) {
    const memviz::capture::Annotation annotation("step " + std::to_string(step));
    optimizer.zero_grad();
    model->forward(torch::randn({64, 256}, device)).square().mean().backward();
    optimizer.step();
  }
  recorder.dump(argc > 1 ? argv[1] : "snapshot.pickle");
}
