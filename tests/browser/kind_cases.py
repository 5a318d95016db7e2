"""Kinds of memory in flame graphs, states and timelines: their colours and tooltips, in every tree of the boxes."""

import itertools

from support import BrowserCase, draw

SNAPSHOT = "training_step.pickle"
SWITCHES = ("invert", "collapse", "hide")

# Returns the colour and the bytes of each box of a tree, and the bytes of each kind, k0, k1, ...
KINDS = """() => document.querySelector('#graph').shownBoxes().map((box) => ({
  paint: box.paint, bytes: box.bytes, isGroup: box.steps[0].isGroup,
  kinds: Object.fromEntries(Object.entries(box).filter(([key, bytes]) => /^k\\d/.test(key) && bytes > 0))}))"""


class KindCases(BrowserCase):
    def press(self, picture, *switches):
        for switch in switches:
            picture.page.locator(f"#{switch}").click()

    def test_every_tree_keeps_the_kinds_of_the_file(self):
        picture = self.open_picture("flame", SNAPSHOT, "--color", "kind")
        whole = picture.page.evaluate(KINDS)[0]["kinds"]
        self.assertGreater(len(whole), 2)
        for count in (1, 2, 3):
            for switches in itertools.combinations(SWITCHES, count):
                self.press(picture, *switches)
                boxes = picture.page.evaluate(KINDS)
                self.assertEqual(boxes[0]["kinds"], whole)
                for box in boxes[1:]:
                    self.assertLessEqual(sum(box["kinds"].values()), box["bytes"])
                self.press(picture, *switches)

    def test_boxes_have_the_colour_of_their_kind_in_every_tree(self):
        picture = self.open_picture("flame", SNAPSHOT, "--color", "kind")
        for switches in ((), ("invert",), ("hide",)):
            self.press(picture, *switches)
            for box in picture.page.evaluate(KINDS):
                is_of_kinds = not box["isGroup"] and sum(box["kinds"].values()) == box["bytes"] > 0
                self.assertEqual(box["paint"].startswith("kind-"), is_of_kinds, box)
            self.press(picture, *switches)

    def test_tooltips_tell_the_kind_and_what_tells_it(self):
        picture = self.open_picture("flame", SNAPSHOT)
        box = picture.box(lambda box: box.frames and box.pixels > 30)
        picture.hover(box)
        before = [line for line in picture.tip_lines() if line.startswith("kind")]
        self.assertEqual(len(before), 1)
        self.assertRegex(before[0], r"^kinds?: .*by (frames|behaviour)")

    def test_the_list_has_a_column_of_kinds_that_fits(self):
        page = self.open(draw("flame", SNAPSHOT))
        for width in (1240, 700, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_timeout(100)
            for row in page.locator(".row").all():
                kinds = row.locator("[data-part=kinds]")
                if not kinds.count() or not kinds.text_content():
                    continue
                ends = [part.bounding_box() for part in (row.locator("[data-part=share]"), kinds, row.locator("[data-part=note]"))]
                self.assertGreaterEqual(ends[1]["x"], ends[0]["x"] + ends[0]["width"])
                self.assertLessEqual(ends[1]["x"] + ends[1]["width"], ends[2]["x"])

    def test_a_block_of_a_state_tells_its_kind(self):
        page = self.open(draw("state", SNAPSHOT, "--quiet", "--color", "kind"))
        strip = page.locator("#board > .free rect").first.bounding_box()
        page.mouse.move(strip["x"] + 3, strip["y"] + strip["height"] / 2)
        lines = page.locator("#tip text").all_text_contents()
        kinds = ("parameter", "gradient", "optimizer state", "activation", "input", "temporary", "communication", "workspace", "unknown")
        self.assertTrue(any(line.startswith(kinds) for line in lines), lines)

    def layers(self, page):
        """Returns heights of the layers at the peak, in pixels, from the bottom up, and of the line above all of
        them."""
        return page.evaluate(
            """() => {
              const panel = document.querySelector('.chart');
              const x = Number(panel.querySelector('.flag').dataset.x) + 0.3;
              const at = (path) => {
                const ys = [];
                let px = 0, py = 0;
                for (const [, letter, one, two] of path.getAttribute('d').matchAll(/([MHV])([-0-9.]+)(?: ([-0-9.]+))?/g)) {
                  const before = px;
                  if (letter === 'M') [px, py] = [Number(one), Number(two)];
                  else if (letter === 'V') py = Number(one);
                  else {
                    px = Number(one);
                    if (before <= x && x < px) ys.push(py);
                  }
                }
                return ys[0];
              };
              const ground = Number(panel.querySelector('metadata').getAttribute('height'));
              return [...panel.querySelectorAll('.layer-lines > path, .live-line')].map((path) => ground - at(path));
            }"""
        )

    def test_a_timeline_by_kind_stands_in_layers(self):
        page = self.open(draw("timeline", SNAPSHOT, "--color", "kind"))
        heights = self.layers(page)
        self.assertGreater(len(heights), 4)
        self.assertEqual(sorted(heights[:-1]), heights[:-1])
        self.assertAlmostEqual(heights[-2], heights[-1] if heights[-1] > heights[-2] else heights[-2], delta=0.6)
        labels = page.locator(".band-label").all_text_contents()
        self.assertIn("activation", labels)
        self.assertIn("optimizer state", labels)

    def test_layers_stay_where_fewer_bands_are_drawn(self):
        page = self.open(draw("timeline", SNAPSHOT, "--color", "kind"))
        before = self.layers(page)
        page.locator("#detail").evaluate("(input) => { input.value = 3; input.dispatchEvent(new Event('input')); }")
        page.wait_for_timeout(100)
        self.assertEqual(self.layers(page), before)

    def test_a_band_of_a_timeline_tells_its_kind_by_line_too(self):
        for color in ("kind", "line"):
            with self.subTest(color):
                page = self.open(draw("timeline", SNAPSHOT, "--color", color))
                page.locator(".bands > path").first.hover(force=True)
                lines = page.locator("#tip text").all_text_contents()
                self.assertTrue(any(line.startswith("kind: ") and ", by " in line for line in lines), lines)

    def test_a_click_on_a_strip_finds_all_of_its_kind(self):
        page = self.open(draw("timeline", SNAPSHOT, "--color", "kind"))
        page.locator("#detail").evaluate("(input) => { input.value = 0; input.dispatchEvent(new Event('input')); }")
        page.wait_for_timeout(100)
        # Labels are replaced in a later frame, and a locator's click waits for one that stays.
        page.locator(".band-label", has_text="activation").first.click(position={"x": 3, "y": 5}, force=True)
        self.assertEqual(page.locator("#search").evaluate("input => input.value"), "kind: activation,")
        matches = page.evaluate("() => Array.from(document.querySelectorAll('.chart .match'), (path) => path.getAttribute('class').split(' ')[0])")
        self.assertGreater(len(matches), 10)
        self.assertEqual(set(matches), {"kind-activation"})
        page.keyboard.press("Escape")
        self.assertEqual(page.locator(".chart .match").count(), 0)
