"""The segments of `state` and `flame --view segments` in a browser: zoom, search, keys, tooltips, the fragment, and
window widths."""

import json
import re

import snapshots
from support import TESTDATA, BrowserCase, draw, expect, memviz, url_of

SNAPSHOT = "oom_expandable.pickle"

# Returns texts of the board that extend beyond it.
OUTSIDE = """() => {
  const page = document.querySelector('#page').getBoundingClientRect();
  return Array.from(document.querySelectorAll('#board text'))
    .filter((text) => text.getBoundingClientRect().right > page.right + 1).map((text) => text.textContent);
}"""
STRIPS = """() => Array.from(document.querySelectorAll('#board > .free rect'),
  (rect) => ['x', 'y', 'width'].map((name) => Number(rect.getAttribute(name))))"""
TEXTS = "() => Array.from(document.querySelectorAll('#board > text'), (text) => [text.getAttribute('y'), text.textContent])"
MUTED_LINES = """() => Array.from(document.querySelectorAll('[data-flow=words] text.muted'),
  (text) => Array.from(text.children.length ? text.children : [text], (part) => part.textContent).join(' '))"""
SMALLEST = "() => Math.min(...Array.from(document.querySelectorAll('text'), (text) => parseFloat(getComputedStyle(text).fontSize)))"


class BoardCases(BrowserCase):
    def open_board(self, *options, command="state", fragment="", **context_options):
        page = self.open(draw(command, SNAPSHOT, "--quiet", *options), **context_options)
        if fragment:
            page.evaluate("fragment => { location.hash = fragment; }", fragment)
        return page

    def pointer_on(self, page, index=0):
        """Moves to the left end of a strip; returns that position."""
        box = page.locator("#board > .free rect").nth(index).bounding_box()
        page.mouse.move(box["x"] + 3, box["y"] + box["height"] / 2)
        return box["x"] + 3, box["y"] + box["height"] / 2

    def tip(self, page):
        return page.locator("#tip text").all_text_contents()

    def stats(self):
        return json.loads(memviz("stats", TESTDATA / SNAPSHOT, "--at", "auto", "--json", "-"))["devices"]

    def test_a_tooltip_says_line_size_state_and_address(self):
        page = self.open_board()
        self.pointer_on(page)
        words = "\n".join(self.tip(page))
        self.assertRegex(words, r"at 0x[0-9a-f]+")
        self.assertRegex(words, r"in segment 0x[0-9a-f]+, .* in use")
        self.assertRegex(words, r"in use \(active_allocated\)|^free")
        self.assertNotIn("torch::unwind", self.tip(page)[0])

    def test_a_tooltip_folds_the_stack_and_stays_in_the_window(self):
        own = [snapshots.frame("main", 10), snapshots.frame("forward", 20, f"/home/me/{'model_' * 12}.py")]
        within = [snapshots.torch_frame("_call_impl", 1511), snapshots.frame("_PyEval_EvalFrameDefault", 0, "??"),
                  snapshots.frame("at::empty_cuda(int)", 0, "??"), snapshots.frame("c10::cuda::malloc(void**)", 0, "??")]  # fmt: skip
        svg = draw("state", snapshots.snapshot([own + within] * 4))
        for width, height in ((1240, 260), (400, 700)):
            with self.subTest(width=width):
                page = self.open(svg)
                page.set_viewport_size({"width": width, "height": height})
                page.locator("#board").evaluate("board => board.scrollIntoView({block: 'end'})")
                self.pointer_on(page)
                box = page.locator("#tip rect").bounding_box()
                self.assertGreaterEqual(box["y"], 0)
                self.assertLessEqual(box["y"] + box["height"], height)
                lines = self.tip(page)
                if width > 1000:
                    stack = ["main train.py:10", "then called: _call_impl module.py:1511", "  … and 2 frames inside it"]
                    self.assertEqual(lines[-3:], stack)
                self.assertRegex(lines[-4], r"^forward .*model_\.py:20$")

    def test_a_click_zooms_into_a_segment_and_back(self):
        page = self.open_board()
        strips = page.locator("#board > .free rect").count()
        page.mouse.click(*self.pointer_on(page))
        self.assertRegex(url_of(page), r"#zoom=0\.0\.\d+$")
        self.assertIn("segment 0x", page.locator("#crumbs").text_content())
        self.assertLessEqual(page.locator("#board > .free rect").count(), 24)
        page.keyboard.press("Backspace")
        self.assertNotIn("#zoom", url_of(page))
        self.assertEqual(page.locator("#board > .free rect").count(), strips)

    def test_clicks_in_a_segment_come_closer(self):
        page = self.open_board()
        page.mouse.click(*self.pointer_on(page))
        whole = url_of(page)
        page.mouse.click(*self.pointer_on(page))
        begin, end = map(int, re.search(r"#zoom=0\.(\d+)\.(\d+)$", url_of(page)).groups())
        self.assertLess(end - begin, int(whole.rsplit(".", 1)[1]))
        page.keyboard.press("Escape")
        self.assertNotIn("#zoom", url_of(page))

    def test_the_fragment_brings_the_view_back(self):
        page = self.open_board(fragment="zoom=0&search=a")
        page.wait_for_function("document.querySelector('#crumbs').textContent.includes('segment 0x')")
        self.assertEqual(page.locator("#search").evaluate("input => input.value"), "a")
        for fragment in ("zoom=__proto__", "zoom=-1.5", "zoom=99999.1.2", "zoom=0.9.1"):
            page.evaluate("fragment => { location.hash = fragment; }", fragment)
        self.assertGreater(page.locator("#board > .free rect").count(), 0)

    def test_a_search_says_bytes_and_percent_and_goes_from_match_to_match(self):
        page = self.open_board()
        page.keyboard.press("/")
        page.locator("#search").fill("/./")
        reserved = sum(device["reserved_bytes"] for device in self.stats())
        used = sum(device["allocated_bytes"] + device["pending_free_bytes"] for device in self.stats())
        status = page.locator("#status").text_content()
        self.assertRegex(status, r"^[\d,]+ blocks?, .*B, .* % of what is reserved$")
        percent = float(re.search(r"([\d.]+) %", status).group(1))
        self.assertAlmostEqual(percent, 100 * used / reserved, delta=0.06)
        page.keyboard.press("Enter")
        self.assertRegex(page.locator("#status").text_content(), r"^1 of ")
        self.assertTrue(page.locator(".focus-mark").get_attribute("d"))
        page.locator("#search").fill("no such line")
        self.assertEqual(page.locator("#status").text_content(), "no match")
        page.keyboard.press("Escape")
        self.assertNotIn("search", url_of(page))

    def test_a_line_of_the_list_leads_to_its_blocks(self):
        page = self.open_board()
        page.locator(".row text").first.click()
        self.assertIn("1 of ", page.locator("#status").text_content())
        self.assertGreater(page.locator("#board .hit").count(), 0)

    def test_below_a_graph_segments_have_tooltips_and_follow_its_search(self):
        page = self.open_board("--view", "segments", command="flame", viewport={"width": 1240, "height": 1400})
        self.pointer_on(page)
        words = "\n".join(self.tip(page))
        self.assertRegex(words, r"in segment 0x[0-9a-f]+, .* in use")
        self.assertRegex(words, r"allocated at event [\d,]+")
        self.assertEqual(page.locator("#board .hit").count(), 0)
        page.keyboard.press("c")
        name = self.tip(page)[0]
        expect(page.locator("#status")).to_have_text(f"copied: {name}")
        page.mouse.down()
        page.mouse.up()
        self.assertEqual(page.locator("#search").evaluate("input => input.value"), name)
        self.assertGreater(page.locator("#board .hit").count(), 0)
        self.assertGreater(page.locator("#graph .match").count(), 0)
        page.locator("#search").fill("no such line")
        self.assertEqual(page.locator("#board .hit").count(), 0)

    def test_a_line_that_pins_leads_to_its_blocks(self):
        page = self.open(draw("flame", "cases/split_free_blocks.pickle", "--view", "segments", "--quiet"))
        page.locator(".row", has_text="40 blocks in 40 segments").locator("text").first.click()
        self.assertEqual(page.locator("#board .hit").count(), 1)

    def test_arrow_keys_walk_and_enter_zooms(self):
        page = self.open_board()
        page.keyboard.press("ArrowRight")
        first = self.tip(page)
        page.keyboard.press("ArrowRight")
        self.assertNotEqual(self.tip(page), first)
        page.keyboard.press("ArrowDown")
        below = self.tip(page)
        page.keyboard.press("ArrowUp")
        self.assertNotEqual(self.tip(page), below)
        page.keyboard.press("Enter")
        self.assertIn("#zoom=", url_of(page))
        page.keyboard.press("?")
        self.assertIn("Backspace", page.locator("#dialog").text_content())
        page.keyboard.press("Escape")
        self.assertEqual(page.locator("#dialog").count(), 0)

    def test_every_width_from_a_phone_to_a_wall(self):
        for width in (390, 830, 1400, 2400):
            for snapshot in (SNAPSHOT, "devices_streams.pickle", "cases/private_pool.pickle"):
                with self.subTest(width=width, snapshot=snapshot):
                    page = self.open(draw("state", snapshot, "--quiet"))
                    page.set_viewport_size({"width": width, "height": 900})
                    page.wait_for_function("width => document.querySelector('#page').getBoundingClientRect().width <= width", arg=width)
                    self.assertLessEqual(page.locator("#page").bounding_box()["width"], width)
                    self.assertEqual(page.evaluate(OUTSIDE), [])
                    self.assertGreaterEqual(page.evaluate(SMALLEST), 11)

    def test_a_name_in_a_tooltip_is_the_name_in_the_trace(self):
        page = self.open_board()
        names = set()
        for _ in range(12):
            page.keyboard.press("ArrowRight")
            words = "\n".join(self.tip(page))
            name, event = re.search(r", (b[0-9a-f]+_\d+) in the trace", words), re.search(r"allocated at event ([\d,]+)", words)
            if not name or not event:
                continue
            names.add(name.group(1))
            trace = memviz("trace", TESTDATA / SNAPSHOT, "--address", name.group(1), "--action", "alloc", "--format", "ndjson")
            events = [json.loads(line) for line in trace.splitlines()]
            self.assertIn(int(event.group(1).replace(",", "")), [line.get("event", line.get("index")) for line in events])
            self.assertRegex(words, r"allocated at event [\d,]+(, [\d,]+ events?( and .*)? before this moment)?\n")
        self.assertGreater(len(names), 1)
        page.locator("#search").fill(sorted(names)[0])
        self.assertRegex(page.locator("#status").text_content(), r"^1 block, ")

    def test_an_expression_that_could_stop_the_page_is_refused(self):
        page = self.open_board()
        page.locator("#search").fill("/(a+)+/")
        self.assertEqual(page.locator("#status").text_content(), "too slow: it repeats what repeats or chooses")
        page.locator("#search").fill("/(/")
        self.assertEqual(page.locator("#status").text_content(), "not a valid expression")

    def test_the_file_and_its_script_place_segments_alike(self):
        drawn = [("state", name) for name in (SNAPSHOT, "devices_streams.pickle", "cases/private_pool.pickle", "pools_tuple.pickle")]
        for command in (*drawn, ("flame", "devices_streams.pickle", "--view", "segments")):
            with self.subTest(command):
                svg = draw(*command, "--quiet")
                still, moving = (self.open(svg, java_script_enabled=on) for on in (False, True))
                width = int(float(still.locator("#page").get_attribute("width")))
                moving.set_viewport_size({"width": width, "height": 900})
                moving.wait_for_function("width => document.querySelector('#page').getAttribute('width') == width", arg=width)
                for told in (STRIPS, TEXTS):
                    self.assertTrue(still.evaluate(told))
                    self.assertEqual(still.evaluate(told), moving.evaluate(told))

    def test_on_a_phone_nothing_of_the_controls_is_cut(self):
        for command in ("state", "flame"):
            page = self.open(draw(command, SNAPSHOT, "--quiet"), viewport={"width": 390, "height": 900})
            crumbs = page.locator("#crumbs")
            self.assertTrue(crumbs.evaluate("element => element.scrollWidth <= element.clientWidth"))
            search, hint = page.locator("#search").bounding_box(), crumbs.bounding_box()
            self.assertLess(hint["y"] - search["y"] - search["height"], 12)

    def test_words_of_a_long_line_are_whole(self):
        words = None
        for width in (390, 840):
            page = self.open(draw("state", "devices_streams.pickle", "--quiet"), viewport={"width": width, "height": 900})
            lines = page.evaluate(MUTED_LINES)
            self.assertNotIn("…", " ".join(lines))
            shown = set(" ".join(lines).replace(" · ", " ").split())
            self.assertEqual(words or shown, shown)
            words = shown
