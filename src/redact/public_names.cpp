#include "redact/public_names.hpp"

#include <algorithm>
#include <cstddef>

#include "base/ascii.hpp"

namespace memviz {
namespace {

/// Whether one of `words`, which are separated by spaces, satisfies `is_wanted`.
template <class Predicate> bool any_of_words(std::string_view words, Predicate is_wanted) {
  while (!words.empty()) {
    const std::string_view next = words.substr(0, words.find(' '));
    if (is_wanted(next)) return true;
    words.remove_prefix(std::min(next.size() + 1, words.size()));
  }
  return false;
}

bool has(std::string_view words, std::string_view word) {
  return any_of_words(words, [&](std::string_view one) { return one == word; });
}

bool starts_with_any(std::string_view text, std::string_view beginnings) {
  return any_of_words(beginnings, [&](std::string_view one) { return text.starts_with(one); });
}

constexpr std::string_view kPackages =
    "IPython PIL _pytest accelerate aiohttp apex asyncio bitsandbytes botorch causal_conv1d click colossalai "
    "composer cupy datasets deepspeed detectron2 dgl diffusers einops einx fairscale fairseq fastai fire "
    "flash_attn flax functorch gpytorch gradio huggingface_hub hydra ignite importlib ipykernel "
    "ipykernel_launcher.py jax jaxtyping jsonargparse jupyter_client kornia liger_kernel lightning "
    "lightning_fabric lm_eval mamba_ssm matplotlib megatron mmcv mmdet mmengine monai nemo numpy omegaconf "
    "open_clip pandas peft pkg_resources pluggy pytest pytorch_lightning ray safetensors scipy "
    "sentence_transformers sglang skimage sklearn spacy sympy tensorboard tensordict tensorflow tiktoken timm "
    "tokenizers torch torch_geometric torch_xla torchao torchaudio torchrl torchtitan torchtune torchvision "
    "tornado tqdm transformer_engine transformers triton typing_extensions.py vllm xformers";

constexpr std::string_view kNamespaces =
    "__cxxabiv1 __gnu_cxx aot_inductor at aten c10 c10d c10_cuda caffe2 cub cuda cute cutlass dnnl fbgemm "
    "flatbuffers fmt functorch gloo ideep jit llvm nccl onnx unwind pybind11 sycl tensorpipe thrust torch "
    "torch_xla torchgen std";

constexpr std::string_view kWords =
    "GLOBAL__sub_I PyCFunctionObject PyFrameObject PyObject PyThreadState PyTypeObject "
    "_PyCFunctionFastWithKeywords _PyInterpreterFrame _frame _object _start _ts _typeobject abi anonymous "
    "auto bool char class clone cold const constprop cxx11 decltype default double "
    "dynamo__custom_eval_frame enum "
    "execute_native_thread_routine extern float half int isra lambda long main namespace noexcept nullptr "
    "operator part short signed size_t start_thread static struct template type type_call typename unnamed "
    "unsigned virtual void volatile wchar_t";

/// CPython's C functions, by the type or part of the interpreter that they belong to.
constexpr std::string_view kPythonParts =
    "Arg Async Bool Buffer Bytes CFunction Call Cell Code Context Coro Descr Dict Err Eval Float Frame "
    "Function GILState Gen Import Iter List Long Mapping Mem Method Module Number Object Run Sequence Tuple "
    "Type Unicode Vectorcall";

constexpr std::string_view kSymbolBeginnings =
    "THP __clone __libc_start cfunction_call cfunction_vectorcall gen_send_ex method_vectorcall object_vacall "
    "partial_call pthread_ pymain_ pyrun_ slot_tp_ vectorcall_";

bool is_cpython(std::string_view name) {
  if (name.starts_with('_')) name.remove_prefix(1);
  if (!name.starts_with("Py")) return false;
  name.remove_prefix(2);
  return has(kPythonParts, name.substr(0, name.find('_')));
}

/// "Adam", "AdamW.step", ...
bool is_optimizer(std::string_view text) {
  static constexpr std::string_view kOptimizers =
      "ASGD Adadelta Adafactor Adagrad Adam AdamW Adamax LBFGS Muon NAdam RAdam RMSprop Rprop SGD SparseAdam";
  const std::size_t dot = text.find('.');
  const std::string_view method = dot == std::string_view::npos ? "step" : text.substr(dot + 1);
  return has(kOptimizers, text.substr(0, dot)) && (method == "step" || method == "zero_grad");
}

} // namespace

bool is_public_package(std::string_view name) {
  return has(kPackages, name);
}

bool is_public_namespace(std::string_view name) {
  return has(kNamespaces, name);
}

bool is_public_symbol(std::string_view name) {
  return has(kWords, name) || is_cpython(name) || starts_with_any(name, kSymbolBeginnings);
}

bool is_public_python_name(std::string_view name) {
  static constexpr std::string_view kNames =
      "<dictcomp> <genexpr> <lambda> <listcomp> <module> <setcomp> <string> ?? backward forward main wrapper";
  constexpr std::size_t kLongestMethod = 24;
  const bool is_dunder = name.size() > 4 && name.size() <= kLongestMethod && name.starts_with("__") &&
                         name.ends_with("__") &&
                         std::ranges::all_of(name, [](char c) { return c == '_' || is_lower(c); });
  return is_dunder || name.empty() || has(kNames, name);
}

bool is_public_attribute(std::string_view name) {
  static constexpr std::string_view kNames = "_checkpoint_wrapped_module _fsdp_wrapped_module _orig_mod kv_cache "
                                             "kv_caches module param_groups params state";
  return is_public_python_name(name) || has(kNames, name);
}

bool is_public_annotation(std::string_view name) {
  const std::size_t hash = name.find('#');
  const std::string_view stem = name.substr(0, hash);
  const std::string_view rest = hash == std::string_view::npos ? "" : name.substr(hash + 1);
  if (name.empty()) return true;
  if (stem == "ProfilerStep") return is_number(rest);
  if (stem == "Optimizer.step" || stem == "Optimizer.zero_grad") return is_optimizer(rest);
  return name == "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__" ||
         name == "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__" ||
         name == "DistributedDataParallel.forward";
}

bool is_public_setting_word(std::string_view word) {
  static constexpr std::string_view kSettings =
      "False None PYTORCH_ALLOC_CONF PYTORCH_CUDA_ALLOC_CONF True a backend cpu cuda cudaMallocAsync dict "
      "expandable_segments garbage_collection_threshold graph_capture_record_stream_reuse inf list "
      "max_non_split_rounding_mb max_split_size max_split_size_mb memviz_cpu_device memviz_recording memviz_rehearsal "
      "memviz_stacks_left_out native of "
      "pinned_num_register_threads pinned_use_background_threads pinned_use_cuda_host_register "
      "release_lock_on_cudamalloc roundup_power2_divisions throw_on_cudamalloc_oom trace_alloc_max_entries "
      "trace_alloc_overflowed tuple use_cuda_host_register";

  // The words in the mark of a rehearsed recording, including names of common GPUs.
  static constexpr std::string_view kRehearsal =
      "16GB 24GB 40GB 80GB 141GB A100 Ada B200 GB200 GeForce H100 H200 HBM2e HBM3 HBM3e L4 L40S Laptop NVIDIA NVL PCIe "
      "RTX SXM2 SXM4 SXM5 T4 Tesla V100 a100 b200 context_bytes gpu h100 h200 l4 profile rtx t4 total_bytes v100 "
      "version";
  return is_number(word) || has(kSettings, word) || has(kRehearsal, word);
}

} // namespace memviz
