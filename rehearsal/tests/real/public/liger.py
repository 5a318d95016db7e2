"""A benchmark of Liger-Kernel's repository, whose time is not measured.

    liger.py OUTPUT FOLDER SCRIPT

FOLDER has the repository at the commit of the published figures. Writes JSON to OUTPUT: a list of figures of memory with the
columns of the repository's benchmark/data/all_benchmark_data.csv, MiB or the error in "mib" and "error".
"""

import importlib.metadata
import itertools
import json
import pathlib
import runpy
import sys

VERSION = importlib.metadata.version


def figure_of(bench, run):
    try:
        return {"mib": bench(run).y_50}
    except Exception as error:  # another provider may still run
        return {"error": f"{type(error).__name__}: {error}"[:300]}


def run_once(function, **_):
    """Takes the place of Triton's loop that measures time."""
    function()
    return 0.0, 0.0, 0.0


def measured_by(utils, figures):
    """Returns what takes the place of the repository's loop over x, providers and modes, which has the same order. Time is
    measured first there, so that cuBLAS has its workspaces when memory is."""

    def run_benchmarks(bench_test_fn, metric_name, x_values, kernel_providers, kernel_operation_modes=(None,), extra_benchmark_configs=(None,), **about):
        for settings, mode, provider, x in itertools.product(extra_benchmark_configs, kernel_operation_modes, kernel_providers, x_values):
            run = utils.SingleBenchmarkRunInput(x=x, kernel_provider=provider, kernel_operation_mode=mode, extra_benchmark_config=settings)
            figure = figure_of(bench_test_fn, run)
            if metric_name == "memory":
                figure |= {"kernel_name": about["kernel_name"], "kernel_operation_mode": mode or "", "kernel_provider": provider}
                figure |= {"x_name": about["x_name"], "x_value": str(x)}
                figures.append({**figure, "extra_benchmark_config_str": json.dumps(settings, cls=utils.CustomEncoder)})

    return run_benchmarks


def main():
    output, folder, script = sys.argv[1:]
    # The scripts ask for the version of the package, which is not installed.
    importlib.metadata.version = lambda name: "source" if name in ("liger-kernel", "liger_kernel") else VERSION(name)
    sys.path[:0] = [f"{folder}/src", f"{folder}/benchmark/scripts", folder]
    import torch.distributed.tensor  # noqa: F401 (a kernel takes it for imported)
    import triton
    import utils

    figures = []
    triton.testing.do_bench = run_once
    utils.run_benchmarks = measured_by(utils, figures)
    sys.argv = [script]
    try:
        runpy.run_path(f"{folder}/benchmark/scripts/{script}", run_name="__main__")
    finally:
        pathlib.Path(output).write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
