"""Times the page of `memviz view` in Chromium: `measure_view.py MEMVIZ SNAPSHOT...`. A browser is started for
each file, so that no memory is another's; prints a row for each. Generated files: tests/bench/generate.py."""

import os
import pathlib
import statistics
import sys
import time

import environment

# Notes when a file is chosen, its numbers are first shown, and its first picture is.
NOTE = """() => {
  const noted = window.noted = {}, until = (name, holds) => {
    const look = () => {
      if (noted[name] !== undefined) return;
      if (holds()) noted[name] = performance.now() - noted.chosen;
      else requestAnimationFrame(look);
    };
    look();
  };
  document.addEventListener('change', () => {
    if (noted.chosen !== undefined) return;
    noted.chosen = performance.now();
    const text = (id) => document.getElementById(id).textContent;
    until('numbers', () => text('moment').includes('event'));
    until('picture', () => document.getElementById('picture').shadowRoot?.querySelector('svg.scripted'));
  }, true);
}"""

# Drags the playhead over the curve for some seconds; returns the time between frames, and the tasks over 50 ms.
DRAG = """([selector, seconds]) => new Promise((resolve) => {
  const target = document.querySelector(selector), {left, top, width, height} = target.getBoundingClientRect();
  const frames = [], long = [], watch = new PerformanceObserver((list) => long.push(...list.getEntries().map((entry) => entry.duration)));
  watch.observe({entryTypes: ['longtask']});
  const send = (kind, part) => target.dispatchEvent(new PointerEvent(kind, {clientX: left + part * width, clientY: top + height / 2,
      bubbles: true, buttons: 1, pointerId: 1, isPrimary: true}));
  const began = performance.now();
  let last = began;
  const move = (now) => {
    frames.push(now - last);
    last = now;
    if (now - began > seconds * 1000) {
      send('pointerup', 0.5);
      watch.disconnect();
      return resolve({frames: frames.slice(1), long});
    }
    send('pointermove', 0.1 + 0.8 * Math.abs(Math.sin((now - began) / 700)));
    requestAnimationFrame(move);
  };
  send('pointerdown', 0.1);
  requestAnimationFrame(move);
})"""

STEPS = """(count) => new Promise(async (resolve) => {
  const moment = document.getElementById('moment'), times = [];
  for (let i = 0; i < count; ++i) {
    const before = moment.textContent, began = performance.now();
    document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', bubbles: true}));
    while (moment.textContent === before && performance.now() - began < 5000) await new Promise((next) => setTimeout(next, 0));
    times.push(performance.now() - began);
  }
  resolve(times);
})"""


def renderer_bytes(pid):
    """Returns what the tabs of a browser's process hold in memory."""
    total = 0
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if b"--type=renderer" not in (folder / "cmdline").read_bytes() or str(pid) not in parents(folder):
                continue
            rollup = (folder / "smaps_rollup").read_text()
            total += next(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
        except (OSError, StopIteration, IndexError):
            continue
    return total


def parents(folder):
    while folder.name != "0":
        yield folder.name
        status = (folder / "stat").read_text()
        folder = folder.parent / status[status.rindex(")") :].split()[2]


def measure(playwright, page_file, snapshot):
    browser = playwright.chromium.launch(executable_path=environment.chromium(), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.set_default_timeout(300_000)
    page.goto(pathlib.Path(page_file).as_uri())
    page.wait_for_timeout(1000)  # the engine has started: what is timed is the file
    page.evaluate(f"({NOTE})()")
    page.locator("input[type=file]:not([webkitdirectory])").set_input_files(snapshot)
    end = time.monotonic() + 300
    while page.evaluate("window.noted.picture") is None and time.monotonic() < end:
        page.wait_for_timeout(50)
    noted = page.evaluate("window.noted")
    page.wait_for_timeout(500)
    steps = page.evaluate(f"({STEPS})(40)")
    row = {"numbers_ms": noted["numbers"], "picture_ms": noted["picture"], "step_ms": statistics.median(steps)}
    for selector in ("#curve", "#map"):
        dragged = page.evaluate(f"({DRAG})", [selector, 3])
        frames = sorted(dragged["frames"])
        row |= {f"{selector}_frame_ms": statistics.median(frames), f"{selector}_frame_99_ms": frames[len(frames) * 99 // 100]}
        row[f"{selector}_long"] = len(dragged["long"])
    row["memory_mb"] = renderer_bytes(os.getpid()) / 1e6
    browser.close()
    return row


def main():
    if pathlib.Path(sys.prefix) != environment.ENVIRONMENT.venv:
        os.execv(environment.PYTHON, [str(environment.PYTHON), "-B", __file__, *sys.argv[1:]])
    import subprocess
    import tempfile

    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = os.path.join(folder, "page.html")
        subprocess.run([sys.argv[1], "view", "--empty", "-o", page], check=True)
        for snapshot in sys.argv[2:]:
            row = measure(playwright, page, snapshot)
            print(os.path.basename(snapshot), *(f"{name} {value:.1f}" for name, value in row.items()), sep="  ", flush=True)


if __name__ == "__main__":
    main()
