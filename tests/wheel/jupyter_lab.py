#!/usr/bin/env python3
"""Opens snapshots in the real JupyterLab, in Chromium: jupyter_lab.py PYTHON TESTDATA

PYTHON has JupyterLab and the wheel; this script takes the environment of the browser tests. Exit code 77: no browser.
"""

import contextlib
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "browser"))
import environment  # noqa: E402

environment.ENVIRONMENT.enter("playwright")
if environment.chromium() is None:
    print("skipped: no Chromium")
    sys.exit(77)

from playwright.sync_api import expect, sync_playwright  # noqa: E402

PYTHON, TESTDATA = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
SECONDS = 60
TOKEN = "of-this-test"
expect.set_options(timeout=SECONDS * 1000)


def fill(folder):
    """The server's folder, and what it must not show: a hidden file, and files around it, also in a folder with a longer name."""
    root = folder / "work"
    for place in (root / "runs", root / ".hidden", folder / "work-2"):
        place.mkdir(parents=True)
        shutil.copy(TESTDATA / "oom.pickle", place)
    shutil.copy(TESTDATA / "oom.pickle", folder / "outside.pickle")
    shutil.copy(TESTDATA / "oom.pickle", root / "50% of #1?.pickle")
    (root / "packed.pickle.gz").write_bytes(gzip.compress((TESTDATA / "training_step.pickle").read_bytes()))
    (root / "other.pickle").write_bytes(b"a text, and no snapshot")
    os.mkfifo(root / "pipe.pickle")
    os.symlink("loop.pickle", root / "loop.pickle")
    return root


@contextlib.contextmanager
def jupyter(folder, root):
    """Yields the address of a server with settings of its own, and ends it."""
    places = {name: str(folder / name.lower()) for name in ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")}
    words = [PYTHON, "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser", f"--ServerApp.root_dir={root}", f"--IdentityProvider.token={TOKEN}"]
    with open(folder / "log", "w+") as log:
        process = subprocess.Popen(words, cwd="/", env={**os.environ, **places}, stdout=log, stderr=subprocess.STDOUT)
        try:
            end = time.monotonic() + SECONDS
            while not (found := [path for path in folder.glob("jupyter_runtime_dir/jpserver-*.json") if path.read_text().rstrip().endswith("}")]):
                assert process.poll() is None and time.monotonic() < end, (folder / "log").read_text()
                time.sleep(0.1)
            yield json.loads(found[0].read_text())["url"]
        finally:
            process.terminate()
            process.wait(SECONDS)


def open_file(page, name):
    """Opens a file as people do; returns its frame."""
    page.locator(".jp-DirListing-item", has_text=name).dblclick()
    return page.frame_locator(f"div.lm-DockPanel-widget:not(.lm-mod-hidden) iframe[src*='memviz/view/{name.split('%')[0]}']")


def check_viewer(page, root):
    frame = open_file(page, "50% of #1?.pickle")
    expect(frame.locator("#headline")).to_contain_text("ran out of memory")
    expect(frame.locator("#moment")).to_contain_text("After event")  # which the engine says
    frame.locator("#tab-state").click()
    expect(frame.locator("#picture svg")).to_be_visible()
    frame.locator("#top #copy").click()
    expect(frame.locator("#top #copy")).to_have_text("copied")
    check_link(page.context, page.evaluate("() => navigator.clipboard.readText()"))
    origin = page.frames[-1].evaluate("() => { try { return parent.document.title; } catch (error) { return [self.origin, error.name]; } }")
    assert origin == ["null", "SecurityError"], origin
    expect(open_file(page, "packed.pickle.gz").locator("#headline")).to_contain_text("GiB")
    expect(open_file(page, "other.pickle").locator("body")).to_contain_text("memviz: other.pickle: ")
    shutil.copy(TESTDATA / "oom.pickle", root / "other.pickle")
    page.evaluate("() => jupyterapp.commands.execute('docmanager:reload')")
    expect(page.frame_locator("iframe[src$='other.pickle']").locator("#headline")).to_contain_text("ran out of memory")
    page.wait_for_timeout(1500)  # JupyterLab saves its layout a second later
    page.reload()
    expect(page.frame_locator("iframe[src$='other.pickle']").locator("#headline")).to_contain_text("ran out of memory")


def check_link(context, link):
    """Opens it in another tab, as if someone had put it into the address bar."""
    page = context.new_page()
    page.goto(link)
    expect(page.locator("#headline")).to_contain_text("ran out of memory")
    expect(page.locator("#tab-state")).to_have_attribute("aria-selected", "true")
    assert page.evaluate("() => self.origin") == "null"
    page.close()


def check_refusals(context, browser, url):
    view = f"{url}memviz/view/"
    own = {"Referer": f"{url}lab"}

    def status(path, headers=own, request=context.request):
        answer = request.get(view + path, headers=headers, max_redirects=0)
        return answer.status, "ran out of memory" in answer.text()

    assert status("runs/oom.pickle") == (200, True)
    for path in ("%2e%2e/outside.pickle", "runs/%2e%2e/%2e%2e/outside.pickle", "%2e%2e/work-2/oom.pickle", "%2Fetc/passwd", ".hidden/oom.pickle",
                 "pipe.pickle", "runs", "absent.pickle", "a%00b.pickle", "loop.pickle", "long" * 100):
        assert status(path) == (404, False), (path, status(path))
    assert status("runs/oom.pickle", {"Referer": "http://elsewhere.example/"}) == (403, False)
    assert status("runs/oom.pickle", {}) == (403, False)
    assert status("runs/oom.pickle", {"Sec-Fetch-Site": "cross-site"}) == (403, False)
    stranger = browser.new_context()
    assert status("runs/oom.pickle", own, stranger.request) in ((302, False), (403, False))
    policy = context.request.get(view + "runs/oom.pickle", headers=own).headers["content-security-policy"]
    assert "sandbox allow-scripts allow-downloads" in policy and "frame-ancestors 'self'" in policy, policy


def main():
    with tempfile.TemporaryDirectory(prefix="memviz-jupyter-") as name, sync_playwright() as playwright:
        folder = pathlib.Path(name)
        root = fill(folder)
        browser = playwright.chromium.launch(executable_path=environment.chromium(), args=["--no-sandbox"])
        with jupyter(folder, root) as url:
            context = browser.new_context(viewport={"width": 1400, "height": 900}, permissions=["clipboard-read", "clipboard-write"])
            page = context.new_page()
            page.set_default_timeout(SECONDS * 1000)
            errors, requests = [], []
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("request", lambda request: requests.append(request.url.partition("/memviz/view/")[2]))
            page.goto(f"{url}lab?token={TOKEN}")
            check_viewer(page, root)
            check_refusals(context, browser, url)
            assert not errors, errors
            # A page is made when it is shown, once.
            assert [path for path in requests if path] == ["50%25%20of%20%231%3F.pickle", "packed.pickle.gz", *["other.pickle"] * 3], requests
    print("JupyterLab opens snapshots")


if __name__ == "__main__":
    main()
