"""A comparison as a person sees it: both sides of every box, and nothing if nothing changed."""

import re

from support import BrowserCase, expect, memviz, reserved_bytes, TESTDATA

BEFORE, AFTER = "before.pickle", "after.pickle"
CHANGED = {"added", "grown", "grown-little", "shrunk-little", "shrunk", "removed"}


class CompareCases(BrowserCase):
    def setUp(self):
        self.picture = self.open_picture("compare", BEFORE, AFTER, "--at", "end")

    def test_root_holds_both_sides(self):
        root = self.picture.boxes()[0]
        self.assertEqual((root.before, root.after), (reserved_bytes(BEFORE), reserved_bytes(AFTER)))

    def test_every_box_holds_its_children_on_both_sides(self):
        for box in self.picture.boxes():
            self.assertLessEqual(sum(child.before for child in box.children), box.before)
            self.assertLessEqual(sum(child.after for child in box.children), box.after)

    def test_what_was_added_or_removed_is_visible_and_says_so(self):
        boxes = [box for box in self.picture.boxes() if box.pixels > 4]
        added = [box for box in boxes if "added" in box.classes]
        removed = [box for box in boxes if "removed" in box.classes]
        self.assertTrue(added and removed)
        self.assertTrue(all(box.before == 0 and box.after > 0 for box in added))
        self.assertTrue(all(box.before > 0 and box.after == 0 for box in removed))
        self.picture.hover(added[0])
        self.assertRegex("\n".join(self.picture.tip_lines()), r"\+[0-9]")
        self.picture.hover(removed[0])
        self.assertRegex("\n".join(self.picture.tip_lines()), r"−[0-9]")

    def test_click_zooms_and_escape_resets(self):
        box = self.picture.box(lambda box: box.level >= 1 and not box.is_run and box.children and box.pixels > 30)
        self.picture.click(box)
        self.assertAlmostEqual(self.picture.now(box).pixels, self.picture.width, delta=2)
        self.picture.page.keyboard.press("Escape")
        self.assertAlmostEqual(self.picture.now(box).pixels, box.pixels, delta=0.02)

    def test_search_reports_both_sides(self):
        self.picture.type_search("active_allocated")
        state = self.picture.matches()[0]
        self.assertNotEqual(state.before, state.after)
        expect(self.picture.status).to_have_text(re.compile("^1 box, [0-9.]+ [KMG]iB → [0-9.]+ [KMG]iB"))

    def test_segments_of_one_side_are_listed(self):
        text = memviz("compare", TESTDATA / BEFORE, TESTDATA / AFTER, "-o", "/dev/null", "--addresses")
        lists = text[text.index("only_before = "):]
        addresses = [int(address) for address in re.findall("[0-9]{6,}", lists)]
        self.assertTrue(addresses)
        words = " ".join(self.picture.words())
        for address in addresses:
            self.assertIn(f"{address:#x}", words)


class SameFileCases(BrowserCase):
    def test_nothing_changed(self):
        picture = self.open_picture("compare", BEFORE, BEFORE)
        boxes = picture.boxes()
        self.assertTrue(all(box.before == box.after for box in boxes))
        self.assertFalse(any(CHANGED & set(box.classes) for box in boxes))
        self.assertFalse([words for words in picture.words() if re.search("[+−][0-9]", words)])
