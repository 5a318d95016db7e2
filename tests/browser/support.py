"""memviz's pictures in a browser: the only test file that knows how the SVG marks its parts."""

import atexit
import functools
import itertools
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from playwright.sync_api import expect, sync_playwright

import environment

TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "testdata"
_pictures = tempfile.TemporaryDirectory(prefix="memviz-browser-")
_numbers = itertools.count()
# The fonts of the tests, whatever else the machine has; and those that many machines have besides.
FONTS = pathlib.Path("/usr/share/fonts/truetype")
DEJAVU = FONTS / "dejavu"
MORE_FONTS = (FONTS / "liberation", FONTS / "noto")


def memviz(*arguments):
    """Runs memviz, which must succeed; returns its output."""
    command = [os.environ["MEMVIZ_BINARY"], *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def new_file(suffix):
    return pathlib.Path(_pictures.name) / f"{next(_numbers)}{suffix}"


@functools.cache
def draw(command, *arguments):
    """Returns the SVG that a command draws; arguments that name files in testdata/ become their paths."""
    svg = new_file(".svg")
    paths = [TESTDATA / word if (TESTDATA / word).is_file() else word for word in arguments]
    memviz(command, *paths, "-o", svg)
    return svg


def url_of(page):
    """Returns the page's current URL: Playwright's own value follows a moment after a script has changed its
    fragment."""
    return page.evaluate("location.href")


def reserved_bytes(snapshot):
    stats = json.loads(memviz("stats", TESTDATA / snapshot, "--json", "-"))
    return sum(device["reserved_bytes"] for device in stats["devices"])


@functools.cache
def playwright():
    started = sync_playwright().start()
    atexit.register(started.stop)
    return started


@functools.cache
def browser(*fonts, hints="slight"):
    """Returns Chromium with only the fonts of some folders, by default those of DejaVu."""
    surroundings = only_fonts_of(*fonts, hints=hints)
    chromium = playwright().chromium.launch(executable_path=environment.chromium(), args=["--no-sandbox"], env=surroundings)
    atexit.register(chromium.close)
    return chromium


@functools.cache
def only_fonts_of(*folders, hints="slight"):
    """Returns an environment in which fontconfig knows only the fonts of some folders, by default DejaVu's, so that a
    machine's own do not matter; they do where DejaVu is missing. Letters are hinted as on Debian, fully, or, as on
    phones, not at all (none): then a letter has one form in all sizes."""
    folders = folders or (DEJAVU,)
    if not folders[0].is_dir():
        return dict(os.environ)
    families = (("sans-serif", "Sans"), ("serif", "Serif"), ("monospace", "Sans Mono"))
    parts = [f"<dir>{folder}</dir>" for folder in folders]
    parts += [f"<alias><family>{family}</family><prefer><family>DejaVu {name}</family></prefer></alias>" for family, name in families]
    parts += [f'<match target="pattern"><edit name="hintstyle" mode="assign"><const>hint{hints}</const></edit></match>']
    config = new_file(".conf")
    config.write_text(f"<fontconfig><cachedir>{_pictures.name}</cachedir>{''.join(parts)}</fontconfig>")
    return {**os.environ, "FONTCONFIG_FILE": str(config)}


class BrowserCase(unittest.TestCase):
    def open(self, file, fragment="", chromium=None, **context_options):
        """Returns a page that shows a file; everything that must not happen on it is added to `complaints`."""
        # A page in a window may write to the clipboard; without windows, only with permission.
        usual = {"viewport": {"width": 1240, "height": 900}, "reduced_motion": "reduce", "permissions": ["clipboard-write"]}
        context = (chromium or browser()).new_context(**{**usual, **context_options})
        self.addCleanup(context.close)
        page = context.new_page()
        page.set_default_timeout(60_000)  # on a busy machine as well
        self.complaints = []
        page.on("console", lambda message: self.complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("dialog", self.refuse_dialog)
        url = pathlib.Path(file).as_uri()
        page.on("request", lambda request: self.check_request(request.url, url))
        page.goto(url + fragment)
        return page

    def refuse_dialog(self, dialog):
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def check_request(self, requested, own):
        if not requested.startswith(("data:", "blob:", own)):
            self.complaints.append(f"request: {requested}")

    def open_picture(self, *command, **context_options):
        return Picture(self.open(draw(*command), **context_options))

    def tearDown(self):
        self.assertEqual(getattr(self, "complaints", []), [])


# Returns everything about the boxes in one call: their data, and their current rectangles (in the graph's coordinates).
# The script takes invisible boxes out of the document, but reports all of them. As one text, because Playwright takes
# seconds to transfer ten thousand objects.
READ_BOXES = """() => {
  const frames = document.querySelectorAll('#frames > f');
  const graph = document.querySelector('#graph');
  const boxes = graph.shownBoxes ? graph.shownBoxes() : Array.from(graph.children, (element) => ({element}));
  return JSON.stringify(boxes.map((box) => {
    const {element} = box;
    if (!element) {
      const frames = box.steps.filter((step) => step.isFrame).map((step) => step.key.slice(1)).join(' ');
      return {...box, row: box.level, name: box.label.name, width_units: box.width, frames, shown: false, x: 0, y: 0, width: 0,
              classes: [box.paint, ...(box.hit ? ['match'] : [])],
              parent: null, children: null, steps: null, run: null, label: null, span: null, parts: null};
    }
    const data = {...element.dataset};
    const frame = data.name === undefined && frames[data.frames];
    const rect = element.querySelector('rect');
    const size = (name) => Number(rect.getAttribute(name));
    const classes = new Set(element.getAttribute('class').split(' '));
    if (box.hit) classes.add('match');
    return {...data, ...(frame && {name: frame.getAttribute('n')}), classes: [...classes],
            shown: element.isConnected, width_units: data.width, x: size('x'), y: size('y'), width: size('width')};
  }));
}"""


# Playwright refuses to click a rectangle covered by its label.
LEFT_OF_LABEL = {"x": 2, "y": 9}


class Box:
    def __init__(self, index, data):
        self.index = index
        self.shown, self.classes = data["shown"], data["classes"]
        self.left, self.top, self.pixels = data["x"], data["y"], data["width"]
        self.frames = [int(index) for index in data.get("frames", "").split()]
        self.is_run = len(self.frames) > 1
        self.name = data.get("name", "")
        self.level = int(data["row"])
        self.bytes, self.blocks = int(data.get("bytes", 0)), int(data.get("blocks", 0))
        self.units = int(data.get("width_units") or 0)
        self.before, self.after = int(data.get("before", 0)), int(data.get("after", 0))
        self.parent, self.children = None, []


class Picture:
    """The parts of a picture on a page."""

    def __init__(self, page):
        self.page = page
        self.controls = page.locator("#controls")
        self.static_hint = page.locator(".static-only").first
        self.search = page.locator("#search")
        self.status = page.locator("#status")
        self.crumbs = page.locator("#crumbs .crumb")
        self.reset = page.locator("#crumbs [data-reset]")
        self.tip = page.locator("#tip")
        self.opened_frames = page.locator("#graph > g:not([data-row]):not(:has(.dust))")
        self.width = page.locator("#graph").evaluate("graph => Number(graph.dataset.width)")

    def boxes(self):
        """Returns all boxes in the order of a walk from the root, linked."""
        boxes, path = [], []
        for index, data in enumerate(json.loads(self.page.evaluate(READ_BOXES))):
            box = Box(index, data)
            del path[box.level :]
            if path:
                box.parent = path[-1]
                path[-1].children.append(box)
            path.append(box)
            boxes.append(box)
        return boxes

    def box(self, condition):
        """Returns the first box with a property, in its current state."""
        return next(box for box in self.boxes() if condition(box))

    def now(self, box):
        """Returns the same box in its current state, after a click or a key."""
        return self.boxes()[box.index]

    def frame_labels(self):
        """Returns name and place of every frame, by the number that boxes use."""
        return self.page.evaluate(
            "() => [...document.querySelectorAll('#frames > f')].map((f) => `${f.getAttribute('n')} ${f.getAttribute('p')}`.trim())"
        )

    def element(self, box):
        return self.page.evaluate_handle("(i) => document.querySelector('#graph').shownBoxes()[i].rect", box.index).as_element()

    def click(self, box):
        self.element(box).click(position=LEFT_OF_LABEL)

    def hover(self, box):
        self.element(box).hover(position=LEFT_OF_LABEL)

    def tip_lines(self):
        return self.tip.locator("text").all_text_contents()

    def type_search(self, text):
        self.search.fill(text)

    def searched(self):
        # Playwright's input_value() does not support an <input> in an XML document.
        return self.search.evaluate("input => input.value")

    def matches(self):
        return [box for box in self.boxes() if "match" in box.classes]

    def words(self):
        """Returns all drawn text."""
        return self.page.evaluate("""() => Array.from(document.querySelectorAll('text'), (text) => text.textContent)""")
