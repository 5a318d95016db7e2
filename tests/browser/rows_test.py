"""What users of PyTorch's page do all day, on twelve real files: `rows_test.py MEMVIZ [firefox-esr|chromium]`; exit code 77: no
such browser, no page, or no files. What is awaited is from the program's own commands.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from firefox_test import SKIPPED, watch

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared" / "snapshots"
FILES = """oom_expandable_3gpu training_step_medium user_metadata_keys torch_compile_annotations expandable_bf16 ring_full_10000 no_time_us
snapshot_actions octree_segment_free python_only_stacks windows_python_stacks trailing_zero_byte""".split()
SECONDS = 600

DRIVER = """<!doctype html><meta charset="utf-8"><body><script type="module">
const seen = {errors: [], rows: 0, steps: {}}, moments = {};
const rest = () => new Promise((resolve) => setTimeout(resolve, 5));
const count = (number) => number.toLocaleString('en-US');
async function until(what, holds) {
  for (const end = performance.now() + 60000; !holds(); await rest())
    if (performance.now() > end) throw new Error('waited in vain: ' + what);
  ++seen.rows;
}
async function open(url) {
  const frame = document.createElement('iframe');
  Object.assign(frame, {src: url, width: 1280, height: 720});
  document.body.replaceChildren(frame);
  await new Promise((resolve) => frame.addEventListener('load', resolve));
  const {contentWindow: inner, contentDocument: page} = frame, byId = (id) => page.getElementById(id);
  inner.addEventListener('error', (event) => seen.errors.push(url + ': ' + event.message));
  return {
    inner, page, byId,
    says: (id, words) => byId(id).textContent.includes(words),
    press: (key) => page.body.dispatchEvent(new inner.KeyboardEvent('keydown', {key, bubbles: true})),
    type(id, words, event = 'input') {
      byId(id).value = words;
      byId(id).dispatchEvent(new inner.Event(event, {bubbles: true}));
    },
  };
}
const place = ({device, event}) => '#file=0&device=' + device + '&state=' + (event + 1) + '&tab=events';
const isAt = ({says}, event) => says('moment', 'After event ' + count(event) + ' of ');

async function stacks(view, {stacks}) {
  for (const one of stacks) {
    view.inner.location.hash = place(one);
    await until('the stack of ' + one.action, () => view.says('event-card', 'Event ' + count(one.event) + ': ') && view.says('event-card', one.line));
  }
}
async function walks(view, {walk}) {
  view.inner.location.hash = place(walk);
  await until('a link', () => isAt(view, walk.event));
  view.type('event-filter', walk.action);
  view.press('ArrowDown');
  await until('the next of the filter', () => isAt(view, walk.next));
  view.press('ArrowUp');
  await until('the one before', () => isAt(view, walk.event));
  view.type('event-filter', '');
}
async function steps(view, {file, walk, events}) {
  const times = [];
  for (let event = walk.event + 1; event < Math.min(events, walk.event + 21); ++event) {
    const began = performance.now();
    view.press('ArrowRight');
    await until('a step', () => isAt(view, event));
    times.push(performance.now() - began);
  }
  seen.steps[file] = times.sort((one, other) => one - other)[times.length >> 1];
}
async function searches(view, {searches}) {
  for (const words of searches) {
    view.type('search', words);
    await until('hits of ' + words, () => /^[1-9][\\d,]* (hits?$|of )/.test(view.byId('hits').textContent) && view.says('found', words));
  }
  view.type('search', 'no such words');
  await until('nothing', () => view.says('hits', 'nothing in this recording'));
  view.type('search', '');
}
async function hovers(view) {
  const {left, top, width, height} = view.byId('curve').getBoundingClientRect();
  let tried = 0, since = 0;
  await until('a hover', () => {
    if (performance.now() - since > (tried < 60 ? 200 : 2000)) { // the next place, because not everywhere is a band; slower if all were in vain
      const at = {clientX: left + width * ((tried % 10) / 10 + 0.05), clientY: top + (height - 15) * (0.9 - Math.floor(tried / 10) % 6 * 0.15), bubbles: true};
      view.byId('curve').dispatchEvent(new view.inner.PointerEvent('pointermove', at));
      since = performance.now();
      ++tried;
    }
    return !view.byId('tip').hidden && view.byId('tip').textContent.split('\\n').length > 2;
  });
  view.byId('curve').dispatchEvent(new view.inner.PointerEvent('pointerleave'));
}
async function axes(view, {has_times}) {
  if (!has_times) return;
  for (const axis of ['time', 'events']) {
    view.press('t');
    await until('axis of ' + axis, () => view.byId('axis').textContent === axis);
  }
}
async function tabs(view, {settings}) {
  for (const tab of ['reserved', 'pools', 'state', 'flame']) {
    view.byId('tab-' + tab).click();
    await until(tab, () => view.byId('picture').dataset.tab === tab && view.byId('picture').shadowRoot.querySelector('svg.scripted'));
  }
  view.byId('tab-info').click();
  await until('settings', () => settings.every((name) => view.says('info', name)));
}
async function devices(view, {devices}) {
  const buttons = () => [...view.byId('devices').querySelectorAll('button')];
  await until('devices', () => buttons().length === (devices.length > 1 ? devices.length : 0));
  for (const name of devices.length > 1 ? devices : []) {
    buttons().find((one) => one.textContent === name).click();
    await until(name, () => buttons().find((one) => one.textContent === name).ariaPressed === 'true');
  }
}
async function drops({file}, headline) {
  const view = await open('/empty.html'), data = new view.inner.DataTransfer();
  data.items.add(new view.inner.File([await (await fetch('/' + file + '.pickle')).arrayBuffer()], file + '.pickle'));
  view.page.body.dispatchEvent(new view.inner.DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
  await until('what is dropped', () => view.byId('headline').textContent === headline);
}
async function several(files) {
  const view = await open('/several.html'), buttons = () => [...view.byId('files').querySelectorAll('[aria-pressed]')];
  await until('all files', () => buttons().map((one) => one.textContent).join() === files.map((file) => file + '.pickle').join());
  for (const file of files.toReversed()) {
    buttons()[files.indexOf(file)].click();
    await until(file, () => buttons()[files.indexOf(file)].ariaPressed === 'true' && view.byId('moment').textContent === moments[file]);
  }
  view.byId('tab-difference').click();
  await until('what to compare with', () => [...view.byId('before').options].some((one) => one.textContent === 'against ' + files[1] + '.pickle'));
  view.byId('before').value = '1';
  view.byId('before').dispatchEvent(new view.inner.Event('change', {bubbles: true}));
  await until('a difference', () => files.slice(0, 2).every((file) => view.byId('picture').shadowRoot.textContent.includes(file)));
  view.byId('files').querySelectorAll('.close')[1].click();
  await until('one less', () => buttons().length === files.length - 1);
}
const all = await (await fetch('/wanted.json')).json();
for (const wanted of all) {
  try {
    const view = await open('/' + wanted.file + '.html');
    await until('numbers', () => view.byId('moment').textContent);
    const headline = view.byId('headline').textContent;
    moments[wanted.file] = view.byId('moment').textContent;
    if (wanted.is_oom) await until('why', () => view.byId('tab-why').ariaSelected === 'true');
    for (const row of [hovers, axes, tabs, devices, stacks, walks, steps, searches]) await row(view, wanted);
    if (view.byId('busy').textContent) throw new Error(view.byId('busy').textContent);
    const linked = await open('/' + wanted.file + '.html' + place(wanted.walk));
    await until('a link in a new page', () => isAt(linked, wanted.walk.event));
    await drops(wanted, headline);
  } catch (error) {
    seen.errors.push(wanted.file + ': ' + error.message);
  }
}
try {
  await several(all.slice(0, 3).map(({file}) => file));
} catch (error) {
  seen.errors.push('several files: ' + error.message);
}
await fetch('/seen', {method: 'POST', body: JSON.stringify(seen)});
</script>"""


def lines_of(memviz, *words):
    return subprocess.run([memviz, *words, "-q"], capture_output=True, text=True, check=True).stdout


def wanted_of(memviz, path):
    """Returns what the page must show of a file, by `stats` and `trace`."""
    stats = json.loads(lines_of(memviz, "stats", path, "--json", "-"))
    events = [line for line in map(json.loads, lines_of(memviz, "trace", path, "--format", "ndjson").splitlines()) if line["kind"] == "event"]
    first, by_device = {}, {}
    for event in events:
        by_device.setdefault(event["device"], []).append(event)
        if event.get("line"):
            first.setdefault(event["action"], event)
    alloc = first["alloc"]
    after = [event["event"] for event in by_device[alloc["device"]] if event["action"] == "alloc" and event["event"] > alloc["event"]]
    metadata = next((event["user_metadata"] for event in events if event.get("user_metadata")), None)
    return {
        "file": path.stem,
        "is_oom": "oom" in first,
        "events": len(by_device[alloc["device"]]),
        "has_times": "time_us" in events[0],
        "stacks": [{key: event[key] for key in ("device", "event", "action", "line")} for event in first.values()],
        "walk": {"device": alloc["device"], "event": alloc["event"], "action": "alloc", "next": after[0]},
        "searches": [alloc["line"].rpartition(" ")[2], hex(int(alloc["address"])), alloc["name"], *([metadata] if metadata else [])],
        "settings": [setting["name"] for setting in stats["settings"]],
        "devices": [f"GPU {device['device']}" for device in stats["devices"]],
    }


def write_files(memviz, folder, paths):
    subprocess.run([memviz, "view", "--empty", "-o", folder / "empty.html"], check=True)
    subprocess.run([memviz, "view", *paths[:3], "-o", folder / "several.html", "-q"], check=True)
    for path in paths:
        subprocess.run([memviz, "view", path, "-o", folder / f"{path.stem}.html", "-q"], check=True)
        shutil.copyfile(path, folder / path.name)
    (folder / "wanted.json").write_text(json.dumps([wanted_of(memviz, path) for path in paths]))
    (folder / "driver.html").write_text(DRIVER)


def main():
    memviz, name = os.path.abspath(sys.argv[1]), (sys.argv + ["firefox-esr"])[2]
    browser, paths = shutil.which(name), [SHARED / f"{file}.pickle" for file in FILES]
    has_page = "without the engine" not in subprocess.run([memviz, "view", "--empty", "-o", os.devnull], capture_output=True, text=True).stderr
    if not browser or not has_page or not all(path.is_file() for path in paths):
        print(f"skipped: {'no files in ' + str(SHARED) if browser and has_page else 'no page' if browser else 'no ' + name}")
        sys.exit(1 if os.environ.get("MEMVIZ_NEED_SHARED") else SKIPPED)
    with tempfile.TemporaryDirectory(prefix="memviz-rows-", ignore_cleanup_errors=True) as folder:
        for part in ("served", "profile"):
            pathlib.Path(folder, part).mkdir()
        write_files(memviz, pathlib.Path(folder, "served"), paths)
        seen = watch(browser, pathlib.Path(folder), "driver.html", SECONDS)
    if seen is None:
        sys.exit(f"no answer after {SECONDS} s")
    print("\n".join(seen["errors"]))
    print(f"{name}: {seen['rows']} things seen on {len(paths)} files; milliseconds of a step: {', '.join(f'{ms:.0f}' for ms in seen['steps'].values())}")
    sys.exit(1 if seen["errors"] or len(seen["steps"]) < len(paths) else 0)


if __name__ == "__main__":
    main()
