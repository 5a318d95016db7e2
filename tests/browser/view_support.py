"""The page of `memviz view` in a browser: the only test file that knows the parts of that page."""

import functools
import os
import re
import subprocess
import time
import unittest

from support import TESTDATA, BrowserCase, expect, memviz, new_file

NUMBERS = re.compile(r"(?:After event (?P<event>[\d,]+) of [\d,]+|Before the first event|No events recorded).*?: (?P<live>[\d.,]+ \w+) in (?P<count>[\d,]+) allocations?, (?P<reserved>[\d.,]+ \w+) reserved")
expect.set_options(timeout=30_000)  # on a busy machine as well
TABS = ["flame", "state", "why", "table", "events", "timeline", "reserved", "pools", "difference", "info"]
PICTURES = [tab for tab in TABS if tab not in ("table", "events", "info")]

# Keeps back the messages to the engine for which `isHeld` holds until release(), and notes all questions.
HOLD = """isHeld => {
  const post = Worker.prototype.postMessage, held = [];
  let isHolding = true;
  window.asked = [];
  window.heldNow = () => held.length;
  window.release = () => {
    isHolding = false;
    for (const ask of held.splice(0)) ask();
  };
  Worker.prototype.postMessage = function(message, ...more) {
    if (message.request) window.asked.push(message.request);
    const ask = () => post.call(this, message, ...more);
    if (isHolding && isHeld(message)) held.push(ask);
    else ask();
  };
}"""


@functools.cache
def write_page(*arguments):
    """Returns the page for snapshots; names in testdata/ become paths."""
    page = new_file(".html")
    memviz("view", *[TESTDATA / word if (TESTDATA / word).is_file() else word for word in arguments], "-o", page)
    return page


@functools.cache
def has_engine():
    return "without the engine" not in refusal()


@functools.cache
def refusal():
    """Returns the program's message if it has no engine."""
    command = [os.environ["MEMVIZ_BINARY"], "view", "--empty", "-o", str(new_file(".html"))]
    return subprocess.run(command, capture_output=True, text=True).stderr


class ViewCase(BrowserCase):
    @classmethod
    def setUpClass(cls):
        if not has_engine():
            raise unittest.SkipTest(refusal().strip())

    def view(self, *snapshots, fragment="", **context_options):
        view = View(self.open(write_page(*snapshots), fragment, **context_options))
        expect(view.cover).to_be_hidden()
        if not view.page.locator("body.no-device").count():  # a file without memory has no moment
            expect(view.moment).to_contain_text("event")
        return view


class View:
    """The parts of the page."""

    def __init__(self, page):
        self.page = page
        self.curve, self.map, self.cells = page.locator("#curve"), page.locator("#map"), page.locator("#cells")
        self.moment, self.found = page.locator("#moment"), page.locator("#found")
        self.pinned, self.search, self.message = page.locator("#pinned"), page.locator("#search"), page.locator("#message")
        self.busy, self.headline, self.cover = page.locator("#busy"), page.locator("#headline"), page.locator("#cover")
        self.files, self.devices = page.locator("#files [aria-pressed]"), page.locator("#devices button")
        self.help = page.locator("#help")
        self.card, self.hits = page.locator("#event-card"), page.locator("#hits")
        self.picture = page.locator("#picture")
        self.event_rows = page.locator("#event-list .event")

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def wait_for_event(self, event):
        """Waits until the numbers are those after an event; None: before the first."""
        expect(self.moment).to_have_text(re.compile("^Before the first" if event is None else f"^After event {event:,} of"))

    def until(self, holds, seconds=20):
        """Waits in Python, because the page's policy forbids Playwright's own wait for a condition."""
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(f"waited {seconds} s in vain")
            self.page.wait_for_timeout(20)

    def hold(self, is_held):
        """Keeps back messages to the engine, by a function in JavaScript, until release()."""
        self.page.evaluate(f"() => ({HOLD})({is_held})")

    def wait_for_held(self):
        self.until(lambda: self.page.evaluate("heldNow()"))

    def release(self):
        self.page.evaluate("release()")

    def numbers(self):
        return NUMBERS.match(self.moment.inner_text()).groupdict()

    def link(self):
        """Returns the fragment that the page writes after a short delay."""
        self.page.wait_for_timeout(350)
        return self.page.evaluate("location.hash")

    def tab(self, name):
        self.page.locator(f"#tab-{name}").click()

    def mark_in_picture(self, tab):
        """Returns a block of the segments, or a band of the timeline, once the picture's script has laid it out."""
        expect(self.page.locator("#picture")).to_have_attribute("data-tab", tab)
        expect(self.picture.locator("svg.scripted")).to_be_visible()
        mark = self.picture.locator("#board > .free rect" if tab == "state" else ".bands > path").first
        mark.element_handle().wait_for_element_state("stable")
        return mark

    def click_in_picture(self, tab):
        self.mark_in_picture(tab).click(position={"x": 3, "y": 3}, force=True)

    def picture_of(self, canvas):
        return canvas.evaluate("canvas => canvas.toDataURL()")

    def at(self, canvas, across, down=0.5):
        """Returns a place on a canvas in pixels of the page."""
        box = canvas.bounding_box()
        return box["x"] + across * box["width"], box["y"] + down * box["height"]

    def drag(self, canvas, *places, down=0.5):
        """Drags over a canvas, between two fractions of its width."""
        self.page.mouse.move(*self.at(canvas, places[0], down))
        self.page.mouse.down()
        for place in places[1:]:
            self.page.mouse.move(*self.at(canvas, place, down))
        self.page.mouse.up()
