"""What a person can do with a flame graph: zoom, search, read, walk with the keys, share a link."""

import os
import pathlib
import re
import tempfile

from support import BrowserCase, expect, reserved_bytes

SNAPSHOT = "training_step.pickle"
STATUS = re.compile(r"(\d+) box(?:es)?, ([\d.]+) ([KMG]iB), ([\d.]+) %")
UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def can_zoom(box):
    """A separate box (not a folded run), not the root, with boxes below it, wide enough to click."""
    return box.level >= 2 and not box.is_run and len(box.children) >= 2 and box.pixels > 30


class FlameCases(BrowserCase):
    def setUp(self):
        self.picture = self.open_picture("flame", SNAPSHOT)

    def assert_zoomed(self, box):
        self.assertAlmostEqual(self.picture.now(box).pixels, self.picture.width, delta=2)

    def assert_as_drawn(self, before):
        drawn = [(box.left, box.top, box.pixels, box.shown) for box in before]
        now = [(box.left, box.top, box.pixels, box.shown) for box in self.picture.boxes()]
        for old, new in zip(drawn, now, strict=True):
            self.assertEqual(old[3], new[3])
            for i in range(3) if new[3] else ():
                self.assertAlmostEqual(old[i], new[i], delta=0.02)

    def test_script_takes_over_from_the_static_hint(self):
        expect(self.picture.static_hint).to_be_hidden()
        expect(self.picture.search).to_be_visible()

    def test_root_holds_the_reserved_bytes(self):
        self.assertEqual(self.picture.boxes()[0].bytes, reserved_bytes(SNAPSHOT))

    def test_children_fit_inside_their_box(self):
        for box in self.picture.boxes():
            self.assertLessEqual(sum(child.bytes for child in box.children), box.bytes)
            right_of_last = box.left
            for child in sorted((child for child in box.children if child.shown), key=lambda child: child.left):
                self.assertGreaterEqual(child.left, right_of_last - 0.02)
                right_of_last = child.left + child.pixels
            self.assertLessEqual(right_of_last, box.left + box.pixels + 1.02)

    def test_click_zooms_and_escape_resets(self):
        before = self.picture.boxes()
        box = self.picture.box(can_zoom)
        self.picture.click(box)
        self.assert_zoomed(box)
        zoomed = self.picture.now(box)
        self.assertTrue(all(child.shown for child in zoomed.children if child.bytes > zoomed.bytes / 100))
        aside = [other for other in zoomed.parent.children if other.index != box.index]
        self.assertFalse(any(other.shown for other in aside))
        self.picture.page.keyboard.press("Escape")
        self.assert_as_drawn(before)

    def test_breadcrumb_leads_back(self):
        before = self.picture.boxes()
        box = self.picture.box(can_zoom)
        self.picture.click(box)
        crumbs = self.picture.crumbs.all_text_contents()
        self.assertEqual(len(crumbs), 1 + box.level + 1, "a reset button, then one a level")
        self.picture.crumbs.nth(len(crumbs) - 2).click()
        self.assert_zoomed(box.parent)
        self.picture.reset.click()
        self.assert_as_drawn(before)

    def test_click_on_a_box_above_zooms_out(self):
        box = self.picture.box(can_zoom)
        self.picture.click(box)
        self.picture.click(self.picture.now(box).parent)
        self.assert_zoomed(box.parent)

    def test_click_opens_a_folded_run(self):
        run = self.picture.box(lambda box: box.is_run and box.pixels > 30)
        self.picture.click(run)
        self.assertGreaterEqual(self.picture.opened_frames.count(), 2)
        self.assertFalse(self.picture.now(run).shown)
        self.picture.page.keyboard.press("Escape")
        self.assertEqual(self.picture.opened_frames.count(), 0)
        self.assertTrue(self.picture.now(run).shown)

    def test_search_counts_matched_bytes_once(self):
        self.picture.type_search("active_allocated")
        matches = self.picture.matches()
        self.assertEqual({box.name for box in matches}, {"in use (active_allocated)"})
        total = sum(box.bytes for box in matches)
        boxes, size, unit, percent = STATUS.fullmatch(self.picture.status.text_content()).groups()
        self.assertEqual(int(boxes), len(matches))
        self.assertAlmostEqual(float(size) * UNITS[unit] / total, 1, delta=0.01)
        self.assertAlmostEqual(float(percent), 100 * total / reserved_bytes(SNAPSHOT), delta=0.051)

        # Everything below a match is inside it: a search that matches every box counts the root once.
        self.picture.type_search("/./")
        self.assertEqual(len(self.picture.matches()), len(self.picture.boxes()))
        expect(self.picture.status).to_contain_text("100 %")

    def test_search_says_what_is_wrong(self):
        self.picture.type_search("/(/")
        expect(self.picture.status).to_have_text("not a valid expression")
        self.assertEqual(self.picture.matches(), [])
        self.picture.type_search("nothing is called this")
        expect(self.picture.status).to_have_text("no match")
        self.picture.type_search("")
        expect(self.picture.status).to_have_text("")

    def test_keys_search_walk_and_zoom(self):
        press = self.picture.page.keyboard.press
        press("/")
        expect(self.picture.search).to_be_focused()
        self.picture.page.keyboard.type("active_allocated")
        press("Enter")
        focused = self.picture.box(lambda box: "focused" in box.classes)
        self.assertEqual(focused.name, "in use (active_allocated)")
        press("ArrowDown")
        below = self.picture.box(lambda box: "focused" in box.classes)
        self.assertEqual(below.parent.index, focused.index)
        press("ArrowUp")
        press("Enter")
        self.assert_zoomed(focused)

    def test_tooltips_and_the_list_show_the_text_of_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "train.py")
            file.write_text("".join(f"line_{number} = model(x)\n" for number in range(1, 101)))
            os.utime(file, (1, 1))
            picture = self.open_picture("flame", SNAPSHOT, "--source", folder)
        box = picture.box(lambda box: box.name == "main" and not box.is_run and box.pixels > 30)
        picture.hover(box)
        line = re.search(r"train\.py:(\d+) \(", "\n".join(picture.tip_lines())).group(1)
        self.assertIn(f"    line_{line} = model(x)", picture.tip_lines())
        listed = picture.page.locator("[data-flow=rows] .row text[data-part=via]").all_text_contents()
        self.assertTrue([text for text in listed if text.startswith("line_")], listed)

    def test_tooltip_tells_bytes_and_goes_away(self):
        box = self.picture.box(can_zoom)
        self.picture.hover(box)
        expect(self.picture.tip).to_be_visible()
        words = "\n".join(self.picture.tip_lines())
        self.assertIn(f"({box.bytes:,} bytes)", words)
        self.assertIn(f"{box.blocks:,} block", words)
        tip, page = self.picture.tip.bounding_box(), self.picture.page.locator("#page").bounding_box()
        self.assertGreaterEqual(tip["x"], page["x"])
        self.assertLessEqual(tip["x"] + tip["width"], page["x"] + page["width"])
        self.picture.page.mouse.move(5, 5)
        expect(self.picture.tip).to_be_hidden()

    def test_link_restores_the_view(self):
        box = self.picture.box(can_zoom)
        self.picture.click(box)
        self.picture.type_search("/forward|backward/")
        matches, status = len(self.picture.matches()), self.picture.status.text_content()
        self.assertGreater(matches, 0)
        self.picture.page.reload()
        self.assert_zoomed(box)
        self.assertEqual(self.picture.searched(), "/forward|backward/")
        self.assertEqual((len(self.picture.matches()), self.picture.status.text_content()), (matches, status))


class UpwardCases(BrowserCase):
    def test_root_at_the_bottom_stays_there(self):
        picture = self.open_picture("flame", SNAPSHOT, "--upward")
        for box in picture.boxes():
            if box.parent:
                self.assertLess(box.top, box.parent.top)
        picture.click(box := picture.box(can_zoom))
        zoomed = picture.now(box)
        self.assertAlmostEqual(zoomed.pixels, picture.width, delta=2)
        self.assertLess(zoomed.top, zoomed.parent.top)
