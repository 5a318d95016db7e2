"""The page of `memviz view` as a page: dropped files, the keyboard, names for screen readers, widths, dark and print."""

import base64
import gzip
import os
import re
import subprocess

from support import TESTDATA, expect, new_file
from view_support import View, ViewCase, write_page

STEP = "training_step.pickle"

DROP = """([name, text, times = 1]) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)), data = new DataTransfer();
  for (let i = 0; i < times; ++i) data.items.add(new File([bytes], name));
  document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
}"""

# Returns controls without a name for screen readers.
NAMELESS = """() => Array.from(document.querySelectorAll('button, input, select, iframe, canvas, [role]:not([role=status], [role=cell])'))
  .filter((one) => one.checkVisibility())
  .filter((one) => !(one.getAttribute('aria-label') || one.getAttribute('aria-labelledby') || one.title || one.textContent.trim() || (one.labels && one.labels.length)))
  .map((one) => one.outerHTML.slice(0, 80))"""

# Returns words whose contrast with their background is less than 4.5, on one background per page.
PALE = """() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((part) => part / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const under = (one) => {
    for (; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (!colour.startsWith('rgba(0, 0, 0, 0')) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  return Array.from(document.querySelectorAll('body *'))
    .filter((one) => one.checkVisibility() && [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()))
    .map((one) => [light(getComputedStyle(one).color), light(under(one)), one.outerHTML.slice(0, 80)])
    .map(([ink, page, html]) => [(Math.max(ink, page) + 0.05) / (Math.min(ink, page) + 0.05), html])
    .filter(([contrast]) => contrast < 4.5);
}"""

# Returns the share of the cells' pixels that are painted.
FILLED = """() => {
  const canvas = document.getElementById('cells'), copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
  copy.drawImage(canvas, 0, 0);
  const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
  return data.filter((value, i) => i % 4 === 3 && value).length / (data.length / 4);
}"""

# Returns elements that extend beyond the page's right edge, except those in boxes that scroll.
WIDE = """() => [document.documentElement.scrollWidth > innerWidth ? `page: ${document.documentElement.scrollWidth}` : '',
  ...Array.from(document.querySelectorAll('body *'))
    .filter((one) => one.checkVisibility() && !one.closest('#event-list, #table, .stack') && one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.outerHTML.slice(0, 80))].filter(Boolean)"""


class DropCases(ViewCase):
    def setUp(self):
        self.dropped = View(self.open(write_page("--empty")))
        expect(self.dropped.cover).to_contain_text("Drop a snapshot")

    def drop(self, file):
        self.dropped.page.evaluate(DROP, [file.name, base64.b64encode(file.read_bytes()).decode()])

    def test_dropped_files_of_every_encoding_show_the_same(self):
        view, folder = self.dropped, TESTDATA / "encodings"
        for i, name in enumerate(("protocol4.pickle", "snapshot.json", "snapshot.pickle.gz", "snapshot.pickle.zst")):
            self.drop(folder / name)
            expect(view.files).to_have_count(i + 1)
            expect(view.files.nth(i)).to_have_attribute("aria-pressed", "true")
            expect(view.moment).to_have_text("After event 98 of 103 (21.9 ms): 164 MiB in 24 allocations, 194 MiB reserved")

    def test_chosen_files_open_and_compare(self):
        view = self.dropped
        view.page.set_input_files("#choose", [TESTDATA / "before.pickle", TESTDATA / "after.pickle"])
        expect(view.files).to_have_count(2)
        view.press("9")
        view.page.locator("#before").select_option("against after.pickle")
        expect(view.picture.locator("svg").first).to_contain_text("after.pickle")

    def test_what_cannot_be_read_gets_the_words_of_the_program(self):
        view = self.dropped
        for name in ("corrupt.pickle.gz", "git_lfs_pointer.pickle", "bomb_zeros.pickle.gz", "deep_tuples.pickle", "broken.json"):
            with self.subTest(name):
                self.drop(TESTDATA / "hostile" / name)
                expect(view.busy).to_have_text(self.refusal_of(TESTDATA / "hostile" / name))
        self.drop(TESTDATA / "oom.pickle")
        expect(view.files).to_have_count(1)
        expect(view.busy).to_have_text("")

    def refusal_of(self, file):
        words = subprocess.run([os.environ["MEMVIZ_BINARY"], "stats", file], capture_output=True, text=True).stderr
        return words.splitlines()[0].removeprefix("memviz: ").replace(str(file), file.name)


class SizeCases(ViewCase):
    def test_a_page_carries_less_than_the_compressed_file(self):
        carried = re.search(r'class="snapshot"[^>]*>([^<]*)<', write_page(STEP).read_text())[1]
        self.assertLess(len(carried) * 13 // 16, len(gzip.compress((TESTDATA / STEP).read_bytes(), 6)) * 2 / 3)

    def test_a_page_over_the_limit_is_refused_with_its_size_and_events(self):
        page = new_file(".html")
        run = subprocess.run([os.environ["MEMVIZ_BINARY"], "view", TESTDATA / STEP, "-o", page, "--max-size", "500KB"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"the page would have \d\.\d+ MiB with 1,529 events, more than 488 KiB: allow it with --max-size")
        self.assertFalse(page.exists())


class KeyboardCases(ViewCase):
    def test_everything_has_a_name_and_is_reached_by_the_keyboard(self):
        view = self.view(STEP)
        for tab in ("1", "4", "5", "i"):
            view.press(tab)
            self.assertEqual(view.page.evaluate(NAMELESS), [])
        view.press("5")
        view.page.evaluate("document.activeElement.blur()")
        reached = []
        for _ in range(45):
            view.press("Tab")
            reached.append(view.page.evaluate("document.activeElement.id"))
        for control in ("choose", "search", "by", "axis", "copy", "save", "help-button", "curve", "cells", "tab-events", "event-filter", "event-list"):
            self.assertIn(control, reached)

    def test_help_lists_keys_and_closes(self):
        view = self.view(STEP)
        view.press("?")
        expect(view.help).to_be_visible()
        expect(view.help).to_contain_text("the next annotation or error")
        view.press("End")
        view.press("Escape")
        expect(view.help).to_be_hidden()
        view.wait_for_event(1375)

    def test_escape_lets_go_of_one_thing_after_the_other(self):
        view = self.view(STEP)
        view.press("m")
        view.search.fill("model.py")
        expect(view.found).to_contain_text("model.py")
        view.page.mouse.click(*view.at(view.cells, 0.5))
        expect(view.pinned).to_be_visible()
        view.press("Escape")
        expect(view.pinned).to_be_hidden()
        expect(view.found).to_contain_text("model.py")
        view.press("Escape")
        expect(view.found).to_have_text("")
        self.assertIn("other=", view.link())
        view.press("Escape")
        self.assertNotIn("other=", view.link())

    def test_roles(self):
        view = self.view(STEP)
        tabs = view.page.get_by_role("tablist").get_by_role("tab")
        self.assertEqual(tabs.count(), 10)
        self.assertEqual(view.page.get_by_role("tab", selected=True).count(), 1)
        for tab in tabs.all():
            panel = view.page.locator(f"#{tab.get_attribute('aria-controls')}")
            self.assertEqual(panel.get_attribute("role"), "tabpanel")
        slider = view.page.get_by_role("slider", name="playhead")
        self.assertEqual([slider.get_attribute(f"aria-value{part}") for part in ("min", "max", "now")], ["0", "1529", "1376"])
        self.assertIn("After event 1,375", slider.get_attribute("aria-valuetext"))


class LookCases(ViewCase):
    def test_no_width_overflows(self):
        for width in (360, 768, 3840):
            view = self.view("odd_names.pickle", viewport={"width": width, "height": 900})
            for tab in "12345i":
                view.press(tab)
                view.page.wait_for_timeout(50)
                with self.subTest(width=width, tab=tab):
                    self.assertEqual(view.page.evaluate(WIDE), [])
            view.page.mouse.click(*view.at(view.cells, 0.01, 0.01))
            expect(view.pinned).to_be_visible()
            self.assertEqual(view.page.evaluate(WIDE), [])

    def test_words_are_legible_light_and_dark(self):
        for scheme in ("light", "dark"):
            view = self.view(STEP, color_scheme=scheme)
            view.search.fill("model.py")
            expect(view.found).to_contain_text("model.py")
            view.page.mouse.click(*view.at(view.cells, 0.5))
            expect(view.pinned).to_be_visible()
            for tab in "45i":
                view.tab({"4": "table", "5": "events", "i": "info"}[tab])
                view.page.wait_for_timeout(50)
                with self.subTest(scheme=scheme, tab=tab):
                    self.assertEqual(view.page.evaluate(PALE), [])

    def test_cells_fill_the_share_of_the_peak_on_every_screen(self):
        for ratio in (1, 1.5, 2):
            view = self.view(STEP, device_scale_factor=ratio)
            view.wait_for_event(1375)
            with self.subTest(ratio=ratio):
                self.assertAlmostEqual(view.page.evaluate(FILLED), 0.98 * 10 / 12, delta=0.06)
                view.press("Home")
                view.wait_for_event(None)
                self.assertAlmostEqual(view.page.evaluate(FILLED), 0.03 * 10 / 12, delta=0.01)
                view.page.set_viewport_size({"width": 800, "height": 700})

    def test_print_shows_the_view_without_controls(self):
        view = self.view(STEP)
        view.page.emulate_media(media="print")
        for part in (view.headline, view.moment, view.curve, view.cells):
            self.assertTrue(part.is_visible())
        self.assertFalse(view.search.is_visible())
        self.assertFalse(view.page.get_by_role("tablist").is_visible())

    def test_the_cover_is_there_without_scripts(self):
        page = self.open(write_page(STEP), java_script_enabled=False)
        expect(page.locator("#cover h1")).to_have_text("GPU 0 at its peak: 6.58 GiB reserved, 98.2 % in use")
        self.assertEqual(page.locator("#cover img").count(), 2)
        self.assertFalse(page.locator("#app").is_visible())
