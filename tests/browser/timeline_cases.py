"""What a person can do with a timeline: point, pin, zoom, pan, search, hide bands, share a link."""

import re

import snapshots
from support import BrowserCase, draw, expect, url_of

SNAPSHOT = "training_step.pickle"


class TimelineCases(BrowserCase):
    def setUp(self):
        self.page = self.open(draw("timeline", SNAPSHOT))
        self.panel = self.page.locator(".chart").first
        self.status = self.page.locator("#controls [aria-live]")
        self.axis = self.page.locator(".state-axis text")

    def frame(self):
        """Waits until the chart is redrawn."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def paths(self):
        return self.page.evaluate(
            "() => Array.from(document.querySelectorAll('.bands > path'), (path) => path.getAttribute('d') || '')"
        )

    def bands(self):
        return sum(path != "" for path in self.paths())

    def heights(self):
        """Returns the heights of every shape that is drawn at the peak, in pixels, and of the line above all of
        them."""
        return self.page.evaluate(
            """() => {
              const panel = document.querySelector('.chart');
              const x = Number(panel.querySelector('.flag').dataset.x) + 0.3;
              const at = (path) => {
                const steps = [...path.getAttribute('d').matchAll(/([MHVhv])([-0-9.]+)(?: ([-0-9.]+))?/g)];
                let px = 0, py = 0, ys = [];
                for (const [, letter, one, two] of steps) {
                  const before = px;
                  if (letter === 'M') { px = Number(one); py = Number(two); }
                  if (letter === 'H') px = Number(one);
                  if (letter === 'h') px += Number(one);
                  if (letter === 'V') py = Number(one);
                  if (letter === 'v') py += Number(one);
                  if (/h/i.test(letter) && Math.min(before, px) <= x && x < Math.max(before, px)) ys.push(py);
                }
                return ys;
              };
              const height = (path) => { const ys = at(path); return ys.length < 2 ? 0 : Math.max(...ys) - Math.min(...ys); };
              const shapes = [...panel.querySelectorAll('.bands > path, .strips > path')];
              const ground = Number(panel.querySelector('metadata').getAttribute('height'));
              return {sum: shapes.reduce((sum, path) => sum + height(path), 0), line: ground - at(panel.querySelector('.live-line'))[0]};
            }"""
        )

    def assert_stacked(self):
        heights = self.heights()
        self.assertGreater(heights["line"], 10)
        self.assertAlmostEqual(heights["sum"], heights["line"], delta=0.6)

    def hover_widest(self):
        box = self.page.locator(".bands > path").first
        box.hover(force=True)
        return box

    def test_script_redraws_what_is_drawn_without_it(self):
        with_script = self.heights()
        static = self.open(draw("timeline", SNAPSHOT), java_script_enabled=False)
        expect(static.locator(".static-only").first).to_be_visible()
        self.assertEqual(static.locator("#search").count(), 0)
        self.assert_stacked()
        self.assertGreater(with_script["line"], 0)

    def test_controls_stand_in_one_row(self):
        holder = self.page.locator("#controls foreignObject").bounding_box()
        for control in ("#detail-text", "#detail", "#search"):
            with self.subTest(control):
                box = self.page.locator(control).bounding_box()
                self.assertLessEqual(box["y"] + box["height"], holder["y"] + holder["height"] + 1)
                self.assertLessEqual(box["x"] + box["width"], holder["x"] + holder["width"] + 1)

    def test_pointing_shows_the_stack_and_the_address_name(self):
        self.hover_widest()
        tip = self.page.locator("#tip")
        expect(tip).to_be_visible()
        words = " ".join(tip.locator("text").all_text_contents())
        self.assertRegex(words, r"b[0-9a-f]+_\d+")
        self.assertRegex(words, r"from (event|before)")

    def test_click_pins_the_stack_and_escape_lets_go(self):
        band = self.hover_widest()
        band.click(force=True)
        expect(self.status).to_contain_text("of this stack")
        self.assertGreaterEqual(self.page.locator(".bands .match").count(), 1)
        self.assertIn("pin=", url_of(self.page))
        self.page.keyboard.press("Escape")
        self.assertEqual(self.page.locator(".bands .match").count(), 0)

    def test_keys_zoom_pan_and_go_back(self):
        before = self.axis.all_text_contents()
        drawn = self.paths()
        self.page.keyboard.press("+")
        self.frame()
        self.assertNotEqual(self.axis.all_text_contents(), before)
        self.assertIn("x0=", url_of(self.page))
        zoomed = self.axis.all_text_contents()
        self.page.keyboard.press("ArrowRight")
        self.frame()
        self.assertNotEqual(self.axis.all_text_contents(), zoomed)
        self.page.keyboard.press("0")
        self.frame()
        self.assertEqual(self.axis.all_text_contents(), before)
        self.assertEqual(self.paths(), drawn)

    def test_tab_reaches_the_chart_whose_keys_then_work(self):
        focused = "() => (document.activeElement || document.documentElement).matches('.chart')"
        for _ in range(8):
            if not self.page.evaluate(focused):
                self.page.keyboard.press("Tab")
        self.assertTrue(self.page.evaluate(focused))
        outline = self.panel.evaluate("chart => getComputedStyle(chart).outlineStyle")
        self.assertEqual(outline, "solid")
        self.assertTrue(self.panel.get_attribute("aria-label"))
        self.page.keyboard.press("+")
        self.frame()
        self.assertIn("x0=", url_of(self.page))

    def point_at_middle(self):
        box = self.panel.bounding_box()
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def turn_wheel(self):
        self.page.mouse.wheel(0, 300)
        self.page.wait_for_timeout(100)
        self.frame()

    def test_wheel_scrolls_the_page_and_zooms_with_ctrl(self):
        self.page.set_viewport_size({"width": 1240, "height": 500})
        self.frame()
        self.point_at_middle()
        self.turn_wheel()
        self.assertNotIn("x0=", url_of(self.page))
        self.assertGreater(self.page.evaluate("scrollY"), 0)
        self.page.keyboard.press("+")
        self.frame()
        zoomed = url_of(self.page)
        # Playwright's wheel ignores held keys.
        taken = self.page.locator(".panel-ground").first.evaluate("""ground => {
          const turn = {deltaY: -100, ctrlKey: true, bubbles: true, cancelable: true, clientX: 600, clientY: 300};
          return !ground.dispatchEvent(new WheelEvent('wheel', turn));
        }""")
        self.assertTrue(taken, "the browser does not also zoom the page")
        self.frame()
        self.assertNotEqual(url_of(self.page), zoomed)

    def test_wheel_zooms_after_a_click_until_the_pointer_leaves(self):
        self.point_at_middle()
        self.page.mouse.down()
        self.page.mouse.up()
        self.page.mouse.wheel(0, -300)
        self.frame()
        self.assertIn("x0=", url_of(self.page))
        self.page.keyboard.press("0")
        self.page.mouse.move(5, 5)
        self.point_at_middle()
        self.page.mouse.wheel(0, -300)
        self.frame()
        self.assertNotIn("x0=", url_of(self.page))

    def test_backspace_goes_back_to_the_view_before_and_escape_to_the_whole(self):
        views = [url_of(self.page)]
        for _ in range(3):
            self.page.keyboard.press("+")
            self.page.wait_for_timeout(550)  # what follows within a moment is one change
            views.append(url_of(self.page))
        self.page.keyboard.press("Backspace")
        self.frame()
        self.assertEqual(url_of(self.page), views[2])
        self.page.keyboard.press("Escape")
        self.frame()
        self.assertNotIn("x0=", url_of(self.page))

    def test_a_question_mark_lists_the_keys_and_the_hint_names_it(self):
        expect(self.status).to_contain_text("Ctrl+wheel")
        expect(self.status).to_contain_text("?: keys")
        self.page.keyboard.press("?")
        expect(self.page.locator("#dialog")).to_contain_text("Backspace")
        self.page.keyboard.press("Escape")
        expect(self.page.locator("#dialog")).to_have_count(0)

    def test_the_tooltip_does_not_cover_what_it_explains(self):
        covered = 0
        for band in self.page.locator(".bands > path").all()[:12]:
            box = band.bounding_box()
            if not box or box["height"] < 2 or box["height"] > 250:
                continue
            band.hover(force=True)
            tip = self.page.locator("#tip rect").bounding_box()
            is_apart = tip["y"] >= box["y"] + box["height"] or tip["y"] + tip["height"] <= box["y"]
            has_room = box["y"] - tip["height"] > 12 or 900 - box["y"] - box["height"] - tip["height"] > 12
            self.assertTrue(is_apart or not has_room, (tip, box))
            covered += 1
        self.assertGreater(covered, 0)

    def test_the_tooltip_begins_with_the_users_frames(self):
        self.hover_widest()
        lines = self.page.locator("#tip text").all_text_contents()
        stack = lines[lines.index("") + 1 :] if "" in lines else []
        self.assertTrue(stack)
        self.assertRegex(stack[0], r"\.py:\d+$")

    def test_slider_leaves_the_smaller_bands_to_the_rest(self):
        self.assertGreater(self.bands(), 1)
        self.page.locator("#detail").evaluate("(input) => { input.value = 1; input.dispatchEvent(new Event('input')); }")
        self.frame()
        self.assertEqual(self.bands(), 1)
        self.assert_stacked()

    def test_hidden_bands_are_part_of_the_strip_of_their_line(self):
        strips = "() => Array.from(document.querySelectorAll('.strips.above > path'), (path) => path.getAttribute('d') || '')"
        before = self.page.evaluate(strips)
        self.page.locator("#detail").evaluate("(input) => { input.value = 0; input.dispatchEvent(new Event('input')); }")
        self.frame()
        self.assertEqual(self.bands(), 0)
        self.assertGreater(sum(path != "" for path in self.page.evaluate(strips)), sum(path != "" for path in before))
        self.assert_stacked()

    def test_pointing_at_a_strip_says_what_it_holds_there(self):
        self.page.locator("#detail").evaluate("(input) => { input.value = 0; input.dispatchEvent(new Event('input')); }")
        self.frame()
        box = self.page.locator(".band-label").first.bounding_box()
        self.page.mouse.move(box["x"] + 3, box["y"] + box["height"] / 2)
        words = " ".join(self.page.locator("#tip text").all_text_contents())
        self.assertRegex(words, r"B (after event \d|before the first event)")

    def test_words_of_the_tooltip_stay_in_its_box(self):
        for width in (390, 830, 1400):
            with self.subTest(width):
                page = self.page
                page.set_viewport_size({"width": width, "height": 900})
                self.frame()
                page.locator(".bands > path").first.hover(force=True)
                tip = page.locator("#tip rect").bounding_box()
                self.assertGreaterEqual(tip["x"], 0)
                self.assertLessEqual(tip["x"] + tip["width"], width)
                for words in page.locator("#tip text").all():
                    box = words.bounding_box()
                    self.assertGreaterEqual(box["x"], tip["x"])
                    self.assertLessEqual(box["x"] + box["width"], tip["x"] + tip["width"])
                    self.assertLessEqual(box["y"] + box["height"], tip["y"] + tip["height"])

    def test_the_chart_takes_the_width_of_the_window(self):
        for width in (390, 830, 1400, 2400):
            with self.subTest(width):
                page = self.page
                page.set_viewport_size({"width": width, "height": 900})
                self.frame()
                ground = page.locator(".panel-ground").first.bounding_box()
                self.assertAlmostEqual(ground["x"] + ground["width"], width, delta=40)
                self.assertGreater(ground["width"], width * 0.7)
                line = page.locator(".live-line").first.bounding_box()
                self.assertAlmostEqual(line["width"], ground["width"], delta=6)  # with its ends

    def test_search_finds_bands(self):
        self.page.keyboard.press("/")
        self.page.locator("#search").fill("no such name")
        expect(self.status).to_contain_text("no match")
        name = self.page.evaluate("() => document.querySelector('.band-label[class*=hue]').textContent.split(' ')[0]")
        self.page.locator("#search").fill(name)
        expect(self.status).to_contain_text(re.compile(r"\d+ (bands?|strips?)( and \d+ strips?)? match"))

    def test_a_row_of_the_list_leads_to_its_bands_with_keys_too(self):
        row = self.page.locator(".row").first
        row.focus()
        self.page.keyboard.press("Enter")
        expect(self.status).to_contain_text(" match")
        self.assertEqual(self.page.locator("#search").evaluate("input => input.value"), row.get_attribute("data-find"))

    def test_link_brings_back_the_view(self):
        self.page.keyboard.press("+")
        self.frame()
        axis, url = self.axis.all_text_contents(), url_of(self.page)
        page = self.open(draw("timeline", SNAPSHOT))
        page.evaluate("(hash) => { location.hash = hash; }", url.split("#")[1])
        page.evaluate("() => new Promise((done) => setTimeout(() => requestAnimationFrame(done), 50))")
        self.assertEqual(page.locator(".state-axis text").all_text_contents(), axis)

    def test_nothing_is_injected(self):
        for snapshot in ("odd_names.pickle", "lone_surrogate.pickle", "not_utf8.pickle"):
            with self.subTest(snapshot):
                page = self.open(draw("timeline", snapshot))
                self.assertEqual(page.locator("script").count(), 1)
                for band in page.locator(".bands > path").all():
                    band.hover(force=True)
                self.assertEqual(page.locator("script").count(), 1)


class ErrorCases(BrowserCase):
    """The labels of a recording that ends with an out-of-memory error."""

    # Returns the labels that the line of the capacity crosses.
    CROSSED = """() => {
      const line = document.querySelector('.capacity-line').getBoundingClientRect();
      return [...document.querySelectorAll('.reserved-text, .capacity-text')].filter((text) => {
        const box = text.getBoundingClientRect();
        return box.height && box.top + 2 < line.top && line.top < box.bottom - 2;
      }).map((text) => text.textContent);
    }"""

    def shown_flags(self, page):
        words = page.locator(".chart").first.locator(".flag text").all()
        return [text.text_content() for text in words if text.is_visible()]

    def test_on_a_phone_the_error_keeps_its_label(self):
        for snapshot in ("oom.pickle", "h100_oom.pickle", "oom_expandable.pickle"):
            with self.subTest(snapshot):
                page = self.open(draw("timeline", snapshot), viewport={"width": 400, "height": 900})
                self.assertTrue([text for text in self.shown_flags(page) if "out of memory" in text], self.shown_flags(page))

    def test_the_capacity_does_not_cross_a_label(self):
        page = self.open(draw("timeline", snapshots.out_of_memory()))
        self.assertEqual(page.locator(".capacity-text").count(), 1)
        self.assertEqual(page.evaluate(self.CROSSED), [])
        page.keyboard.press("+")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.assertEqual(page.evaluate(self.CROSSED), [])


class DevicesCases(BrowserCase):
    """Of several devices the one that failed, or holds most, takes the width; a click opens the others."""

    FILE = "devices_streams.pickle"

    def test_other_devices_are_a_line_each_until_a_click(self):
        page = self.open(draw("timeline", self.FILE))
        charts = page.locator(".chart")
        openers = page.locator(".opener")
        self.assertEqual(charts.count(), openers.count() + 1)
        self.assertGreater(openers.count(), 0)
        expect(charts.nth(0)).to_be_visible()
        expect(charts.nth(1)).to_be_hidden()
        height = page.evaluate("document.documentElement.getBoundingClientRect().height")
        openers.nth(0).click()
        expect(charts.nth(1)).to_be_visible()
        self.assertGreater(page.evaluate("document.documentElement.getBoundingClientRect().height"), height + 200)
        self.assertGreater(page.locator(".panel-ground").nth(1).bounding_box()["y"], openers.nth(0).bounding_box()["y"])
        openers.nth(0).click()
        expect(charts.nth(1)).to_be_hidden()

    def test_other_devices_of_a_state_are_a_line_each_until_a_click(self):
        page = self.open(draw("state", self.FILE))
        strips = page.locator("#board > .free rect").count()
        closed = page.locator("#board > .opener", has_text="▸")
        self.assertGreater(closed.count(), 0)
        closed.first.click()
        self.assertGreater(page.locator("#board > .free rect").count(), strips)


class LaneCases(BrowserCase):
    """Annotations that are too narrow for a word become one, which names them."""

    def test_narrow_annotations_are_merged_and_come_apart_when_zoomed(self):
        page = self.open(draw("timeline", "leaks/cycles.pickle"), viewport={"width": 700, "height": 900})
        words = "(lane) => [...lane.children].filter((span) => span.style.display !== 'none').map((span) => span.words)"
        lane = page.locator(".lane").first
        merged = page.locator(".lane > .merged")
        self.assertGreater(merged.count(), 0)
        before = lane.evaluate(words)
        self.assertTrue(any("annotations, too narrow to draw" in text for text in before))
        for _ in range(5):
            page.keyboard.press("+")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.assertNotEqual(lane.evaluate(words), before)
