#!/usr/bin/env python3
"""Judges `memviz ranks` on 60 jobs without a fault and 60 in which one rank was made to hold more, all with batches of
random lengths: it must accuse no rank of the first, and find at least 58 of the second.

usage: jitter_test.py MEMVIZ SOURCE_FOLDER [SEED...]
"""

import json
import pathlib
import subprocess
import sys
import tempfile

MEMVIZ, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "testdata"))

import jitter_jobs  # noqa: E402

JOBS, LEAST_FOUND = 60, 58


def answer(of_job):
    with tempfile.TemporaryDirectory() as folder:
        jitter_jobs.write(of_job, folder)
        found = subprocess.run([str(MEMVIZ), "ranks", folder, "--json", "-", "-q"], capture_output=True, check=True)
        return json.loads(found.stdout)


def is_found(of_job, document):
    """Whether the planted rank alone stands out, by its line."""
    ranks = [one["rank"] for one in document["outliers"]]
    return ranks == [of_job.plant.rank] and of_job.plant.line in document["headline"]


def main():
    seeds = [int(word) for word in sys.argv[3:]] or range(JOBS)
    accused, missed = [], []
    for seed in seeds:
        clean, planted = jitter_jobs.job(seed, False), jitter_jobs.job(seed, True)
        document = answer(clean)
        if document["outliers"] or document["on_other_gpus"]:
            accused.append((clean, document["headline"]))
        document = answer(planted)
        if not is_found(planted, document):
            missed.append((planted, document["headline"]))
    for which, jobs in (("accused", accused), ("missed", missed)):
        for of_job, headline in jobs:
            print(f"{which}: {of_job}\n  {headline}")
    print(f"{len(accused)} of {len(seeds)} clean jobs accused, {len(seeds) - len(missed)} of {len(seeds)} plants found")
    return 1 if accused or len(missed) > JOBS - LEAST_FOUND else 0


sys.exit(main())
