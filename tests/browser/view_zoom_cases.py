"""The page of `memviz view`: the curve zoomed in both axes, and colours that mean the same in all parts."""

import re

from support import expect
from view_support import ViewCase

STEP = "training_step.pickle"


class BoxCases(ViewCase):
    def setUp(self):
        self.opened = self.view(STEP)
        expect(self.opened.page.locator("#first")).to_have_text("before the first event")

    def number(self, name):
        found = re.search(rf"[#&]{name}=(\d+)", self.opened.link())
        return int(found[1]) if found else None

    def drag_box(self, left, top, right, bottom):
        page, place = self.opened.page, self.opened.at
        page.keyboard.down("Control")
        page.mouse.move(*place(self.opened.curve, left, top))
        page.mouse.down()
        page.mouse.move(*place(self.opened.curve, right, bottom), steps=4)
        page.mouse.up()
        page.keyboard.up("Control")

    def test_a_box_is_shown_in_both_axes_and_back_returns(self):
        view = self.opened
        whole = view.picture_of(view.curve)
        self.drag_box(0.2, 0.2, 0.4, 0.6)
        expect(view.page.locator("#first")).to_have_text(re.compile("^event 30[4-7]$"))
        view.until(lambda: view.picture_of(view.curve) != whole)
        self.assertAlmostEqual(self.number("last"), 612, delta=3)
        low, high = self.number("low"), self.number("high")
        self.assertTrue(2**31 < low < high < 7 * 2**30, (low, high))
        boxed = view.picture_of(view.curve)
        view.page.evaluate("history.back()")
        expect(view.page.locator("#first")).to_have_text("before the first event")
        view.until(lambda: view.picture_of(view.curve) == whole)
        self.assertIsNone(self.number("low"))
        view.page.evaluate("history.forward()")
        view.until(lambda: view.picture_of(view.curve) == boxed)
        view.press("0")
        view.until(lambda: view.picture_of(view.curve) == whole)

    def test_a_band_is_found_in_a_box(self):
        view = self.opened
        self.drag_box(0.2, 0.3, 0.4, 0.75)
        expect(view.page.locator("#first")).to_have_text(re.compile("^event 30"))
        view.until(lambda: self.number("low"))
        view.page.mouse.move(*view.at(view.curve, 0.3, 0.6))
        expect(view.page.locator("#tip")).to_contain_text("activation")
        self.assertRegex(view.page.locator("#tip").inner_text(), r"from event \d+")

    def test_keys_zoom_and_move_the_bytes(self):
        view = self.opened
        view.press("y")
        view.until(lambda: self.number("high"))
        low, high = self.number("low"), self.number("high")
        view.press("y")
        view.until(lambda: self.number("high") - (self.number("low") or 0) < high - low)
        nearer = self.number("low")
        view.press("PageDown")
        view.until(lambda: self.number("low") < nearer)
        view.press("PageUp")
        view.until(lambda: abs(self.number("low") - nearer) < 4096)
        # At most all memory, with the room above it.
        view.press(*["PageUp"] * 30)
        view.until(lambda: self.number("low") > nearer)
        highest = self.number("high")
        view.press("PageUp")
        view.page.wait_for_timeout(200)
        self.assertEqual(self.number("high"), highest)
        view.press("Y", "Y")
        view.until(lambda: self.number("high") is None)

    def test_a_range_fits_with_the_bytes_of_its_lowest_and_highest_moment(self):
        view = self.opened
        view.drag(view.curve, 0.5, 0.65)
        expect(view.page.locator("#range")).to_be_visible()
        view.press("Z")
        expect(view.page.locator("#first")).to_have_text(re.compile("^event 76"))
        view.until(lambda: self.number("low"))
        self.assertTrue(2**30 < self.number("low") < self.number("high") < 4 * 2**30)

    def test_a_link_shows_the_box(self):
        fragment = "#file=0&device=0&state=500&first=300&last=600&low=2147483648&high=4294967296"
        view = self.view(STEP, fragment=fragment)
        expect(view.page.locator("#first")).to_have_text("event 299")
        view.wait_for_event(499)
        self.assertIn("low=2147483648&high=4294967296", view.link())


class ColourCases(ViewCase):
    """One choice of colours, for all parts."""

    def test_the_same_line_has_the_same_colour_in_all_parts(self):
        for event in (499, 1375):
            with self.subTest(event=event):
                self.check_colours(self.view(STEP, fragment=f"#file=0&state={event + 1}", viewport={"width": 1400, "height": 900}), event)

    def check_colours(self, view, event):
        view.wait_for_event(event)
        swatches = "rows => rows.map((row) => [row.title, getComputedStyle(row.querySelector('.swatch')).backgroundColor])"
        legend = dict(view.page.locator("#legend li").evaluate_all(swatches))
        self.assertGreater(len(legend), 4)
        expect(view.picture.locator("svg.scripted #graph")).to_be_visible()
        boxes = """graph => graph.shownBoxes().filter(({steps}) => steps.length === 1)
          .map(({steps: [{label}], rect}) => [`${label.name} ${label.place}`.trim(), getComputedStyle(rect).fill])"""
        self.check_parts(legend, view.picture.locator("#graph").evaluate(boxes), "flame graph")
        for key, part in (("2", "#board"), ("6", ".bands > path")):
            view.press(key)
            expect(view.picture.locator(f"svg.scripted {part}").first).to_be_visible()
            rows = "rows => rows.map((row) => [row.dataset.find, getComputedStyle(row.querySelector('rect')).fill])"
            self.check_parts(legend, view.picture.locator(".row:has(rect)").evaluate_all(rows), part)

    def check_parts(self, legend, parts, place):
        shared = [(name, fill) for name, fill in parts if name in legend and "other" not in name]
        self.assertGreater(len(shared), 2, f"{place}: {parts}")
        for name, fill in shared:
            self.assertEqual(fill, legend[name], f"{name} in {place}")

    def test_the_choice_of_colours_reaches_the_flame_graph(self):
        view = self.view(STEP)
        paints = "graph => [...new Set(graph.shownBoxes().map((box) => box.paint))].sort().join(' ')"
        expect(view.picture.locator("svg.scripted #graph")).to_be_visible()
        self.assertIn("hue", view.picture.locator("#graph").evaluate(paints))
        for by, word in (("kind", "kind-activation"), ("origin", "user")):
            view.press("k")
            expect(view.page.locator("#by")).to_have_text(f"by {by}")
            view.until(lambda word=word: view.picture.locator("svg.scripted #graph").count() and word in view.picture.locator("#graph").evaluate(paints).split())
