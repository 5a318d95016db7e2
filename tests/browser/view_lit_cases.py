"""The page of `memviz view`: the curve's bands, and what is lit in all parts when the pointer is in one of them."""

import re

from support import expect
from view_support import ViewCase

STEP = "training_step.pickle"
BAND = {"across": 0.31, "down": 0.75}  # of an activation, at event 473

# Counts the questions of the page to its engine, by name.
COUNT = """() => {
  const post = Worker.prototype.postMessage;
  window.asked = {};
  Worker.prototype.postMessage = function(message, ...more) {
    if (message.request) window.asked[message.request.ask] = (window.asked[message.request.ask] || 0) + 1;
    return post.call(this, message, ...more);
  };
}"""


class BandCases(ViewCase):
    def setUp(self):
        self.opened = self.view(STEP)
        expect(self.opened.page.locator("#first")).to_have_text("before the first event")
        self.tip = self.opened.page.locator("#tip")

    def point_at_band(self):
        self.opened.page.mouse.move(*self.opened.at(self.opened.curve, **BAND))
        expect(self.tip).to_contain_text("activation")

    def test_the_pointer_on_a_band_shows_its_size_life_and_line(self):
        self.point_at_band()
        expect(self.tip).to_contain_text(re.compile(r"^[\d.]+ MiB · activation · b[0-9a-f]+_\d+\nfrom event [\d,]+ to event [\d,]+\nforward model\.py:\d+"))
        self.opened.page.mouse.move(*self.opened.at(self.opened.curve, 0.02, 0.1))
        expect(self.tip).to_be_hidden()

    def test_a_click_on_a_band_pins_it_and_moves_the_playhead(self):
        view = self.opened
        self.point_at_band()
        name = re.search(r"b[0-9a-f]+_\d+", self.tip.inner_text())[0]
        view.page.mouse.click(*view.at(view.curve, **BAND))
        expect(view.pinned).to_contain_text(name)
        expect(view.pinned).to_contain_text("at the playhead\tlive", use_inner_text=True)
        view.wait_for_event(473)
        view.page.mouse.click(*view.at(view.curve, 0.5, 0.05))  # above all bands: the playhead alone
        view.wait_for_event(764)
        expect(view.pinned).to_contain_text(name)
        view.page.evaluate("history.back()")
        view.wait_for_event(473)
        view.page.evaluate("history.back()")
        expect(view.pinned).to_be_hidden()

    def test_what_is_pinned_is_lit_on_the_curve(self):
        view = self.opened
        pink = """canvas => {
          const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
          copy.drawImage(canvas, 0, 0);
          const {data} = copy.getImageData(0, 20, canvas.width, canvas.height - 40);
          let count = 0;
          for (let i = 0; i < data.length; i += 4) count += data[i] === 208 && data[i + 1] === 28 && data[i + 2] === 139;
          return count;
        }"""
        view.press("End")
        view.wait_for_event(1528)
        playhead = view.curve.evaluate(pink)
        view.page.mouse.click(*view.at(view.curve, **BAND))
        expect(view.pinned).to_be_visible()
        view.until(lambda: view.curve.evaluate(pink) > playhead + 300)
        view.press("Escape")
        view.until(lambda: view.curve.evaluate(pink) < playhead + 50)

    def test_steps_and_drags_of_the_playhead_ask_for_no_bands(self):
        view = self.opened
        view.page.evaluate(COUNT)
        view.press("ArrowRight")
        view.wait_for_event(1376)
        view.drag(view.curve, 0.9, 0.8, 0.6, 0.4, down=0.99)  # on the ruler
        view.wait_for_event(611)
        self.assertEqual(view.page.evaluate("[window.asked.live > 1, window.asked.bands, window.asked.curve]"), [True, None, None])
        view.press("+")
        expect(view.page.locator("#first")).not_to_have_text("before the first event")
        self.assertEqual(view.page.evaluate("window.asked.bands"), 1)

    def test_bands_have_the_colours_of_the_page(self):
        view = self.opened
        by_line = view.picture_of(view.curve)
        view.press("k")
        view.until(lambda: view.picture_of(view.curve) != by_line)
        by_kind = view.picture_of(view.curve)
        view.press("k")
        view.until(lambda: view.picture_of(view.curve) not in (by_line, by_kind))
        view.press("k")
        view.until(lambda: view.picture_of(view.curve) == by_line)

    def test_bands_are_drawn_at_every_density_of_pixels(self):
        for ratio in (1, 1.5, 2):
            view = self.view(STEP, device_scale_factor=ratio)
            expect(view.page.locator("#first")).to_have_text("before the first event")
            view.page.mouse.move(*view.at(view.curve, **BAND))
            with self.subTest(ratio=ratio):
                expect(view.page.locator("#tip")).to_contain_text("activation")


class SwitchCases(ViewCase):
    def test_the_tooltip_goes_with_the_file(self):
        view = self.view(STEP, "oom.pickle")
        view.wait_for_event(1375)
        tip = view.page.locator("#tip")
        view.page.mouse.move(*view.at(view.cells, 0.3, 0.4))
        expect(tip).to_be_visible()
        view.page.evaluate('document.querySelectorAll("#files [aria-pressed]")[1].click()')
        expect(view.files.nth(1)).to_have_attribute("aria-pressed", "true")
        expect(tip).to_be_hidden()

    def test_the_tooltip_stays_when_a_picture_arrives(self):
        view = self.view(STEP)
        view.wait_for_event(1375)
        expect(view.picture.locator("svg.scripted")).to_be_visible()
        view.hold("({request}) => request && request.ask === 'picture'")
        view.press("2")
        view.wait_for_held()
        view.page.mouse.move(*view.at(view.cells, 0.3, 0.4))
        tip = view.page.locator("#tip")
        expect(tip).to_be_visible()
        view.release()
        expect(view.page.locator("#picture")).to_have_attribute("data-tab", "state")
        expect(tip).to_be_visible()

    def test_what_the_pointer_was_at_is_not_asked_of_another_file(self):
        view = self.view(STEP, "segments_only.pickle")
        view.wait_for_event(1375)
        expect(view.card).to_contain_text("Event 1,375:")
        view.hold("({request}) => request && request.ask === 'life'")
        view.page.mouse.move(*view.at(view.cells, 0.3, 0.4))
        view.wait_for_held()
        view.page.mouse.move(*view.at(view.cells, 0.3, 0.8))  # the next one, once that is answered
        view.page.evaluate('document.querySelectorAll("#files [aria-pressed]")[1].click()')
        view.release()
        expect(view.moment).to_contain_text("No events recorded")
        view.tab("table")
        expect(view.page.locator("#table tbody tr").first).to_be_visible()
        asked = view.page.evaluate("asked.filter(({ask}) => ask === 'life').map(({file}) => file)")
        self.assertEqual(asked, [0])

    def test_the_other_buttons_of_a_mouse_drag_nothing(self):
        view = self.view(STEP)
        view.wait_for_event(1375)
        view.page.mouse.move(*view.at(view.curve, 0.5))
        view.page.mouse.down(button="right")
        view.page.mouse.move(*view.at(view.curve, 0.6))
        view.page.mouse.up(button="right")
        view.page.mouse.move(*view.at(view.curve, 0.7))
        view.press("ArrowRight")
        view.wait_for_event(1376)
        expect(view.page.locator("#range")).to_be_hidden()


class LitCases(ViewCase):
    def setUp(self):
        self.opened = self.view(STEP)
        expect(self.opened.page.locator("#first")).to_have_text("before the first event")
        self.curve, self.cells = (self.opened.picture_of(part) for part in (self.opened.curve, self.opened.cells))

    def expect_lit(self, *parts):
        view = self.opened
        for part in parts or ("curve", "cells"):
            view.until(lambda part=part: view.picture_of(getattr(view, part)) != getattr(self, part))

    def expect_unlit(self):
        view = self.opened
        for part in ("curve", "cells"):
            view.until(lambda part=part: view.picture_of(getattr(view, part)) == getattr(self, part))

    def test_a_row_of_each_table_lights_its_allocations(self):
        view = self.opened
        view.press("4")
        for table in ("line", "kind", "function"):
            view.page.locator(f"#by-{table}").click()
            with self.subTest(table):
                row = view.page.locator("#table tbody tr").first
                row.hover()
                self.expect_lit()
                view.page.mouse.move(*view.at(view.curve, 0.02, 0.05))
                self.expect_unlit()
                row.focus()
                self.expect_lit()
                row.blur()
                self.expect_unlit()

    def test_a_row_of_the_legend_lights_its_allocations(self):
        self.opened.page.locator("#legend li").first.hover()
        self.expect_lit()

    def test_a_cell_lights_its_band_its_row_and_its_boxes(self):
        view = self.opened
        view.press("4")
        place = view.at(view.cells, 0.3, 0.4)
        view.page.mouse.move(*place)
        self.expect_lit()
        expect(view.page.locator("#table tr.lit")).to_have_count(1)
        line = re.search(r"\n(\w+ \w+\.py:\d+)", view.page.locator("#tip").inner_text())[1]
        expect(view.page.locator("#table tr.lit")).to_contain_text(line)
        view.page.locator("#by-function").click()
        view.page.mouse.move(*place)
        expect(view.page.locator("#table tr.lit", has_text=line.split(":")[0]).first).to_be_visible()
        view.press("1")
        expect(view.picture.locator("svg.scripted")).to_be_visible()
        view.page.mouse.move(place[0], place[1] + 1)
        expect(view.picture.locator("#graph .lit").first).to_be_visible()
        expect(view.picture.locator("#graph .lit", has_text=re.compile(f"^{line.split()[0]} ")).first).to_be_visible()

    def test_a_box_of_the_flame_graph_lights_its_allocations(self):
        view = self.opened
        expect(view.picture.locator("svg.scripted")).to_be_visible()
        view.picture.locator("#graph g", has_text=re.compile("^forward model.py")).first.hover()
        self.expect_lit()
        whole = view.picture_of(view.cells)
        view.page.mouse.move(*view.at(view.curve, 0.02, 0.05))
        self.expect_unlit()
        view.picture.get_by_role("button", name="invert").click()
        expect(view.picture.get_by_role("button", name="invert")).to_have_attribute("aria-pressed", "true")
        view.picture.locator("#graph g", has_text=re.compile("^main")).first.hover()
        self.expect_lit()
        self.assertNotEqual(view.picture_of(view.cells), whole)

    def test_the_same_stack_in_another_stream_is_not_lit(self):
        view = self.view("h100_streams.pickle")
        view.press("1")
        expect(view.picture.locator("svg.scripted")).to_be_visible()
        streams = """graph => graph.shownBoxes().filter((box) => box.element.classList.contains('lit')).map((box) => {
          const path = [];
          for (let one = box; one; one = one.parent) path.push(...one.steps.map(({label}) => label.name));
          return path.find((name) => name.startsWith('stream '));
        })"""
        view.card.get_by_role("button", name=re.compile("^b[0-9a-f]+_0$")).click()
        expect(view.pinned).to_contain_text("94780402990976")
        expect(view.picture.locator("#graph .lit").first).to_be_attached()
        self.assertEqual(set(view.picture.locator("#graph").evaluate(streams)), {"stream 94780402990976"})
        view.press("Escape")
        expect(view.picture.locator("#graph .lit")).to_have_count(0)
        pale = view.picture_of(view.cells)
        seen = []
        for box in view.picture.locator("#graph > g[data-frames]").all():
            box.hover(force=True)
            view.until(lambda: view.picture_of(view.cells) != pale)
            seen.append(view.picture_of(view.cells))
            view.page.mouse.move(*view.at(view.curve, 0.02, 0.05))
            view.until(lambda: view.picture_of(view.cells) == pale)
        self.assertEqual((len(seen), len(set(seen))), (3, 3), "each box lights the allocations of its own stream")

    def test_a_block_of_the_segments_and_a_band_of_the_timeline_light_theirs(self):
        view = self.opened
        for key, tab in (("2", "state"), ("6", "timeline")):
            view.press(key)
            with self.subTest(tab):
                view.mark_in_picture(tab).hover(position={"x": 3, "y": 3}, force=True)
                self.expect_lit("cells" if key == "2" else "curve")
                view.page.mouse.move(*view.at(view.curve, 0.02, 0.05))
                self.expect_unlit()

    def test_what_is_pinned_is_lit_in_every_picture_and_list(self):
        view = self.opened
        view.page.mouse.click(*view.at(view.cells, 0.3, 0.4))
        expect(view.pinned).to_be_visible()
        expect(view.picture.locator("#graph .lit").first).to_be_visible()
        view.press("2")
        expect(view.picture.locator(".lit-mark")).to_have_attribute("d", re.compile("^M"))
        view.press("6")
        expect(view.picture.locator(".bands > .lit")).to_have_count(1)
        view.press("5")
        view.pinned.get_by_role("button", name=re.compile("^event ")).first.click()
        expect(view.page.locator("#event-list .event.here.lit")).to_have_count(1)
        view.press("4", "Escape")
        expect(view.page.locator("#table tbody tr").first).to_be_visible()
        expect(view.page.locator("#table tr.lit")).to_have_count(0)

    def test_the_legend_and_the_lines_below_light_their_blocks_of_the_segments(self):
        view = self.opened
        view.press("2")
        lit = view.picture.locator(".lit-mark")
        for colours in ("line", "kind", "origin"):
            with self.subTest(colours):
                expect(view.page.locator("#by")).to_have_text(f"by {colours}")
                expect(lit).to_have_attribute("d", "")
                for row in (0, 1):
                    view.page.locator("#legend li").nth(row).hover()
                    expect(lit).to_have_attribute("d", re.compile("^M"))
                    view.page.mouse.move(*view.at(view.curve, 0.02, 0.05))
                    expect(lit).to_have_attribute("d", "")
                view.press("k")
        row = view.picture.locator(".row:has(rect)").first
        row.hover()
        expect(lit).to_have_attribute("d", re.compile("^M"))
        self.expect_lit("cells")
        view.picture.locator(".figure").first.hover()
        expect(lit).to_have_attribute("d", "")
        self.expect_unlit()
        row.focus()
        expect(lit).to_have_attribute("d", re.compile("^M"))

    def test_a_picture_that_is_not_laid_out_yet_is_lit_once_it_is(self):
        view = self.opened
        view.page.mouse.click(*view.at(view.cells, 0.3, 0.4))
        expect(view.pinned).to_be_visible()
        panel = "document.querySelector('#picture-panel').style.display"
        view.page.evaluate(f"{panel} = 'none'")
        view.press("2")
        expect(view.page.locator("#picture")).to_have_attribute("data-tab", "state")
        expect(view.picture.locator("svg.scripted")).to_be_attached()
        view.page.wait_for_timeout(100)  # for the message that says what is lit
        view.page.evaluate(f"{panel} = ''")
        expect(view.picture.locator(".lit-mark")).to_have_attribute("d", re.compile("^M"))

    def test_an_event_lights_its_allocation(self):
        view = self.opened
        view.press("5")
        view.page.locator("#event-filter").fill("alloc model.py")
        view.event_rows.nth(3).hover()
        self.expect_lit("curve")
        expect(view.page.locator("#event-list .event.lit").first).to_be_visible()
