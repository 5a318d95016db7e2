"""The page of `memviz view`: the curve zoomed in both axes, and colours that mean the same in all parts."""

import re

from support import expect
from view_support import View, ViewCase

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

    def colours_of_legend(self, view):
        rows = view.page.locator("#legend li")
        expect(rows.first).to_be_visible()
        return dict(rows.evaluate_all("rows => rows.map((row) => [row.title, getComputedStyle(row.querySelector('.swatch')).backgroundColor])"))

    def test_the_same_line_has_the_same_colour_in_all_parts(self):
        view = self.view(STEP, viewport={"width": 1400, "height": 900})
        for state in ("#state=300", ""):
            legend = self.colours_of_legend(view)
            expect(view.frame.locator("svg.scripted #graph")).to_be_visible()
            boxes = view.frame.locator("#graph").evaluate(
                "graph => graph.shownBoxes().filter((box) => box.rect && box.steps.length === 1).map((box) => [`${box.steps[0].label.name} ${box.steps[0].label.place}`.trim(), getComputedStyle(box.rect).fill])"
            )
            shared = [(name, fill) for name, fill in boxes if name in legend]
            self.assertGreater(len(shared), 2)
            for name, fill in shared:
                self.assertEqual(fill, legend[name], f"{name} in the flame graph, {state}")
            view.press("2")
            expect(view.frame.locator("svg.scripted #board")).to_be_visible()
            for name in list(legend)[:4]:
                rows = view.frame.locator(f'.row[data-find="{name}"] rect')
                if rows.count():
                    self.assertEqual(rows.first.evaluate("one => getComputedStyle(one).fill"), legend[name], f"{name} in the segments, {state}")
            view.press("6")
            expect(view.frame.locator("svg.scripted .bands > path").first).to_be_visible()
            found = 0
            for name in list(legend)[:4]:
                rows = view.frame.locator(f'.row[data-find="{name}"] rect')
                if rows.count():
                    found += 1
                    self.assertEqual(rows.first.evaluate("one => getComputedStyle(one).fill"), legend[name], f"{name} in the timeline, {state}")
            self.assertGreater(found, 0)
            view.press("1", "Home", *["Shift+ArrowRight"] * 20)
