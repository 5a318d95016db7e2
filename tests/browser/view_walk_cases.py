"""The page of `memviz view` while someone walks: cards of events, search over all time, ranges, and the way back."""

import json
import re

from support import TESTDATA, expect, memviz, new_file
from view_support import View, ViewCase, write_page

STEP, OOM = "training_step.pickle", "oom.pickle"
SAMPLE = """() => {
  const canvas = document.getElementById('curve'), {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, 6);
  let marks = 0;
  for (let i = 0; i < data.length; i += 4) marks += data[i] === 208 && data[i + 1] === 28 && data[i + 2] === 139;
  return marks;
}"""

# Holds back the questions about events and allocations until release() is called for each, and notes the cards that are drawn.
HOLD = """() => {
  const post = Worker.prototype.postMessage;
  window.held = [];
  window.drawn = [];
  window.release = () => window.held.splice(0).forEach((ask) => ask());
  Worker.prototype.postMessage = function(message, ...more) {
    if (message.request && ['event', 'life'].includes(message.request.ask)) window.held.push(() => post.call(this, message, ...more));
    else post.call(this, message, ...more);
  };
  for (const id of ['event-card', 'pinned']) {
    const card = document.getElementById(id), note = () => !card.hidden && window.drawn.push(card.textContent);
    new MutationObserver(note).observe(card, {childList: true, attributes: true});
  }
}"""


class LateAnswerCases(ViewCase):
    def answer_all(self, view):
        """Answers the questions that are held, and those that follow from their answers."""
        view.until(lambda: view.page.evaluate("window.held.length"))
        for _ in range(12):
            view.page.evaluate("window.release()")
            view.page.wait_for_timeout(50)

    def test_an_event_that_the_playhead_has_left_gets_no_card(self):
        view = self.view(STEP)
        expect(view.card).to_contain_text("Event 1,375:")
        view.page.evaluate(HOLD)
        view.press("ArrowLeft")
        view.until(lambda: view.page.evaluate("window.held.length"))
        view.press("ArrowLeft")
        view.page.wait_for_timeout(100)  # until the card of the second one is wanted
        self.answer_all(view)
        expect(view.card).to_contain_text("Event 1,373:")
        self.assertNotIn("Event 1,374:", "".join(view.page.evaluate("window.drawn")))

    def test_an_allocation_that_is_let_go_gets_no_card(self):
        view = self.view(STEP)
        expect(view.card).to_contain_text("Event 1,375:")
        view.page.evaluate(HOLD)
        view.page.mouse.click(*view.at(view.cells, 0.55, 0.38))
        view.until(lambda: view.page.evaluate("window.held.length"))
        view.press("Escape")
        self.answer_all(view)
        expect(view.pinned).to_be_hidden()
        self.assertEqual([card for card in view.page.evaluate("window.drawn") if "at the playhead" in card], [])


class CardCases(ViewCase):
    def choose_first(self, view, words):
        """Clicks the first event of the list that matches a filter."""
        view.page.locator("#event-list").focus()
        view.press("Home")
        view.wait_for_event(None)
        view.page.locator("#event-filter").fill(words)
        expect(view.event_rows.first).to_contain_text(words.split()[0])
        expect(view.page.locator("#event-count")).to_have_text(re.compile("of all$"))
        view.event_rows.first.click()

    def test_an_error_opens_on_why_with_the_stack_that_failed(self):
        view = self.view(OOM)
        expect(view.page.locator("#tab-why")).to_have_attribute("aria-selected", "true")
        expect(view.card).to_contain_text("Event 86: out of memory")
        expect(view.card).to_contain_text("asked for")
        expect(view.card.locator("ol.stack .own").first).to_have_text("append_page cache.py:47")
        expect(view.card.locator("details summary").first).to_contain_text("whole stack, innermost first: ")
        expect(view.card.locator(".run").first).to_be_hidden()
        view.card.locator("details summary").first.click()
        expect(view.card.locator(".run").first).to_contain_text("of C++")

    def test_every_event_has_a_card_with_its_place_and_life(self):
        view = self.view(STEP)
        trace = json.loads(memviz("trace", TESTDATA / STEP, "--json", "-"))["lines"]
        events = {line["event"]: line for line in trace if line["kind"] == "event"}
        view.press("5")
        for action in ("alloc", "free_requested", "free_completed", "segment_alloc", "segment_free"):
            row = next((row for row in events.values() if row["action"] == action), None)
            if row is None:
                continue
            with self.subTest(action):
                self.choose_first(view, action)
                expect(view.card).to_contain_text(f"Event {row['event']:,}: ")
                expect(view.card).to_contain_text(f"0x{int(row['address']):x}")
                if row["name"].startswith("b"):
                    expect(view.card.get_by_role("button", name=row["name"])).to_be_visible()
                    expect(view.card).to_contain_text("segment")

    def test_a_card_leads_to_the_events_and_the_allocation_that_it_names(self):
        view = self.view(STEP)
        view.press("5")
        self.choose_first(view, "free_completed forward")
        expect(view.card).to_contain_text("allocated by")
        freed = view.numbers()["event"]  # the second of the two events of a free
        view.card.get_by_role("button", name=re.compile("^event ")).first.click()
        expect(view.card).to_contain_text(re.compile(r"Event [\d,]+: allocated"))
        expect(view.card).to_contain_text("free requested by")
        view.card.get_by_role("button", name=f"event {freed}").click()
        expect(view.card).to_contain_text(f"Event {freed}: freed")
        view.card.get_by_role("button", name=re.compile("^b[0-9a-f]+_[0-9]+$")).click()
        expect(view.pinned).to_be_visible()

    def test_the_forward_pass_of_a_gradient_is_shown(self):
        frame = {"name": "backward", "filename": "/home/train.py", "line": 3}
        event = {"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "time_us": 1, "frames": [frame], "user_metadata": "layer 7",
                 "forward_frames": ["forward of the encoder", "<lambda> of the model"]}  # fmt: skip
        segment = {"device": 0, "address": 4096, "total_size": 2097152, "stream": 0, "segment_type": "small", "allocated_size": 512, "active_size": 512,
                   "requested_size": 512, "frames": [], "blocks": [{"address": 4096, "size": 512, "requested_size": 512, "state": "active_allocated", "frames": [frame]},
                                                                   {"address": 4608, "size": 2096640, "requested_size": 0, "state": "inactive", "frames": []}]}  # fmt: skip
        file = new_file(".json")
        file.write_text(json.dumps({"segments": [segment], "device_traces": [[event]], "allocator_settings": {}}))
        view = self.view(str(file))
        view.press("End")
        expect(view.card).to_contain_text("Forward pass")
        expect(view.card).to_contain_text("forward of the encoder")
        expect(view.card).to_contain_text("layer 7")

    def test_arrows_go_from_event_to_event_of_the_filter(self):
        view = self.view(STEP)
        view.press("5")
        self.choose_first(view, "segment_alloc")
        first, second, third = (int(view.event_rows.nth(i).get_attribute("data-event")) for i in range(3))
        for key, event in (("ArrowDown", second), ("ArrowDown", third), ("ArrowUp", second), ("ArrowUp", first), ("ArrowUp", first)):
            view.press(key)
            view.wait_for_event(event)
        view.press("ArrowRight")
        view.wait_for_event(first + 1)
        expect(view.card).to_contain_text(f"Event {first + 1}:")


class SearchAllCases(ViewCase):
    def test_a_search_at_the_start_finds_what_is_live_later(self):
        view = self.view(STEP)
        view.press("Home")
        view.wait_for_event(None)
        before = view.picture_of(view.curve)
        view.press("/")
        view.page.keyboard.type("log_predictions")
        expect(view.hits).to_have_text(re.compile(r"^\d+ hits$"))
        expect(view.found).to_have_text("log_predictions: nothing live at the playhead")
        view.until(lambda: view.page.evaluate(SAMPLE) > 0)
        self.assertNotEqual(view.picture_of(view.curve), before)
        count = int(view.hits.inner_text().split()[0])
        view.press("Enter")
        expect(view.hits).to_have_text(f"1 of {count}")
        expect(view.card).to_contain_text("log_predictions")
        view.press("Enter")
        expect(view.hits).to_have_text(f"2 of {count}")
        view.press("Shift+Enter", "Shift+Enter")
        expect(view.hits).to_have_text(f"{count} of {count}")
        view.page.locator("#next-hit").click()
        expect(view.hits).to_have_text(f"1 of {count}")

    def test_addresses_are_found_with_or_without_0x_and_by_their_beginning(self):
        view = self.view(STEP)
        trace = json.loads(memviz("trace", TESTDATA / STEP, "--json", "-"))["lines"]
        row = next(line for line in trace if line.get("action") == "alloc")
        address = f"{int(row['address']):x}"
        view.press("Home")
        for words in (address, f"0x{address}", address[:-1], row["name"]):
            with self.subTest(words):
                view.search.fill(words)
                expect(view.hits).to_have_text(re.compile(r"\d hits?$"))
                view.search.press("Enter")
                expect(view.hits).to_have_text(re.compile(r"^1 of "))
                view.search.blur()
                view.press("Home")

    def test_nonsense_is_nowhere(self):
        view = self.view(STEP)
        view.search.fill("models.py:9999")
        expect(view.hits).to_have_text("nothing in this recording")
        moment = view.moment.inner_text()
        view.search.press("Enter")
        view.page.wait_for_timeout(100)
        self.assertEqual(view.moment.inner_text(), moment)

    def test_another_device_may_have_it(self):
        def event(place, time):
            return {"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "time_us": time, "frames": [{"name": "load", "filename": place, "line": 1}]}

        file = new_file(".json")
        file.write_text(json.dumps({"segments": [], "device_traces": [[event("/first.py", 1)], [event("/second.py", 2)]]}))
        view = self.view(str(file), "run_main.pickle")
        view.devices.nth(0).click()
        view.search.fill("second.py")
        expect(view.hits).to_have_text("nothing here; 1 on GPU 1")
        view.devices.nth(1).click()
        expect(view.hits).to_have_text(re.compile("^1 (hit|of 1)$"))
        view.hold("({request}) => request && request.ask === 'hits'")
        view.devices.nth(0).click()
        view.wait_for_held()
        view.files.nth(1).click()  # a file without such a device
        view.release()
        expect(view.hits).to_have_text("nothing in this recording")
        expect(view.busy).to_have_text("")


class FirstScreenCases(ViewCase):
    def test_pictures_begin_above_350(self):
        for tab, part in (("1", "#graph rect"), ("2", "#board rect")):
            view = self.view(STEP, viewport={"width": 1280, "height": 720})
            view.press(tab)
            expect(view.picture.locator(f"svg.scripted {part}").first).to_be_visible()
            view.page.wait_for_timeout(200)
            tops = view.picture.locator(part).evaluate_all("all => all.map((one) => one.getBoundingClientRect()).filter((box) => box.width > 4).map((box) => box.top)")
            with self.subTest(part):
                self.assertGreater(min(tops), 0)
                self.assertLess(min(tops), 350)

    def test_there_is_one_headline_one_search_and_one_help(self):
        view = self.view(STEP)
        for tab in "1267":
            view.press(tab)
            expect(view.picture.locator("svg.scripted")).to_be_visible()
            with self.subTest(tab):
                for part in (".headline", ".answer", "#search", "#help"):
                    self.assertEqual(view.picture.locator(part).locator("visible=true").count(), 0)
        view.press("1")
        view.picture.locator("#graph g rect").first.click()
        view.press("?")
        expect(view.help).to_be_visible()
        view.press("Escape")
        view.picture.locator("#graph g rect").first.click()
        view.press("/")
        expect(view.search).to_be_focused()

    def test_a_saved_picture_keeps_its_headline(self):
        view = self.view(STEP)
        expect(view.picture.locator("svg.scripted")).to_be_visible()
        with view.page.expect_download() as download:
            view.press("s")
        self.assertIn('class="headline"', download.value.path().read_text())


class BackCases(ViewCase):
    def back(self, view):
        view.page.evaluate("history.back()")

    def test_back_undoes_jumps_tabs_and_pins_but_no_steps(self):
        view = self.view(STEP)
        view.wait_for_event(1375)
        view.press("Home")
        view.wait_for_event(None)
        view.press("ArrowRight", "ArrowRight", "ArrowRight")
        view.wait_for_event(2)
        view.press("4")
        expect(view.page.locator("#table-panel")).to_be_visible()
        view.press("p")
        view.wait_for_event(1375)
        self.back(view)
        view.wait_for_event(2)
        expect(view.page.locator("#table-panel")).to_be_visible()
        self.back(view)
        expect(view.page.locator("#table-panel")).to_be_hidden()
        view.wait_for_event(2)
        self.back(view)
        view.wait_for_event(1375)
        view.page.evaluate("history.forward()")
        view.wait_for_event(2)

    def test_pictures_are_no_entries(self):
        view = self.view(STEP)
        expect(view.picture.locator("svg.scripted")).to_be_visible()
        before = view.page.evaluate("history.length")
        view.press("ArrowLeft")
        view.wait_for_event(1374)
        view.page.wait_for_timeout(600)
        self.assertEqual(view.page.evaluate("history.length"), before)

    def test_the_headline_follows_moment_and_device(self):
        view = self.view("devices_streams.pickle")
        view.devices.nth(0).click()
        expect(view.headline).to_contain_text("GPU 0")
        view.devices.nth(1).click()
        expect(view.headline).to_contain_text("GPU 2")
        first = view.headline.inner_text()
        view.press("Home")
        expect(view.headline).not_to_have_text(first)

    def test_the_playhead_stays_when_the_device_changes(self):
        view = self.view("devices_streams.pickle")
        view.devices.nth(0).click()
        expect(view.devices.nth(0)).to_have_attribute("aria-pressed", "true")
        view.press("Home", "ArrowRight", "ArrowRight")
        view.wait_for_event(1)
        view.devices.nth(1).click()
        expect(view.devices.nth(1)).to_have_attribute("aria-pressed", "true")
        view.press("End")
        view.devices.nth(0).click()
        view.wait_for_event(1)


class RangeCases(ViewCase):
    def test_a_drag_selects_a_range_with_its_figures(self):
        view = self.view(STEP)
        view.wait_for_event(1375)
        view.drag(view.curve, 0.2, 0.3, 0.5, down=0.4)
        words = view.page.locator("#range")
        expect(words).to_contain_text(re.compile(r"From 30\d to 76\d \(4\d\d events, .*\): allocated .* in \d+, freed .* in \d+, left .* in \d+"))
        words.get_by_role("button", name="zoom in").click()
        expect(view.page.locator("#first")).to_have_text(re.compile(r"event 30\d"))
        expect(view.page.locator("#last")).to_have_text(re.compile(r"event 76\d"))
        view.press("Escape")
        expect(words).to_be_hidden()

    def test_the_keyboard_selects_a_range(self):
        view = self.view(STEP)
        view.press("Home", "m", "Shift+ArrowRight", "Shift+ArrowRight")
        expect(view.page.locator("#range")).to_contain_text("From the start to 29 (30 events")
        view.press("z")
        expect(view.page.locator("#last")).to_have_text("event 29")

    def test_a_drag_on_the_ruler_moves_the_playhead(self):
        view = self.view(STEP)
        view.drag(view.curve, 0.5, 0.4, down=0.97)
        view.wait_for_event(611)
        expect(view.page.locator("#range")).to_be_hidden()
        view.page.mouse.click(*view.at(view.curve, 0.13, 0.4))
        view.wait_for_event(198)


class OpenManyCases(ViewCase):
    def setUp(self):
        self.dropped = View(self.open(write_page("--empty")))

    def test_each_bad_file_has_a_line(self):
        view, page = self.dropped, self.dropped.page
        picture = new_file(".png")
        picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
        page.set_input_files("#choose", [picture, TESTDATA / "hostile" / "broken.json", TESTDATA / OOM])
        expect(view.files).to_have_count(1)
        lines = view.busy.inner_text().split("\n")
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[0], r"\.png: byte 0: expected a memory snapshot, found a picture \(PNG\)")
        self.assertTrue(lines[1].startswith("broken.json: "))

    def test_the_page_shows_where_to_drop(self):
        page = self.dropped.page
        expect(page.locator("#drop")).to_be_visible()
        page.evaluate("document.body.dispatchEvent(new DragEvent('dragenter', {bubbles: true}))")
        expect(page.locator("body")).to_have_class(re.compile("dragging"))
        page.evaluate("document.body.dispatchEvent(new DragEvent('dragleave', {bubbles: true}))")
        expect(page.locator("body")).not_to_have_class(re.compile("dragging"))
