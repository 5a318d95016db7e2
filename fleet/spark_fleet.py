#!/usr/bin/env python3
"""Many snapshots on a Spark cluster: one memviz process a file, on any path that Hadoop reads.

usage: spark_fleet.py IN OUT [MASTER]

IN is a folder that each node sees, or one such as hdfs:///job/snapshots, whose files come through Spark. OUT gets two
folders of Parquet: ranks (a row for each snapshot with its folded stacks, bad files with their reason) and merged (the
sums of all stacks); the folder of the driver gets merged.folded for `memviz flame` and parts.ndjson for `memviz ranks`.
Without MASTER it is that of spark-submit. MEMVIZ names the program, which travels to the workers.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

from pyspark import SparkFiles
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

COLUMNS = "file string, error string, peak_requested_bytes long, reserved_bytes long, part string, stacks array<struct<stack: string, bytes: long>>"


def memviz(tool, *words):
    """Returns the output of a command, or an error with its message if it fails."""
    outcome = subprocess.run([tool, *words], capture_output=True, text=True)
    if outcome.returncode != 0:
        raise RuntimeError(outcome.stderr.strip()[-300:] or f"memviz ended with {outcome.returncode}")
    return outcome.stdout


def answer(tool, name, path):
    quick = ("-q", "--threads", "1")
    devices = json.loads(memviz(tool, "stats", *quick, "--json", "-", path))["devices"]
    folded = memviz(tool, "export", *quick, "--format", "folded", "--at", "auto", path).splitlines()
    part = {**json.loads(memviz(tool, "ranks", *quick, "--partial", "-", path)), "file": name}
    stacks = [(stack, int(count)) for stack, _, count in (line.rpartition(" ") for line in folded)]
    peak = max((device["peak_requested_bytes"] for device in devices), default=0)
    reserved = sum(device["reserved_bytes"] for device in devices)
    return name, None, peak, reserved, json.dumps(part, separators=(",", ":")), stacks


def row_of(tool_name):
    def row(entry):
        """Processes a file of this machine in place, and others as a copy; a bad file becomes a row, never a failed
        task."""
        name, content = entry
        local = re.sub("^file:/+", "/", name)
        with tempfile.TemporaryDirectory() as folder:
            try:
                if content is not None:  # not on a path that each node sees
                    local = os.path.join(folder, os.path.basename(name))
                    pathlib.Path(local).write_bytes(content)
                return answer(SparkFiles.get(tool_name), name, local)
            except (RuntimeError, OSError, ValueError) as error:
                return name, str(error).replace(local, os.path.basename(name)), None, None, None, []

    return row


def plain(path):
    """Returns a path in a form for comparison, because Spark writes file:/a and file:///a."""
    return re.sub("^([a-z0-9]+):/+", r"\1:/", path)


def main():
    source, out = sys.argv[1:3]
    builder = SparkSession.builder.appName("memviz")
    spark = (builder.master(sys.argv[3]) if len(sys.argv) > 3 else builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    tool = shutil.which(os.environ.get("MEMVIZ", "memviz")) or sys.exit("no memviz on the path: name it by MEMVIZ")
    spark.sparkContext.addFile(tool)
    options = {"recursiveFileLookup": "true", "pathGlobFilter": "*.pickle*"}
    files = spark.read.format("binaryFile").options(**options).load(source)
    names = [urllib.parse.unquote(path) for path in files.inputFiles()] or sys.exit(f"{source}: no *.pickle* in this folder")
    tasks = max(2, spark.sparkContext.defaultParallelism * 4)
    if names[0].startswith("file:"):
        pairs = spark.sparkContext.parallelize([(name, None) for name in names], tasks)
    else:  # Spark leaves out empty files
        content = files.select("path", "content").rdd.map(tuple)
        read = {plain(row.path) for row in files.select("path").collect()}
        pairs = content.union(spark.sparkContext.parallelize([(name, b"") for name in names if plain(name) not in read]))
    rows = spark.createDataFrame(pairs.map(row_of(os.path.basename(tool))), COLUMNS)
    rows.write.mode("overwrite").parquet(f"{out}/ranks")
    rows = spark.read.parquet(f"{out}/ranks")
    stacks = rows.select(F.explode("stacks").alias("one")).groupBy("one.stack").agg(F.sum("one.bytes").alias("bytes"))
    stacks.write.mode("overwrite").parquet(f"{out}/merged")
    merged = spark.read.parquet(f"{out}/merged").orderBy("stack").collect()
    parts = [row.part for row in rows.filter("part is not null").orderBy("file").select("part").collect()]
    pathlib.Path("merged.folded").write_text("".join(f"{row.stack} {row.bytes}\n" for row in merged))
    pathlib.Path("parts.ndjson").write_text("".join(part + "\n" for part in parts))
    bad = rows.filter("error is not null").count()
    print(f"{rows.count()} snapshots, {bad} of them bad; {len(merged)} stacks, {sum(row.bytes for row in merged)} bytes")
    spark.stop()


if __name__ == "__main__":
    main()
