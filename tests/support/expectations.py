"""What a script of checks expects, and what it found instead: the failures are collected, and printed at the end."""

import sys

failures = []


def expect(what, found, expected):
    if found != expected:
        failures.append(f"{what}: {str(found)[:400]}, expected {str(expected)[:400]}")


def finish(summary):
    """Prints the first failures, or else the summary, and ends the script."""
    print("\n".join(failures[:40]) or summary)
    sys.exit(1 if failures else 0)
