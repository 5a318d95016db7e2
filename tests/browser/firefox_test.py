"""The page of `memviz view` in Firefox ESR: `firefox_test.py MEMVIZ`; exit code 77: no Firefox, or no page.

Debian's Firefox comes without a driver: a page of a server on this machine frames memviz's pages, acts on them, and
sends what it saw.
"""

import functools
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

SKIPPED = 77
SECONDS = 120
TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "testdata"
PICTURES = ["flame", "state", "why", "timeline", "reserved", "pools", "difference"]

DRIVER = """<!doctype html><meta charset="utf-8"><body><script type="module">
const seen = {violations: [], errors: []};
const send = () => fetch('/seen', {method: 'POST', body: JSON.stringify(seen)});
const rest = () => new Promise((resolve) => setTimeout(resolve, 20));
async function until(what, holds) {
  for (const end = performance.now() + 20000; !holds(); await rest())
    if (performance.now() > end) throw new Error('waited in vain: ' + what);
}
async function open(url) {
  const frame = document.createElement('iframe');
  Object.assign(frame, {src: url, width: 1200, height: 900});
  document.body.append(frame);
  await new Promise((resolve) => frame.addEventListener('load', resolve));
  const page = frame.contentDocument, byId = (id) => page.getElementById(id);
  page.addEventListener('securitypolicyviolation', (event) => seen.violations.push(event.violatedDirective));
  frame.contentWindow.addEventListener('error', (event) => seen.errors.push(event.message));
  return {frame, page, byId, press: (key) => page.body.dispatchEvent(new frame.contentWindow.KeyboardEvent('keydown', {key, bubbles: true}))};
}
async function scrub({byId, press}) {
  await until('numbers', () => byId('moment').textContent);
  seen.first = byId('moment').textContent;
  for (const [key, words] of [['Home', 'Before the first'], ['End', 'After event 1,528'], ['ArrowLeft', 'After event 1,527']]) {
    press(key);
    await until(key, () => byId('moment').textContent.startsWith(words));
  }
}
async function tabs({byId}, pictures) {
  for (const tab of pictures) {
    byId('tab-' + tab).click();
    await until(tab, () => byId('picture').dataset.tab === tab && byId('picture').shadowRoot.querySelector('svg.scripted'));
  }
  byId('tab-table').click();
  await until('table', () => byId('table').querySelector('tbody tr'));
  byId('tab-events').click();
  await until('events', () => byId('event-space').querySelector('.here'));
}
async function search({frame, byId, press}) {
  press('Home');
  byId('search').value = 'log_predictions';
  byId('search').dispatchEvent(new frame.contentWindow.Event('input', {bubbles: true}));
  await until('hits', () => byId('hits').textContent.endsWith('hits'));
  byId('search').dispatchEvent(new frame.contentWindow.KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
  await until('the first hit', () => byId('hits').textContent.startsWith('1 of '));
  await until('its card', () => byId('event-card').textContent.includes('log_predictions'));
  frame.contentWindow.history.back();
  await until('the start again', () => byId('moment').textContent.startsWith('Before the first'));
}
async function pin({frame, byId}) {
  const {left, top, width, height} = byId('cells').getBoundingClientRect();
  byId('cells').dispatchEvent(new frame.contentWindow.MouseEvent('click', {clientX: left + width / 2, clientY: top + height / 4, bubbles: true}));
  await until('pin', () => !byId('pinned').hidden);
  seen.pinned = byId('pinned').textContent.includes('its address');
}
async function drop({frame, page, byId}, names) {
  for (const name of names) {
    const data = new frame.contentWindow.DataTransfer();
    data.items.add(new frame.contentWindow.File([await (await fetch('/' + name)).arrayBuffer()], name));
    const before = byId('files').children.length;
    page.body.dispatchEvent(new frame.contentWindow.DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
    await until('drop of ' + name, () => byId('files').children.length > before || /^[^ ]*: /.test(byId('busy').textContent));
  }
  await until('dropped numbers', () => byId('moment').textContent);
  seen.files = Array.from(byId('files').querySelectorAll('[aria-pressed]'), (button) => button.textContent);
  seen.refusal = byId('busy').textContent;
}
try {
  const view = await open('/view.html');
  await scrub(view);
  await tabs(view, JSON.parse(new URLSearchParams(location.search).get('pictures')));
  await search(view);
  view.press('p');
  await until('the peak', () => view.byId('moment').textContent.startsWith('After event 1,375'));
  await pin(view);
  await drop(await open('/empty.html'), ['oom.pickle', 'corrupt.pickle.gz']);
} catch (error) {
  seen.errors.push(String(error));
}
send();
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_POST(self):
        self.server.seen = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.is_seen.set()

    def log_message(self, *words):
        pass


def write_files(memviz, folder):
    """Returns the two pages, the driver and the dropped files, or whether this program has pages."""
    for arguments in (["view", TESTDATA / "training_step.pickle", "-o", folder / "view.html"], ["view", "--empty", "-o", folder / "empty.html"]):
        done = subprocess.run([memviz, *arguments], capture_output=True, text=True)
        if "without the engine" in done.stderr:
            return False
        done.check_returncode()
    (folder / "driver.html").write_text(DRIVER)
    for file in (TESTDATA / "oom.pickle", TESTDATA / "hostile" / "corrupt.pickle.gz"):
        shutil.copy(file, folder)
    return True


def command_of(browser, profile, url):
    if "firefox" in browser:
        return [browser, "--headless", "--no-remote", "--profile", profile, url]
    return [browser, "--headless", "--no-sandbox", f"--user-data-dir={profile}", "--remote-debugging-port=0", url]  # without a port it ends at once


def watch(browser, folder, driver, seconds=SECONDS):
    """Returns the report of a driver, or None after some time."""
    served = folder / "served"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=served))
    server.is_seen = threading.Event()
    server.seen = None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/{driver}"
    environment = {**os.environ, "HOME": str(folder), "MOZ_HEADLESS": "1"}
    with subprocess.Popen(command_of(browser, folder / "profile", url), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        server.is_seen.wait(seconds)
        process.terminate()
    server.shutdown()
    return server.seen


def complaints(seen, refusal):
    if seen is None:
        return [f"no answer after {SECONDS} s"]
    wanted = {"violations": [], "errors": [], "pinned": True, "files": ["oom.pickle"], "refusal": refusal}
    found = [f"{name}: {seen.get(name)!r}, not {value!r}" for name, value in wanted.items() if seen.get(name) != value]
    return found + ([] if seen.get("first", "").startswith("After event 1,375 of 1,529") else [f"first: {seen.get('first')!r}"])


def main():
    memviz, firefox = os.path.abspath(sys.argv[1]), shutil.which("firefox-esr")
    with tempfile.TemporaryDirectory(prefix="memviz-firefox-", ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        for part in ("served", "profile"):
            (folder / part).mkdir()
        if not firefox or not write_files(memviz, folder / "served"):
            print("skipped: " + ("this memviz has no page" if firefox else "no firefox-esr on this machine"))
            sys.exit(SKIPPED)
        refused = TESTDATA / "hostile" / "corrupt.pickle.gz"
        words = subprocess.run([memviz, "stats", refused], capture_output=True, text=True).stderr.splitlines()[0]
        refusal = words.removeprefix("memviz: ").replace(str(refused), refused.name)
        found = complaints(watch(firefox, folder, f"driver.html?pictures={json.dumps(PICTURES, separators=(',', ':'))}"), refusal)
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
