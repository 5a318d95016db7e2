"""The first screen of each picture, on a desk and on a phone: what it says, and where that is.

By texts and their places, not by pixels. The pictures of testdata/ take seconds; those of ../shared/snapshots, where they
are, a minute.
"""

import os
import pathlib

from support import TESTDATA, BrowserCase, draw

SCREENS = {"phone": (400, 800), "tablet": (700, 900), "desk": (1200, 800)}
KINDS = ("flame", "state", "timeline", "explain")
COMPARED = (("before.pickle", "after.pickle"), ("training_step.pickle", "oom.pickle"), ("devices_streams.pickle", "devices_streams.pickle"))
# Out of memory, a step of training, several devices and streams, a ring that lost events, and no stacks.
FILES = ("oom.pickle", "training_step.pickle", "devices_streams.pickle", "ring_lost_history.pickle", "segments_only.pickle")

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared" / "snapshots"
REAL = ("oom_expandable_3gpu", "private_pools", "ring_full_10000", "expandable_bf16", "no_frames_no_events", "training_step_medium",
        "training_step_xl_bf16", "expandable_tiny", "python_only_stacks", "user_metadata_keys", "many_blocks_2gpu", "octree_small")  # fmt: skip
REAL_COMPARED = (("octree_before", "octree_after"), ("expandable_fp32", "expandable_bf16"), ("no_grad_before", "grad_after"),
                 ("ring_full_10000", "training_step_medium"), ("expandable_tiny", "expandable_tiny_2gpu"), ("private_pools", "many_blocks_2gpu"))  # fmt: skip

# Returns texts and controls that reach into the margin of the page, or overlap.
MISPLACED = """() => {
  const page = document.querySelector('#page').getBoundingClientRect();
  const margin = page.width < 600 ? 8 : 20;
  const isDrawn = (element) => element.getClientRects().length && getComputedStyle(element).display !== 'none';
  const controls = [...document.querySelectorAll('#controls button,#controls input,#controls label')].filter((element) => isDrawn(element) && element.offsetWidth)
    .map((element) => ({words: element.textContent || element.placeholder || element.id, at: element.getBoundingClientRect()}));
  const found = [...document.querySelectorAll('text')].filter((text) => text.textContent.trim() && isDrawn(text))
    .map((text) => ({words: text.textContent, at: text.getBoundingClientRect()})).concat(controls).sort((a, b) => a.at.top - b.at.top);
  const wrong = found.filter(({at}) => at.left < page.left + margin || at.right > page.right - margin).map(({words}) => `cut: ${words}`);
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
  const isDrawn = (element) => element.getClientRects().length;
  const placed = (element) => element && {words: element.textContent, top: element.getBoundingClientRect().top, bottom: element.getBoundingClientRect().bottom};
  const texts = (selector) => [...document.querySelectorAll(selector)].filter(isDrawn).map(placed);
  const rows = (selector) => [...document.querySelectorAll(selector)].map((row) => ({...placed(row), words: [...row.querySelectorAll('text')].map((text) => text.textContent)}));
  const drawing = document.querySelector('#graph,#board,.panel-ground');
  return {headline: texts('.headline'), answer: texts('.answer'), leading: rows('[data-leading] > .row'), listed: rows('[data-flow=rows]:not([data-flow=rows] ~ *) > .row'), drawing: placed(drawing)};
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

# Returns the head of a narrow picture, and how many parts of the wide one are drawn.
NARROW = """() => {
  const isDrawn = (element) => element.getClientRects().length && element.getBoundingClientRect().height;
  const texts = [...document.querySelectorAll('.narrow text')].filter(isDrawn);
  const boxes = texts.map((text) => text.getBoundingClientRect());
  return {headline: texts.filter((text) => text.matches('.headline')).map((text) => text.textContent).join(' '),
          rows: [...document.querySelectorAll('.narrow .row')].filter(isDrawn).map((row) => row.querySelector('text').textContent),
          sizes: texts.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a),
          left: Math.min(...boxes.map((box) => box.left)), right: Math.max(...boxes.map((box) => box.right)), bottom: Math.max(...boxes.map((box) => box.bottom)),
          overlaps: boxes.filter((box, i) => boxes.some((other, j) => j > i && other.top < box.bottom - 5 && other.bottom > box.top + 5 && other.left < box.right && other.right > box.left)).length,
          drawing: document.querySelector('#graph,#board,.panel-ground,[data-flow=rule]').getBoundingClientRect().top,
          wide: [...document.querySelectorAll('.wide')].filter(isDrawn).length};
}"""

SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def percent(share):
    return float(share.lstrip("<> ").rstrip(" %"))


class FirstScreen(BrowserCase):
    def assert_first_screen(self, page, kind, screen, height):
        seen = page.evaluate(FIRST_SCREEN)
        self.assertTrue(seen["headline"])
        self.assertLess(seen["headline"][-1]["bottom"], 200)
        for sentence in seen["answer"]:
            self.assertLess(sentence["bottom"], height * 0.4)
        if kind == "compare":
            self.assertEqual(seen["leading"], [], "the sentence names the lines")
        else:
            self.assert_leading(seen["leading"], seen["listed"], screen, height)
        if kind != "explain":
            self.assertLess(seen["drawing"]["top"], height - 100, "the drawing begins on the first screen")

    def assert_leading(self, leading, listed, screen, height):
        """The first rows of the list, as far as they are worth a line."""
        self.assertLessEqual(len(leading), 3)
        for shown, row in zip(leading, listed):
            self.assertLess(shown["bottom"], height * 0.6)
            self.assertEqual(shown["words"][0], row["words"][0], "the bytes of the list's first rows")
            if len(leading) == 1 and screen == "desk":
                self.assertNotIn("…", shown["words"][1], "there is room for one label")
        if len(leading) < min(3, len(listed)):
            self.assertLess(percent(listed[len(leading)]["words"][1]), 1.0)

    def assert_readable(self, kind, *files):
        page = self.open(draw(kind, *files), viewport={"width": 400, "height": 800})
        for screen, (width, height) in SCREENS.items():
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(SETTLED)
            with self.subTest(kind=kind, files=files, screen=screen):
                self.assert_first_screen(page, kind, screen, height)
                self.assertEqual(page.evaluate(MISPLACED), [])
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            with self.subTest(kind=kind, files=files, scheme=scheme):
                self.assertGreaterEqual(page.evaluate(CONTRAST), 4.5)
        page.context.close()

    def assert_static(self, kind, *files):
        page = self.open(draw(kind, *files), java_script_enabled=False, viewport={"width": 900, "height": 800})
        with self.subTest(kind=kind, files=files, scripts=False):
            self.assert_first_screen(page, kind, "static", 800)
            self.assertEqual(page.evaluate(MISPLACED), [])
            self.assertEqual(page.evaluate(NARROW)["sizes"], [])
            headline = " ".join(text["words"] for text in page.evaluate(FIRST_SCREEN)["headline"])
            leading = [row["words"][0] for row in page.evaluate(FIRST_SCREEN)["leading"]]
            page.set_viewport_size({"width": 400, "height": 800})
            self.assert_narrow(page.evaluate(NARROW), headline, leading)
        page.context.close()

    def assert_narrow(self, seen, headline, leading):
        """The answer in a size that can be read, instead of all that is above the drawing."""
        self.assertEqual(seen["headline"], headline)
        self.assertEqual(seen["rows"], leading[: len(seen["rows"])])
        self.assertGreaterEqual(len(seen["rows"]), min(2, len(leading)))
        self.assertGreaterEqual(min(seen["sizes"]), 11.5)
        self.assertGreaterEqual(seen["left"], 8)
        self.assertLessEqual(seen["right"], 392)
        self.assertLessEqual(seen["bottom"], seen["drawing"])
        self.assertEqual((seen["overlaps"], seen["wide"]), (0, 0))


class FirstScreenCases(FirstScreen):
    def test_who_holds_how_much_is_on_the_first_screen(self):
        for file in FILES:
            for kind in KINDS:
                self.assert_readable(kind, file)

    def test_a_phone_lays_it_out_for_its_own_width(self):
        phone = {"viewport": {"width": 400, "height": 800}, "is_mobile": True, "has_touch": True}
        for kind in KINDS:
            page = self.open(draw(kind, "oom.pickle"), **phone)
            with self.subTest(kind=kind):
                page.wait_for_function("document.querySelector('#page').getBoundingClientRect().width === 400")
                self.assertEqual(page.evaluate("innerWidth"), 400)
                self.assert_first_screen(page, kind, "phone", 800)

    def test_what_changed_is_on_the_first_screen(self):
        for files in COMPARED:
            self.assert_readable("compare", *files)
            self.assert_static("compare", *files)

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

    def test_what_changed_is_on_the_first_screen_of_real_files(self):
        for names in REAL_COMPARED:
            files = [SHARED / f"{name}.pickle" for name in names]
            self.assert_readable("compare", *files)
            self.assert_static("compare", *files)
