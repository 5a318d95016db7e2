"""The page of `memviz view` and its pictures by the rules of axe-core, in every pane, and by the keyboard alone."""

import pathlib
import re

import axe_playwright_python
from support import TESTDATA, expect
from view_support import PICTURES, TABS, View, ViewCase, write_page

STEP = "training_step.pickle"
AXE = pathlib.Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text()
RUN = """async () => {
  const {violations} = await axe.run(document, {resultTypes: ['violations']});
  return violations.map(({id, nodes}) => `${id}: ${nodes.slice(0, 3).map(({html, failureSummary}) => `${html.slice(0, 160)} ${failureSummary}`).join(' | ')}`);
}"""
LISTS = {"table": "#table tbody tr", "events": "#event-list .event"}


def violations(page):
    page.evaluate(AXE)
    return page.evaluate(RUN)


class AxeCases(ViewCase):
    def check(self, view, label, tab=None):
        """Checks the page, once it shows the picture or list of a tab."""
        with self.subTest(label):
            if tab in PICTURES:
                expect(view.page.locator("#picture")).to_have_attribute("data-tab", tab)
                expect(view.picture.locator("svg.scripted")).to_be_visible()
            if tab in LISTS:
                expect(view.page.locator(LISTS[tab]).first).to_be_visible()
            self.assertEqual(violations(view.page), [])

    def test_every_pane_light_and_dark(self):
        for scheme in ("light", "dark"):
            view = self.view(STEP, color_scheme=scheme)
            view.wait_for_event(1375)
            for tab in TABS:
                view.tab(tab)
                self.check(view, f"{scheme}, {tab}", tab)

    def test_what_is_pinned_searched_selected_and_asked_for(self):
        view = self.view(STEP, "oom.pickle")
        view.press("4")  # no picture is drawn meanwhile
        view.page.mouse.click(*view.at(view.cells, 0.3, 0.4))
        expect(view.pinned).to_be_visible()
        view.press("m", "Shift+ArrowRight")
        expect(view.page.locator("#range")).to_be_visible()
        view.search.fill("model.py")
        expect(view.hits).to_be_visible()
        self.check(view, "pinned", "table")
        view.search.blur()
        view.press("?")
        expect(view.help).to_be_visible()
        self.check(view, "help", "table")

    def test_an_error_on_a_phone(self):
        view = self.view("oom.pickle", viewport={"width": 400, "height": 800})
        expect(view.card).to_contain_text("out of memory")
        self.check(view, "error", "why")

    def test_a_page_to_drop_files_on(self):
        view = View(self.open(write_page("--empty")))
        expect(view.cover).to_contain_text("Drop a snapshot")
        self.check(view, "drop")


class HandsOnKeysCases(ViewCase):
    def test_arrows_walk_the_list_of_tabs(self):
        view = self.view(STEP)
        view.page.locator("#tab-flame").focus()
        for key, tab in (("ArrowRight", "state"), ("ArrowRight", "why"), ("ArrowLeft", "state"), ("End", "info"), ("ArrowRight", "flame"), ("ArrowLeft", "info"), ("Home", "flame")):
            view.press(key)
            expect(view.page.locator(f"#tab-{tab}")).to_be_focused()
            expect(view.page.locator(f"#tab-{tab}")).to_have_attribute("aria-selected", "true")
        view.wait_for_event(1375)
        self.assertEqual(view.page.locator("[role=tab][tabindex='0']").count(), 1)
        view.tab("events")  # by the pointer: the arrows are the playhead's
        view.press("ArrowRight")
        view.wait_for_event(1376)
        expect(view.page.locator("#tab-events")).to_have_attribute("aria-selected", "true")

    def test_arrows_walk_the_cells_and_enter_pins(self):
        view = self.view(STEP)
        view.wait_for_event(1375)
        tip = view.page.locator("#tip")
        view.cells.focus()
        view.press("ArrowRight")
        expect(tip).to_be_visible()
        first = tip.inner_text()
        view.press("ArrowRight")
        expect(tip).not_to_have_text(first)
        view.press("ArrowLeft")
        expect(tip).to_have_text(first)
        view.press("ArrowDown")
        expect(tip).not_to_have_text(first)
        name = re.search(r"b[0-9a-f]+_\d+", tip.inner_text())[0]
        view.press("Enter")
        expect(view.pinned).to_contain_text(name)
        view.wait_for_event(1375)
        view.press("Tab")
        expect(tip).to_be_hidden()

    def test_arrows_walk_the_rows_of_a_table_and_enter_opens_one(self):
        view = self.view(STEP)
        view.press("4")
        rows = view.page.locator("#table tbody tr")
        expect(rows.first).to_have_attribute("tabindex", "0")
        rows.first.focus()
        for key, place in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1)):
            view.press(key)
            expect(rows.nth(place)).to_be_focused()
            expect(rows.nth(place)).to_have_class(re.compile("lit"))
        line = rows.nth(1).get_attribute("title")
        view.press("Enter")
        expect(view.found).to_contain_text(f"{line}: ")

    def test_the_focus_stays_in_a_table_that_is_drawn_again(self):
        view = self.view(STEP, fragment="#tab=table")
        rows, kept = view.page.locator("#table tbody tr"), view.page.locator("#table tr:focus")
        rows.nth(1).focus()
        line = rows.nth(1).get_attribute("title")
        view.press("ArrowLeft")
        view.wait_for_event(1374)
        expect(rows.nth(1)).to_have_class(re.compile("lit"))
        expect(kept).to_have_attribute("title", line)
        heading = view.page.locator("#table thead button").first
        heading.focus()
        view.press("Enter")
        expect(view.page.locator("#table th").first).to_have_attribute("aria-sort", "ascending")
        expect(heading).to_be_focused()
        view.page.locator("#by-function").click()
        expect(view.page.locator("#table")).to_contain_text("asked itself")
        rows.first.focus()
        view.press("Enter")
        expect(view.page.locator("#table h3")).to_have_count(2)
        expect(rows.first).to_be_focused()

    def test_the_moment_is_said_once_the_playhead_rests(self):
        view = self.view(STEP)
        said = view.page.locator("#said")
        view.press("Home", "ArrowRight")
        expect(said).to_have_text(re.compile("^After event 0 of 1,529"))
        self.assertEqual(said.get_attribute("aria-live"), "polite")


class FileCases(ViewCase):
    def test_a_file_is_closed_by_its_button_and_by_the_keyboard(self):
        view = self.view("before.pickle", STEP, "oom.pickle")
        view.page.get_by_role("button", name="close before.pickle").click()
        expect(view.files).to_have_text([STEP, "oom.pickle"])
        expect(view.files.first).to_be_focused()
        expect(view.files.first).to_have_attribute("aria-pressed", "true")
        expect(view.moment).to_contain_text(" of 1,529")
        view.files.nth(1).click()
        expect(view.headline).to_contain_text("memory")
        view.files.nth(1).focus()
        view.press("Delete")
        expect(view.files).to_have_text([STEP])
        expect(view.moment).to_contain_text(" of 1,529")
        self.assertEqual(view.page.get_by_role("button", name=re.compile("^close ")).count(), 0)  # the last one stays
        view.search.fill("log_predictions")
        expect(view.hits).to_have_text(re.compile(r"hits$|of \d+$"))
        view.page.set_input_files("#choose", TESTDATA / "after.pickle")
        expect(view.files).to_have_text([STEP, "after.pickle"])
        view.press("9")
        expect(view.page.locator("#before option")).to_have_text(["in this file", f"against {STEP}"])

    def test_a_closed_file_is_not_offered_for_differences(self):
        view = self.view("before.pickle", STEP, "oom.pickle")
        view.tab("difference")
        expect(view.page.locator("#before option")).to_have_text(["in this file", f"against {STEP}", "against oom.pickle"])
        view.page.get_by_role("button", name="close before.pickle").click()
        expect(view.files).to_have_text([STEP, "oom.pickle"])
        expect(view.page.locator("#before option")).to_have_text(["in this file", "against oom.pickle"])

    def test_back_to_a_closed_file_does_no_harm(self):
        view = self.view("before.pickle", STEP)
        view.files.nth(1).click()
        expect(view.moment).to_contain_text(" of 1,529")
        view.page.get_by_role("button", name="close before.pickle").click()
        expect(view.files).to_have_count(1)
        view.page.evaluate("history.back()")
        view.press("End")
        view.wait_for_event(1528)
        expect(view.busy).to_have_text("")

    def test_the_drop_page_has_a_sample_and_returns_after_the_last_file(self):
        view = View(self.open(write_page("--empty")))
        view.page.get_by_role("button", name="Try a sample").click()
        expect(view.files).to_have_text(["sample.pickle"])
        expect(view.page.locator("#tab-why")).to_have_attribute("aria-selected", "true")
        expect(view.card).to_contain_text("append_page cache.py:47")
        with view.page.expect_navigation(wait_until="load"):  # the page begins anew
            view.page.get_by_role("button", name="close sample.pickle").click()
        expect(view.cover).to_contain_text("Drop a snapshot")
        view.page.get_by_role("button", name="Try a sample").click()
        expect(view.files).to_have_text(["sample.pickle"])
