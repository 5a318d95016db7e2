"""Rehearses the programs whose memory was measured on an H100, and compares the allocator's figures.

    compare.py MEMVIZ PYTHON [NAME...]

figures.json has the figures of the GPU, and the versions of Python and the packages, as far as they were recorded. PYTHON
has the same torch. Programs whose packages are missing are skipped. The packages are gigabytes, so this is outside of CI.
Prints a line for each program. Ends with 1 where any differs or fails.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent


def rehearse(memviz, python, name, environment):
    """Returns the figures of program.py on the made-up GPU, or the end of what it printed as "failed"."""
    with tempfile.TemporaryDirectory() as scratch:
        output = pathlib.Path(scratch, "figures.json")
        command = [memviz, "rehearse", "--quiet", "--no-record", "-o", pathlib.Path(scratch, "rehearsal")]
        command += ["--gpu", FOLDER / "h100.profile", "--", python, "-B", FOLDER / "program.py", name, output]
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", **environment}
        run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if output.exists():
            return json.loads(output.read_text())
        return {"failed": run.stdout.decode(errors="replace").strip()[-400:]}


def difference(name, measured, rehearsed):
    change = rehearsed - measured
    return f"{name} {measured:,} on the GPU, {rehearsed:,} rehearsed ({change:+,}, {change / measured:+.3%})"


def compared(measured, rehearsed):
    """Returns a sentence for each figure that differs."""
    return [difference(name, measured[name], rehearsed[name]) for name in measured if measured[name] != rehearsed[name]]


def outcome(measured, rehearsed):
    if "missing_package" in rehearsed:
        return f"skipped: no {rehearsed['missing_package']}"
    if "failed" in rehearsed:
        return f"failed: {rehearsed['failed']}"
    return "; ".join(compared(measured, rehearsed)) or "equal"


def main():
    memviz, python, *names = sys.argv[1:]
    programs = json.loads((FOLDER / "figures.json").read_text())["programs"]
    unknown = set(names) - set(programs)
    if unknown:
        sys.exit(f"no program is named {', '.join(sorted(unknown))}; figures.json has the names")
    outcomes = []
    for name in names or programs:
        program = programs[name]
        rehearsed = rehearse(memviz, python, name, program.get("environment", {}))
        outcomes.append(outcome(program["figures"], rehearsed))
        print(f"{name}: {outcomes[-1]}", flush=True)
    skipped = sum(text.startswith("skipped") for text in outcomes)
    equal = outcomes.count("equal")
    print(f"{equal} of {len(outcomes) - skipped} are equal, {skipped} skipped")
    return 1 if equal + skipped < len(outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
