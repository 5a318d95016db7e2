"""The first screen of each picture, on a desk and on a phone: what it says, and where that is.

By texts and their places, not by pixels. The pictures of testdata/ take seconds; those of ../shared/snapshots, where they
are, half a minute.
"""

import os
import pathlib

from support import TESTDATA, BrowserCase, draw

SCREENS = {"phone": (400, 800), "tablet": (700, 900), "desk": (1200, 800)}
KINDS = ("flame", "state", "timeline", "explain")
# Out of memory, a step of training, several devices and streams, a ring that lost events, and no stacks.
FILES = ("oom.pickle", "training_step.pickle", "devices_streams.pickle", "ring_lost_history.pickle", "segments_only.pickle")

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared" / "snapshots"
REAL = ("oom_expandable_3gpu", "private_pools", "ring_full_10000", "expandable_bf16", "no_frames_no_events", "training_step_medium",
        "training_step_xl_bf16", "expandable_tiny", "python_only_stacks", "user_metadata_keys")  # fmt: skip

# Returns texts that extend beyond the page, or overlap.
MISPLACED = """() => {
  const page = document.querySelector('#page').getBoundingClientRect();
  const found = [...document.querySelectorAll('text')]
    .filter((text) => text.textContent.trim() && text.getClientRects().length && getComputedStyle(text).display !== 'none')
    .map((text) => ({words: text.textContent, at: text.getBoundingClientRect()})).sort((a, b) => a.at.top - b.at.top);
  const wrong = found.filter(({at}) => at.left < page.left - 0.5 || at.right > page.right + 0.5).map(({words}) => `cut: ${words}`);
  found.forEach((one, i) => {
    for (let j = i + 1; j < found.length && found[j].at.top < one.at.bottom - 4; ++j) {
      const other = found[j];
      if (other.at.left < one.at.right - 2 && one.at.left < other.at.right - 2) wrong.push(`on one another: ${one.words} | ${other.words}`);
    }
  });
  return wrong;
}"""

# Returns the parts of the first screen, with their positions in the window.
FIRST_SCREEN = """() => {
  const placed = (element) => element && {words: element.textContent, top: element.getBoundingClientRect().top, bottom: element.getBoundingClientRect().bottom};
  const texts = (selector) => [...document.querySelectorAll(selector)].map(placed);
  const rows = (selector) => [...document.querySelectorAll(selector)].map((row) => ({...placed(row), words: [...row.querySelectorAll('text')].map((text) => text.textContent)}));
  const drawing = document.querySelector('#graph,#board,.panel-ground');
  return {headline: texts('.headline'), leading: rows('[data-leading] > .row'), listed: rows('[data-flow=rows]:not([data-flow=rows] ~ *) > .row'), drawing: placed(drawing)};
}"""

# Returns the lowest contrast of the headline, the sentence below it and the leading rows with the page.
CONTRAST = """() => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map(Number).map((part) => (part /= 255) <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const page = luminance(getComputedStyle(document.querySelector('#page')).fill);
  return Math.min(...[...document.querySelectorAll('.headline,.answer,[data-leading] text')].map((text) => {
    const own = luminance(getComputedStyle(text).fill);
    return (Math.max(own, page) + 0.05) / (Math.min(own, page) + 0.05);
  }));
}"""

SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


class FirstScreen(BrowserCase):
    def assert_first_screen(self, page, kind, screen, height):
        seen = page.evaluate(FIRST_SCREEN)
        self.assertTrue(seen["headline"])
        self.assertLess(seen["headline"][-1]["bottom"], 200)
        self.assertEqual(len(seen["leading"]), min(3, len(seen["listed"])))
        for leading, listed in zip(seen["leading"], seen["listed"]):
            self.assertLess(leading["bottom"], height * 0.6)
            self.assertEqual(leading["words"][0], listed["words"][0], "the bytes of the list's first rows")
        if kind != "explain":
            self.assertLess(seen["drawing"]["top"], height - 100, "the drawing begins on the first screen")

    def assert_readable(self, kind, file):
        page = self.open(draw(kind, file), viewport={"width": 400, "height": 800})
        for screen, (width, height) in SCREENS.items():
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(SETTLED)
            with self.subTest(kind=kind, file=str(file), screen=screen):
                self.assert_first_screen(page, kind, screen, height)
                self.assertEqual(page.evaluate(MISPLACED), [])
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            with self.subTest(kind=kind, file=str(file), scheme=scheme):
                self.assertGreaterEqual(page.evaluate(CONTRAST), 4.5)
        page.context.close()

    def assert_static(self, kind, file):
        page = self.open(draw(kind, file), java_script_enabled=False, viewport={"width": 900, "height": 800})
        with self.subTest(kind=kind, file=str(file), scripts=False):
            self.assert_first_screen(page, kind, "desk", 800)
            self.assertEqual(page.evaluate(MISPLACED), [])
        page.context.close()


class FirstScreenCases(FirstScreen):
    def test_who_holds_how_much_is_on_the_first_screen(self):
        for file in FILES:
            for kind in KINDS:
                self.assert_readable(kind, file)

    def test_who_holds_how_much_is_there_without_scripts(self):
        for file in FILES:
            for kind in KINDS:
                self.assert_static(kind, file)

    def test_on_a_phone_details_come_after_the_drawing(self):
        for first, *command in (("[data-leading]", "flame", "training_step.pickle"), (".answer", "compare", "before.pickle", "oom.pickle")):
            page = self.open(draw(*command), viewport={"width": 400, "height": 800})
            self.assert_order(page, first, "#graph", "[data-detail]")
            page.set_viewport_size({"width": 1200, "height": 800})
            page.evaluate(SETTLED)
            self.assert_order(page, "[data-detail]", "#graph")

    def assert_order(self, page, *parts):
        tops = page.evaluate("(parts) => parts.map((part) => document.querySelector(part).getBoundingClientRect().top)", list(parts))
        self.assertEqual(tops, sorted(tops))


class RealFirstScreenCases(FirstScreen):
    def setUp(self):
        if SHARED.is_dir():
            return
        if os.environ.get("MEMVIZ_NEED_SHARED"):
            self.fail(f"MEMVIZ_NEED_SHARED is set, but there is no {SHARED}")
        self.skipTest(f"no {SHARED}")

    def test_who_holds_how_much_is_on_the_first_screen_of_real_files(self):
        for name in REAL:
            for kind in KINDS:
                self.assert_readable(kind, SHARED / f"{name}.pickle")
                self.assert_static(kind, SHARED / f"{name}.pickle")
