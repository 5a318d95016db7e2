"""Features that help a reader: pin and copy, keys for everything, help, links that show the sender's view."""

import re

import snapshots
from support import BrowserCase, draw, expect, new_file, url_of

SNAPSHOT = "training_step.pickle"


class ReaderCases(BrowserCase):
    def setUp(self):
        self.picture = self.open_picture("flame", SNAPSHOT, permissions=["clipboard-read", "clipboard-write"])
        self.press = self.picture.page.keyboard.press

    def own_frame(self):
        return self.picture.box(lambda box: "user" in box.classes and box.pixels > 60 and box.level > 4)

    def copied(self):
        return self.picture.page.evaluate("() => navigator.clipboard.readText()")

    def test_pinned_tooltip_stays(self):
        box = self.own_frame()
        self.picture.hover(box)
        self.press("p")
        self.picture.page.mouse.move(5, 5)
        expect(self.picture.tip).to_be_visible()
        self.assertIn(f"({box.bytes:,} bytes)", "\n".join(self.picture.tip_lines()))
        self.picture.hover(self.picture.boxes()[0])
        self.assertIn(f"({box.bytes:,} bytes)", "\n".join(self.picture.tip_lines()))
        self.press("Escape")
        expect(self.picture.tip).to_be_hidden()

    def test_click_with_a_modifier_pins(self):
        box = self.own_frame()
        self.picture.element(box).click(position={"x": 2, "y": 9}, modifiers=["Control"])
        self.picture.page.mouse.move(5, 5)
        expect(self.picture.tip).to_be_visible()
        self.assertAlmostEqual(self.picture.now(box).pixels, box.pixels, delta=0.02)
        self.press("p")
        expect(self.picture.tip).to_be_hidden()

    def test_stack_is_copied_as_text(self):
        box = self.own_frame()
        self.picture.hover(box)
        self.press("c")
        expect(self.picture.status).to_contain_text("copied")
        lines = self.copied().splitlines()
        self.assertEqual(lines[0], "reserved › stream 0 › in use (active_allocated)")
        self.assertRegex(lines[1], r"^<module>  /home/ada/tinyformer/train.py:\d+ \(your code\)$")
        self.assertTrue(lines[-2].startswith(box.name))
        self.assertIn(f"({box.bytes:,} bytes)", lines[-1])

        # Callees first on the screen, callers first on paper.
        self.picture.page.mouse.move(5, 5)
        self.press("h")
        self.press("i")
        boxes = self.picture.boxes()
        outermost = next(box for box in boxes if box.level > 4 and not box.children and "user" in box.classes)
        self.picture.hover(outermost) if outermost.pixels > 4 else self.skipTest("too narrow to point at")
        self.press("c")
        expect(self.picture.status).to_contain_text("copied")
        self.assertTrue(self.copied().splitlines()[1].startswith(outermost.name))

    def test_without_a_clipboard_the_text_is_offered(self):
        self.picture.page.evaluate("() => Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        self.picture.page.locator("#copy").click()
        offered = self.picture.page.locator("#copied")
        expect(offered).to_be_focused()
        self.assertIn("reserved", offered.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)"))
        self.press("Escape")
        expect(offered).to_have_count(0)
        expect(self.picture.page.locator("#copy")).to_be_focused()

    def test_help_lists_the_keys_and_keeps_the_focus(self):
        self.press("?")
        dialog = self.picture.page.locator("[role=dialog]")
        expect(dialog).to_be_visible()
        for words in ("arrow keys", "search", "invert", "collapse recursion", "hide library", "pin", "copy"):
            expect(dialog).to_contain_text(words)
        for _ in range(3):
            self.press("Tab")
            self.assertTrue(dialog.evaluate("dialog => dialog.contains(document.activeElement)"))
        before = len(self.picture.boxes())
        self.press("i")  # not while the list of keys is open
        self.assertEqual(len(self.picture.boxes()), before)
        self.press("Escape")
        expect(dialog).to_have_count(0)

    def test_tab_reaches_every_control(self):
        reached = []
        for _ in range(40):
            self.press("Tab")
            reached.append(self.picture.page.evaluate("() => document.activeElement?.id || document.activeElement?.className.baseVal"))
        for control in ("invert", "collapse", "hide", "copy", "help", "search", "previous", "next", "row"):
            self.assertIn(control, reached)
        names = self.picture.page.evaluate(
            "() => [...document.querySelectorAll('#toolbar button, #toolbar input, .row, #graph')]"
            ".map((element) => element.getAttribute('aria-label') || element.textContent)"
        )
        self.assertTrue(all(names))

    def test_the_graph_is_walked_and_read_by_keys(self):
        self.picture.page.locator("#next").focus()
        for _ in range(4):
            self.press("Tab")
            if self.picture.page.evaluate("() => document.activeElement.getAttribute('role') === 'treeitem'"):
                break
        self.press("ArrowDown")
        self.press("ArrowDown")
        active = self.picture.page.evaluate("() => ({...document.activeElement.dataset, label: document.activeElement.getAttribute('aria-label'), level: document.activeElement.getAttribute('aria-level')})")  # fmt: skip
        self.assertEqual(active["level"], str(int(active["row"]) + 1))
        self.assertIn("bytes", active["label"])
        expect(self.picture.tip).to_be_visible()
        self.press("Enter")
        self.assertIn("zoom=", url_of(self.picture.page))
        self.press("Backspace")
        self.press("0")
        self.assertNotIn("#", url_of(self.picture.page))

    def test_rows_of_the_list_find_their_boxes(self):
        row = self.picture.page.locator(".row").nth(1)
        row.focus()
        self.press("Enter")
        self.assertEqual(self.picture.searched(), row.get_attribute("data-find"))
        self.assertGreaterEqual(len(self.picture.matches()), 1)
        expect(self.picture.status).to_contain_text("1 of ")

    def test_next_and_previous_go_round(self):
        self.picture.type_search("forward")
        count = len(self.picture.matches())
        self.assertGreater(count, 2)
        self.picture.page.locator("#previous").click()
        expect(self.picture.status).to_contain_text(f"{count} of {count} boxes")
        self.picture.page.locator("#next").click()
        expect(self.picture.status).to_contain_text(f"1 of {count} boxes")
        self.picture.search.blur()
        self.press("n")
        expect(self.picture.status).to_contain_text(f"2 of {count} boxes")
        self.press("N")
        expect(self.picture.status).to_contain_text(f"1 of {count} boxes")

    def test_escape_goes_back_one_layer_at_a_time(self):
        self.picture.click(self.own_frame())
        self.picture.type_search("forward")
        self.press("Escape")
        self.assertEqual(self.picture.searched(), "")
        self.assertIn("zoom=", url_of(self.picture.page))
        self.press("Escape")
        self.assertNotIn("zoom=", url_of(self.picture.page))

    def test_link_shows_the_whole_view(self):
        self.press("h")
        self.press("i")
        self.picture.click(self.picture.box(lambda box: box.level == 3 and "user" in box.classes and box.pixels > 30))
        self.picture.type_search("/step|forward/")

        def seen_in(picture):
            return [(box.name, box.bytes, box.left, box.pixels, box.classes) for box in picture.boxes() if box.shown]

        seen = seen_in(self.picture)
        words = self.picture.status.text_content()
        for part in ("view=invert.hide", "zoom=", "search="):
            self.assertIn(part, url_of(self.picture.page))
        other = self.open(draw("flame", SNAPSHOT))  # another browser
        other.goto(url_of(self.picture.page))
        again = type(self.picture)(other)
        self.assertEqual(seen_in(again), seen)
        expect(again.status).to_have_text(words)

    def test_a_broken_link_shows_the_picture(self):
        self.picture.page.goto(url_of(self.picture.page).split("#")[0] + "#view=nothing.&zoom=99999&open=x.77777&search=%2F(%2F")
        self.assertEqual(self.picture.boxes()[0].pixels, self.picture.now(self.picture.boxes()[0]).pixels)
        expect(self.picture.status).to_have_text("not a valid expression")


class MotionCases(BrowserCase):
    """Moving parts are drawn on a canvas, which exists for so short a time that only the page itself can reliably
    see it."""

    WATCH = """() => {
      window.canvases = 0;
      const isCanvas = (node) => node.localName === 'canvas' || (node.querySelector && node.querySelector('canvas'));
      new MutationObserver((changes) => {
        for (const change of changes) window.canvases += Array.from(change.addedNodes).filter(isCanvas).length;
      }).observe(document, {childList: true, subtree: true});
    }"""
    COUNT = "() => window.canvases"

    def zoom(self, picture):
        picture.page.evaluate(self.WATCH)
        box = picture.box(lambda box: box.level >= 3 and box.children and box.pixels > 60 and not box.is_run)
        picture.click(box)
        return box

    def test_zoom_is_animated_and_ends_where_it_should(self):
        picture = self.open_picture("flame", SNAPSHOT, reduced_motion="no-preference")
        box = self.zoom(picture)
        picture.page.wait_for_function("() => window.canvases === 1 && !document.querySelector('canvas')")
        self.assertAlmostEqual(picture.now(box).pixels, picture.width, delta=2)

    def test_who_wants_no_motion_sees_none(self):
        picture = self.open_picture("flame", SNAPSHOT)
        box = self.zoom(picture)
        self.assertEqual(picture.page.evaluate(self.COUNT), 0)
        self.assertAlmostEqual(picture.now(box).pixels, picture.width, delta=2)


class EmbeddedCases(BrowserCase):
    def test_it_works_inside_an_object(self):
        svg = draw("flame", SNAPSHOT)
        page_file = new_file(".html")
        page_file.write_text(f'<!doctype html><object data="{svg.name}" type="image/svg+xml" width="1200" height="800"></object>')
        page = self.open(page_file)
        self.complaints.remove(f"request: {svg.as_uri()}")
        inside = page.frames[1]
        inside.wait_for_selector("#toolbar")
        inside.locator("#hide").click()
        self.assertEqual(inside.locator("#hide").get_attribute("aria-pressed"), "true")
        inside.locator("#search").fill("forward")
        expect(inside.locator("#status")).to_contain_text("box")

    def test_print_has_no_controls_and_is_light(self):
        picture = self.open_picture("flame", SNAPSHOT, color_scheme="dark")
        picture.page.emulate_media(media="print")
        expect(picture.page.locator("#toolbar")).to_be_hidden()
        fill = picture.page.locator("#page").evaluate("rect => getComputedStyle(rect).fill")
        self.assertEqual(fill, "rgb(252, 252, 250)")

    def test_twenty_thousand_boxes_still_answer(self):
        picture = self.open_picture("flame", snapshots.wide(), "--max-size", "40M")
        self.assertGreater(len(picture.boxes()), 20_000)
        picture.type_search("leaf_17")
        expect(picture.status).to_have_text(re.compile("^111 boxes, 111 MiB, "))
        picture.page.locator("#invert").click()
        self.assertEqual(picture.page.locator("#root, #graph > g").first.get_attribute("data-bytes"), str(5000 * snapshots.MIB))
        expect(picture.status).to_have_text(re.compile("^111 boxes, 111 MiB, "))


class NarrowCases(BrowserCase):
    """Boxes too narrow to distinguish: drawn together, but they can still be found, pointed at and zoomed into."""

    @classmethod
    def setUpClass(cls):
        cls.snapshot = snapshots.wide(2500)

    def setUp(self):
        self.picture = self.open_picture("flame", self.snapshot, "--max-size", "40M")
        self.narrow = self.picture.box(lambda box: box.level == 5 and box.units < box.parent.parent.parent.units)

    def point(self, box):
        """Returns the position of a box on the page, from the top of the graph and its first unit."""
        graph = self.picture.page.locator("#root rect").bounding_box()
        start = self.picture.page.evaluate("(i) => document.querySelector('#graph').shownBoxes()[i].span.x", box.index)
        return graph["x"] + start + 0.1, graph["y"] + 20 * box.level + 9

    def test_few_elements_draw_many_boxes(self):
        self.assertLess(self.picture.page.locator("#graph > g").count(), 100)
        drawn = "() => [...document.querySelectorAll('#graph .dust')].map((path) => path.getBBox()).map((at) => [at.width, at.height])"
        ((width, height),) = self.picture.page.evaluate(drawn)
        self.assertGreater(width, 0.95 * self.picture.width)
        self.assertAlmostEqual(height, 4 * 20 - 1, delta=0.1)

    def test_they_have_tooltips(self):
        self.picture.page.mouse.move(*self.point(self.narrow))
        self.assertRegex(self.picture.tip_lines()[0], "^block_[0-9]+$")
        self.assertIn("1.00 MiB (1,048,576 bytes)", self.picture.tip_lines())

    def test_a_click_zooms_and_draws_them(self):
        self.picture.page.mouse.click(*self.point(self.narrow))
        shown = [box for box in self.picture.boxes() if box.shown]
        self.assertEqual([box.name.split("_")[0] for box in shown if box.level > 2], ["stage", "layer", "block", "leaf"])
        self.assertAlmostEqual(shown[-1].pixels, self.picture.width, delta=2)
        self.picture.page.keyboard.press("Escape")
        self.assertLess(self.picture.page.locator("#graph > g").count(), 100)

    def test_a_match_is_marked_and_the_next_one_drawn(self):
        self.picture.type_search("leaf_2321")
        marked = self.picture.page.locator("#graph > g.match .dust")
        self.assertEqual(marked.count(), 1)
        self.picture.page.locator("#next").click()
        focused = self.picture.box(lambda box: "focused" in box.classes)
        self.assertTrue(focused.shown)
        self.assertEqual(focused.name, "leaf_2321")
        self.picture.type_search("")
        self.assertEqual(marked.count(), 0)
