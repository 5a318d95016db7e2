"""The page of `memviz view`: a playhead, live memory there, and pictures, tables and links that follow it."""

import json
import re

import snapshots
from support import TESTDATA, expect, memviz
from view_support import TABS, ViewCase

STEP = "training_step.pickle"


def native_numbers(snapshot, event, device=0):
    """Returns the program's own figures of a moment: requested and reserved bytes in readable form, and allocations."""
    at = f"event:{event}"
    text = memviz("stats", TESTDATA / snapshot, "--at", at)
    kinds = json.loads(memviz("stats", TESTDATA / snapshot, "--at", at, "--json", "-"))["devices"][device]["kinds"]
    words = {name: re.findall(rf"^  {name} +([\d.,]+ \w+) ", text, re.M)[device] for name in ("requested", "reserved")}
    return {"event": f"{event:,}", "live": words["requested"], "reserved": words["reserved"],
            "count": f"{sum(kind['blocks'] for kind in kinds):,}"}  # fmt: skip


class OpenCases(ViewCase):
    def test_files_of_all_kinds_open_with_their_first_picture(self):
        for snapshot in (STEP, "oom.pickle", "gen_2.15_host.pickle", "segments_only.pickle", "events_only.pickle", "odd_names.pickle", "windows_paths.pickle"):
            with self.subTest(snapshot):
                view = self.view(snapshot)
                expect(view.moment).to_have_text(re.compile("reserved$"))
                expect(view.picture.locator("svg").first).to_be_visible()
                self.assertEqual(view.busy.inner_text(), "")
                self.assertFalse(view.cover.is_visible())
                self.assertEqual(self.complaints, [])

    def test_a_recording_of_nothing_says_so(self):
        for snapshot in ("empty.pickle", "empty_list.pickle"):
            with self.subTest(snapshot):
                view = self.view(snapshot)
                expect(view.headline).to_have_text("No memory is reserved in this snapshot")
                expect(view.picture.locator("svg").first).to_be_visible()
                expect(view.curve).to_be_hidden()
                view.press("Home", "ArrowRight", "p", "k", "t", "m", "0", "+", "4", "Escape")
                view.tab("info")
                expect(view.page.locator("#info")).to_contain_text("written by")
                self.assertEqual(self.complaints, [])

    def test_a_snapshot_without_events_shows_its_segments(self):
        view = self.view("segments_only.pickle")
        expect(view.picture.locator("svg").first).to_contain_text("active_allocated")
        numbers = view.numbers()
        self.assertIsNone(numbers["event"])
        expect(view.moment).to_contain_text("No events recorded: ")
        for part in (view.curve, view.map, view.page.locator("#tab-events")):
            expect(part).to_be_hidden()
        self.assertNotEqual(numbers["live"], "0 B")

    def test_one_block(self):
        view = self.view(str(snapshots.snapshot([[snapshots.frame("main", 1)]])))
        expect(view.moment).to_have_text(re.compile(r": 1\.00 MiB in 1 allocation, 1\.00 MiB reserved$"))
        view.page.mouse.click(*view.at(view.cells, 0.2, 0.2))
        expect(view.pinned).to_contain_text("main train.py:1")

    def test_names_that_are_markup_stay_words(self):
        evil = "</script><img src=x onerror=alert(1)><script>alert(2)</script>"
        made = snapshots.snapshot([[snapshots.frame(evil, 1, f"/home/{evil}.py")]])
        file = made.rename(made.with_name("\"><b onclick=alert(3)>&lt;.pickle"))
        view = self.view(str(file))
        expect(view.files.first).to_have_text(file.name)
        for key in "12346789i":
            view.press(key)
            view.page.wait_for_timeout(60)
        view.press("1")
        expect(view.picture.locator("svg").first).to_contain_text("onerror")
        view.page.mouse.click(*view.at(view.cells, 0.2, 0.2))
        expect(view.pinned).to_contain_text("</script>")
        self.assertEqual(view.page.locator("img:visible, b").count(), 0)

    def test_playhead_starts_at_the_error_that_ran_out_of_memory(self):
        view = self.view("oom.pickle")
        oom = json.loads(memviz("stats", TESTDATA / "oom.pickle", "--json", "-"))["devices"][0]["last_oom_event"]
        view.wait_for_event(oom)


class ScrubCases(ViewCase):
    def setUp(self):
        self.opened = self.view(STEP)
        self.opened.wait_for_event(1375)

    def test_keys_move_the_playhead(self):
        view = self.opened
        for key, event in (("ArrowRight", 1376), ("ArrowLeft", 1375), ("Home", None), ("ArrowLeft", None), ("End", 1528),
                           ("ArrowRight", 1528), ("p", 1375), ("Shift+ArrowLeft", 1360), ("Alt+ArrowLeft", 1243)):  # fmt: skip
            view.press(key)
            view.wait_for_event(event)
        view.press("Home", "Alt+ArrowRight")
        view.wait_for_event(114)

    def test_dragging_moves_the_playhead_and_numbers_are_those_of_the_program(self):
        view = self.opened
        for share, event in ((0.02, 30), (0.13, 198), (0.4, 611), (0.77, 1176), (0.9999, 1528)):
            view.drag(view.curve, 0.5, 0.6, share)
            view.wait_for_event(event)
            with self.subTest(event=event):
                self.assertEqual(view.numbers(), native_numbers(STEP, event))

    def test_a_step_copies_the_curve_instead_of_drawing_it(self):
        view = self.opened
        expect(view.page.locator("#first")).to_have_text("before the first event")
        view.page.evaluate("""() => {
          const fill = CanvasRenderingContext2D.prototype.fillRect;
          window.drawn = 0;
          CanvasRenderingContext2D.prototype.fillRect = function(...place) {
            if (this.canvas.id !== 'cells') ++window.drawn;
            fill.apply(this, place);
          };
        }""")
        view.press("ArrowRight")
        view.wait_for_event(1376)
        self.assertLess(view.page.evaluate("window.drawn"), 20)
        view.press("k")
        view.until(lambda: view.page.evaluate("window.drawn") > 1000)

    def test_wheel_and_map_choose_what_is_shown(self):
        view = self.opened
        view.page.mouse.move(*view.at(view.curve, 0.5))
        view.page.mouse.wheel(0, -100)
        expect(view.page.locator("#first")).to_have_text("event 152")
        expect(view.page.locator("#last")).to_have_text("event 1,375")
        view.page.mouse.wheel(50, 0)
        expect(view.page.locator("#first")).not_to_have_text("event 152")
        view.drag(view.map, 0.25, 0.3, 0.5)
        expect(view.page.locator("#first")).to_have_text("event 381")
        expect(view.page.locator("#last")).to_have_text("event 764")
        view.press("0")
        expect(view.page.locator("#last")).to_have_text("event 1,528")
        view.press("+")
        expect(view.page.locator("#last")).not_to_have_text("event 1,528")
        view.press("Home")
        expect(view.page.locator("#first")).to_have_text("before the first event")
        expect(view.page.locator("#last")).not_to_have_text("event 1,528")
        view.map.dblclick()
        expect(view.page.locator("#last")).to_have_text("event 1,528")
        expect(view.page.locator("#first")).to_have_text("before the first event")


    def test_time_as_axis(self):
        view = self.opened
        view.press("t", "Home")
        expect(view.page.locator("#axis")).to_have_text("time")

        def is_there():
            view.drag(view.curve, 0.3, 0.5)
            view.page.wait_for_timeout(50)
            return view.numbers()["event"] == "775"

        view.until(is_there)  # the curve of the new axis comes after the click
        self.assertEqual(view.numbers(), native_numbers(STEP, 775))


class TabCases(ViewCase):
    def test_every_tab_shows_its_picture_or_table(self):
        view = self.view(STEP)
        words = {"flame": "Largest users", "state": "segments", "why": "GPU 0", "timeline": "train_step", "reserved": "bytes reserved after each event",
                 "pools": "stream", "difference": "→"}  # fmt: skip
        for tab in TABS:
            view.tab(tab)
            with self.subTest(tab):
                expect(view.page.locator(f"#tab-{tab}")).to_have_attribute("aria-selected", "true")
                if tab in words:
                    expect(view.picture.locator("svg").first).to_contain_text(words[tab], ignore_case=True)
                else:
                    expect(view.page.locator(f"#{tab}-panel")).to_be_visible()
        expect(view.page.locator("#info")).to_contain_text("1,529 events")
        view.tab("table")
        expect(view.page.locator("#table tbody tr").first).to_contain_text("train_step train.py:61")
        view.page.locator("#table tbody tr").first.click()
        expect(view.found).to_contain_text("1,023 MiB in 164 allocations, 15.5 %")
        view.page.locator("#by-function").click()
        expect(view.page.locator("#table")).to_contain_text("asked itself")
        view.page.locator("#table tbody tr", has_text="log_predictions").first.click()
        expect(view.page.locator("#table h3").first).to_have_text("Callers of log_predictions")
        view.page.get_by_role("button", name="all functions").click()
        view.page.locator("#lives").select_option("freed")
        expect(view.page.locator("#table tbody tr").first).to_be_visible()

    def test_an_answer_for_another_table_is_not_drawn(self):
        view = self.view(STEP, fragment="#tab=table")
        table, click_row = view.page.locator("#table"), 'document.querySelector("#table tbody tr").click()'
        expect(table.locator("tbody tr").first).to_be_visible()
        line = table.locator("tbody tr").first.get_attribute("title")
        view.page.evaluate(f'document.querySelector("#by-function").click(); {click_row}')
        expect(view.found).to_contain_text(f"{line}: ")  # a row of the lines is searched for
        expect(table).to_contain_text("asked itself")
        view.page.evaluate(f'{click_row}; document.querySelector("#by-line").click()')
        expect(table).not_to_contain_text("asked itself")
        expect(table.locator("tbody tr").first).to_have_attribute("title", line)
        self.assertEqual(view.busy.inner_text(), "")

    def test_another_file_shows_all_functions(self):
        view = self.view("before.pickle", STEP, fragment="#file=1&tab=table")
        table = view.page.locator("#table")
        view.page.locator("#by-function").click()
        expect(table).to_contain_text("asked itself")
        table.locator("tbody tr", has_text="log_predictions").first.click()
        expect(table.locator("h3")).to_have_count(2)
        view.files.first.click()
        expect(table.locator("h3")).to_have_count(0)
        expect(table).to_contain_text("asked itself")
        self.assertEqual(view.busy.inner_text(), "")

    def test_a_flame_graph_has_only_what_the_range_leaves_or_frees(self):
        view = self.view(STEP, fragment="#first=1000&last=1400&tab=flame")
        view.page.locator("#lives").select_option("born")
        expect(view.picture.locator("svg").first).to_contain_text("allocated in events 1,000 to 1,399: ")
        expect(view.picture.locator("svg").first).to_contain_text("<not in focus>")
        view.page.locator("#lives").select_option("freed")
        expect(view.picture.locator("svg").first).to_contain_text("freed in events 1,000 to 1,399: ")
        view.press("k")
        view.page.locator("#lives").select_option("live")
        expect(view.picture.locator("svg").first).not_to_contain_text("freed in events")

    def test_events_follow_the_playhead_and_a_filter(self):
        view = self.view(STEP, viewport={"width": 1240, "height": 1400})
        view.press("5")
        here = view.page.locator("#event-list .here")
        expect(here).to_have_attribute("data-event", "1375")
        view.press("End")
        expect(here).to_have_attribute("data-event", "1528")
        expect(here).to_be_in_viewport()
        view.page.locator("#event-filter").fill("alloc >300MiB log_predictions")
        expect(view.page.locator("#event-count")).to_have_text("2 events of all")
        view.event_rows.first.click()
        expect(view.event_rows.first).to_have_class(re.compile("here"))
        self.assertIn("alloc", view.event_rows.first.inner_text())
        view.page.locator("#event-filter").fill("/(/")
        expect(view.page.locator("#event-count")).to_contain_text("missing )")

    def test_difference_of_a_mark_and_of_two_files(self):
        view = self.view("before.pickle", "after.pickle")
        view.press("9")
        view.page.locator("#before").select_option("against after.pickle")
        expect(view.picture.locator("svg").first).to_contain_text("after.pickle")
        view.page.locator("#before").select_option("in this file")
        view.press("Home", "m", "End")
        expect(view.picture.locator("svg").first).to_contain_text("event")
        view.files.nth(1).click()
        expect(view.files.nth(1)).to_have_attribute("aria-pressed", "true")
        expect(view.files.nth(0)).to_have_attribute("aria-pressed", "false")

    def test_a_key_pressed_before_the_answer_of_a_switch_counts(self):
        view = self.view("before.pickle", STEP)
        press_at_once = 'document.dispatchEvent(new KeyboardEvent("keydown", {key: "End", bubbles: true}))'
        view.page.evaluate(f'document.querySelectorAll("#files [aria-pressed]")[1].click(); {press_at_once}')
        view.wait_for_event(1528)
        view.page.wait_for_timeout(500)
        view.wait_for_event(1528)

    def test_devices_switch(self):
        view = self.view("devices_streams.pickle")
        names = view.devices.all_inner_texts()
        self.assertEqual(len(names), 3)
        for i, name in enumerate(names):
            view.devices.nth(i).click()
            expect(view.devices.nth(i)).to_have_attribute("aria-pressed", "true")
            expect(view.picture.locator("svg").first).to_contain_text(name)


class PinCases(ViewCase):
    def test_cell_pins_its_allocation(self):
        view = self.view(STEP)
        view.wait_for_event(1375)
        view.page.mouse.move(*view.at(view.cells, 0.5, 0.5))
        expect(view.page.locator("#tip")).to_contain_text("MiB")
        view.page.mouse.click(*view.at(view.cells, 0.5, 0.5))
        expect(view.pinned).to_contain_text("its address")
        name = view.pinned.locator("strong").first.inner_text()
        born = int(re.search(r"born\s+event ([\d,]+)", view.pinned.inner_text())[1].replace(",", ""))
        view.pinned.get_by_role("button", name=f"event {born:,}").click()
        view.wait_for_event(born)
        expect(view.pinned).to_contain_text("live")
        view.press("ArrowLeft")
        expect(view.pinned).to_contain_text("not live")
        other = view.pinned.locator("li button:not(.strong)")
        if other.count():
            other.first.click()
            expect(view.pinned.locator("strong").first).not_to_have_text(name)
        view.press("Escape")
        expect(view.pinned).to_be_hidden()

    def test_block_of_segments_and_band_of_timeline_pin(self):
        view = self.view(STEP)
        for key, mark, event in (("2", "state", 1375), ("6", "timeline", 1376)):
            view.press(key)
            with self.subTest(mark):
                view.click_in_picture(mark)
                expect(view.pinned).to_be_visible()
                view.wait_for_event(event)
                view.press("ArrowRight")  # the keys are the page's after a click
                view.wait_for_event(event + 1)
                view.press("Escape")
                expect(view.pinned).to_be_hidden()


class SearchCases(ViewCase):
    def test_search_lights_up_cells_and_pictures(self):
        view = self.view(STEP)
        view.wait_for_event(1375)
        before = view.picture_of(view.cells)
        view.press("/")
        view.page.keyboard.type("log_predictions")
        expect(view.found).to_contain_text("log_predictions: 746 MiB in 2 allocations, 11.3 %")
        self.assertNotEqual(view.picture_of(view.cells), before)
        expect(view.picture.locator("#status")).to_contain_text("746 MiB")
        view.press("Escape", "Escape")
        expect(view.found).to_have_text("")
        expect(view.picture.locator("#status")).not_to_contain_text("746 MiB")
        view.search.fill("/(/")
        expect(view.found).to_contain_text("missing )")


class SaveCases(ViewCase):
    def saved(self, view, key):
        with view.page.expect_download() as download:
            view.press(key)
        return download.value.suggested_filename, download.value.path().read_text()

    def test_figures_and_pictures_are_saved(self):
        view = self.view(STEP)
        view.press("Home", "Shift+ArrowRight", "i")
        view.wait_for_event(14)
        name, text = self.saved(view, "j")
        self.assertEqual(name, "memviz-info.json")
        native = json.loads(memviz("stats", TESTDATA / STEP, "--at", "event:14", "--json", "-"))
        saved = json.loads(text)["devices"][0]
        self.assertEqual(saved, {name: native["devices"][0][name] for name in saved})
        view.press("2")
        expect(view.picture.locator("#board")).to_be_visible()
        name, text = self.saved(view, "s")
        self.assertEqual(name, "memviz-state.svg")
        self.assertIn("after event 14 ", text)

    def test_figures_are_those_that_the_tab_shows(self):
        view = self.view(STEP)
        figures = {}

        def save(*keys):
            view.press(*keys)
            name, text = self.saved(view, "j")
            figures[name] = json.loads(text)
            return figures[name]

        table = save("p", "4")
        self.assertEqual(sum(row["bytes"] for row in table["rows"]), table["bytes"])
        self.assertEqual(len(save("5")["rows"]), 1529)
        view.page.locator("#event-filter").fill("oom")
        view.page.locator("#event-filter").blur()
        self.assertEqual(save()["rows"], [])
        native = json.loads(memviz("compare", TESTDATA / STEP, TESTDATA / STEP, "--json", "-"))
        self.assertEqual(save("0", "9")["schema"], native["schema"])
        self.assertEqual(save("6")["schema"], "memviz.timeline/1.2")
        self.assertEqual([*figures], [f"memviz-{tab}.json" for tab in ("table", "events", "difference", "timeline")])


class LinkCases(ViewCase):
    def test_a_link_opens_the_same_view(self):
        view = self.view("before.pickle", STEP)
        view.files.nth(1).click()
        view.press("k", "Home", "m", "p", "+", "2")
        view.wait_for_event(1375)  # the peak, where the cells are not empty
        view.search.fill("model.py")
        expect(view.found).to_contain_text("model.py")
        view.page.mouse.click(*view.at(view.cells, 0.3, 0.5))
        expect(view.pinned).to_be_visible()
        link = view.link()
        again = self.view("before.pickle", STEP, fragment=link)
        expect(again.pinned).to_be_visible()
        expect(again.found).to_have_text(view.found.inner_text())
        self.assertEqual(again.moment.inner_text(), view.moment.inner_text())
        self.assertEqual(again.link(), link)
        self.assertEqual(again.page.locator("[role=tab][aria-selected=true]").inner_text(), "Segments")

    def test_a_link_to_the_second_file_shows_the_curve_of_that(self):
        for more in ("", "&by=kind", "&by=kind&axis=time"):
            with self.subTest(more):
                view = self.view(STEP, "oom.pickle", fragment=f"#file=1{more}")
                expect(view.files.nth(1)).to_have_attribute("aria-pressed", "true")
                events = json.loads(memviz("stats", TESTDATA / "oom.pickle", "--json", "-"))["devices"][0]["events"]
                expect(view.page.locator("#last")).to_have_text(f"event {events - 1:,}")
                self.assertEqual(view.busy.inner_text(), "")

    def test_nonsense_in_a_link_does_no_harm(self):
        for fragment in ("#file=7&state=3", "#tab=nothing&by=x&axis=y&state=99999999&first=5000&last=4000&life=4000000", "#device=77&other=9999999"):
            with self.subTest(fragment):
                view = self.view(STEP, fragment=fragment)
                expect(view.moment).to_have_text(re.compile("reserved$"))
                expect(view.picture.locator("svg").first).to_be_visible()
                self.assertEqual(view.page.locator("[role=tab][aria-selected=true]").count(), 1)
                self.assertEqual(self.complaints, [])
