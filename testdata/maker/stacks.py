"""Call paths -> frame lists, innermost first, each distinct frame and list one shared object as PyTorch shares them.

The programs, paths and line numbers are invented; the C++ functions are PyTorch's own, with shortened argument lists.
"""

SITE = "/opt/venv/lib/python3.11/site-packages/torch/"
CPYTHON = "/build/Python-3.11.9/"

GATHER = [
    ("??", 0, "torch::unwind::unwind()"),
    ("??", 0, "torch::CapturedTraceback::gather(bool, bool, bool)"),
    ("memory_snapshot.cpp", 0, "torch::cuda::(anonymous namespace)::gather_with_cpp()"),
]
MALLOC = GATHER + [
    (
        "CUDACachingAllocator.cpp",
        0,
        "c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(signed char, unsigned long)",
    ),
    ("", 0, "c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator::allocate(unsigned long)"),
    ("??", 0, "at::detail::empty_cuda(c10::ArrayRef<long>, c10::ScalarType, std::optional<c10::Device>)"),
]
FREE = GATHER + [
    ("CUDACachingAllocator.cpp", 0, "c10::cuda::CUDACachingAllocator::Native::local_raw_delete(void*)"),
    ("??", 0, "c10::TensorImpl::~TensorImpl()"),
    ("??", 0, "THPVariable_clear(THPVariable*)"),
]
START = [
    (CPYTHON + "Python/pythonrun.c", 1714, "run_eval_code_obj"),
    (CPYTHON + "Modules/main.c", 680, "Py_RunMain"),
    ("??", 0, "__libc_start_main"),
    ("??", 0, "_start"),
]
EVAL = (CPYTHON + "Python/ceval.c", 4772, "_PyEval_EvalFrameDefault")
AUTOGRAD = [
    ("??", 0, "torch::autograd::Engine::evaluate_function(std::shared_ptr<torch::autograd::GraphTask>&)"),
    ("??", 0, "torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> const&)"),
    ("??", 0, "torch::autograd::python::PythonEngine::thread_init(int)"),
    ("thread48.o", 0, "execute_native_thread_routine"),
    ("??", 0, "__clone"),
]
CALL_MODULE = [
    (SITE + "nn/modules/module.py", 1553, "_wrapped_call_impl"),
    (SITE + "nn/modules/module.py", 1562, "_call_impl"),
]

# What the user's line calls inside torch, outermost first.
LIBRARY = {
    "linear": [*CALL_MODULE, (SITE + "nn/modules/linear.py", 117, "forward")],
    "layer_norm": [
        *CALL_MODULE,
        (SITE + "nn/modules/normalization.py", 202, "forward"),
        (SITE + "nn/functional.py", 2576, "layer_norm"),
    ],
    "embedding": [
        *CALL_MODULE,
        (SITE + "nn/modules/sparse.py", 163, "forward"),
        (SITE + "nn/functional.py", 2264, "embedding"),
    ],
    "gelu": [*CALL_MODULE, (SITE + "nn/modules/activation.py", 704, "forward")],
    "native_dropout": [
        *CALL_MODULE,
        (SITE + "nn/modules/dropout.py", 59, "forward"),
        (SITE + "nn/functional.py", 1295, "dropout"),
    ],
    "softmax": [(SITE + "nn/functional.py", 1885, "softmax")],
    "log_softmax": [(SITE + "nn/functional.py", 3086, "cross_entropy")],
    "linear_weight": [(SITE + "nn/modules/linear.py", 98, "__init__")],
    "norm_weight": [(SITE + "nn/modules/normalization.py", 185, "__init__")],
    "embedding_weight": [(SITE + "nn/modules/sparse.py", 142, "__init__")],
    "zeros_like": [
        (SITE + "optim/optimizer.py", 484, "wrapper"),
        (SITE + "optim/adamw.py", 209, "step"),
        (SITE + "optim/adamw.py", 145, "_init_group"),
    ],
    "_foreach_sqrt": [
        (SITE + "optim/optimizer.py", 484, "wrapper"),
        (SITE + "optim/adamw.py", 220, "step"),
        (SITE + "optim/adamw.py", 606, "_multi_tensor_adamw"),
    ],
}
OPERATOR = {"linear": "addmm", "linear_weight": "empty", "norm_weight": "empty", "embedding_weight": "empty"}

_frames, _stacks = {}, {}


def frame(place):
    """The one dict of a (filename, line, name)."""
    return _frames.setdefault(place, {"filename": place[0], "name": place[2], "line": place[1]})


def of_places(places):
    """The one list of places given innermost first."""
    key = tuple(places)
    return _stacks.setdefault(key, [frame(p) for p in key])


def operator_frames(name):
    return [
        ("??", 0, f"at::native::{name}(at::Tensor const&)"),
        ("RegisterCUDA.cpp", 0, f"at::(anonymous namespace)::wrapper_CUDA_{name}(at::Tensor const&)"),
        ("??", 0, f"at::_ops::{name}::call(at::Tensor const&)"),
        ("python_torch_functions_2.cpp", 0, f"torch::autograd::THPVariable_{name}(_object*, _object*, _object*)"),
        (CPYTHON + "Objects/methodobject.c", 542, "cfunction_call"),
    ]


class Program:
    """The sources under `root`; its stacks have C++ frames unless `python_only`. `shift` moves lines."""

    def __init__(self, root, *, python_only=False, shift=None):
        self.root, self.python_only, self.shift = root, python_only, shift or {}

    def at(self, what, *calls, first=MALLOC):
        """The stack of an allocation inside torch's `what`, reached by `calls` ("file.py:12:name", outermost first)."""
        python = []
        for index, call in enumerate(calls):
            name, line, function = call.split(":", 2)
            if function == "forward" and index:
                python += CALL_MODULE
            python.append((self.root + name, int(line) + self.shift.get(name, 0), function))
        python = (python + LIBRARY.get(what, []))[::-1]
        if self.python_only:
            return of_places(python)
        inside = operator_frames(OPERATOR.get(what, what)) if first is MALLOC else []
        return of_places([*first, *inside, python[0], EVAL, *python[1:], *START])

    def freed_at(self, *calls):
        return self.at("", *calls, first=FREE)


def backward(operator, node):
    """The stack of autograd's own thread: no Python in it."""
    apply = ("??", 0, f"torch::autograd::generated::{node}::apply(std::vector<at::Tensor>&&)")
    inside = [
        ("??", 0, f"at::native::{operator}(at::Tensor const&)"),
        ("??", 0, f"at::_ops::{operator}::call(at::Tensor const&)"),
    ]
    return of_places([*MALLOC, *inside, apply, *AUTOGRAD])
