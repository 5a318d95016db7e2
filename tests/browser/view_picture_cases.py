"""The pictures in the page of `memviz view`: parts of it, for the pointer, for the keyboard and for screen readers."""

import re

from support import expect
from view_support import PICTURES, ViewCase

STEP = "training_step.pickle"
# Returns what a drawing must not bring into the page.
ACTIVE = """place => [...place.shadowRoot.querySelectorAll('*')]
  .filter((one) => one.localName === 'script' || one.getAttributeNames().some((name) => name.startsWith('on'))).map((one) => one.outerHTML.slice(0, 80))"""
FOCUSED = "() => { const {activeElement} = document; return (activeElement.shadowRoot ? activeElement.shadowRoot.activeElement : activeElement).id; }"


class PictureCases(ViewCase):
    def setUp(self):
        self.opened = self.view(STEP)
        self.opened.wait_for_event(1375)
        self.place = self.opened.page.locator("#picture")
        expect(self.opened.picture.locator("svg.scripted")).to_be_visible()

    def box(self, words):
        return self.opened.picture.locator("#graph > g", has_text=re.compile(f"^{words}")).first

    def zoomed(self):
        return self.opened.picture.locator("#crumbs button[data-reset]")

    def test_no_picture_is_a_document_or_brings_a_script(self):
        view = self.opened
        for tab in PICTURES:
            view.tab(tab)
            with self.subTest(tab):
                expect(self.place).to_have_attribute("data-tab", tab)
                expect(view.picture.locator("svg.scripted")).to_be_visible()
                self.assertEqual(view.page.locator("iframe").count(), 0)
                self.assertEqual(self.place.evaluate(ACTIVE), [])

    def test_a_click_leaves_the_keys_to_the_page_and_escape_zooms_out(self):
        view = self.opened
        self.box("train_step :61").click()
        expect(self.zoomed()).to_be_visible()
        self.assertIn(view.page.evaluate(FOCUSED), ("", None))
        view.press("m")
        view.press("Escape")
        expect(self.zoomed()).to_be_visible()
        view.press("Escape")
        expect(self.zoomed()).to_be_hidden()
        self.box("train_step :61").click()
        view.press("ArrowLeft")
        view.wait_for_event(1374)

    def test_tab_leads_to_the_boxes_and_the_arrows_walk_them(self):
        view = self.opened
        view.picture.get_by_role("button", name="copy stack").focus()
        view.press("Tab")
        expect(view.picture.locator("#graph > g.focused")).to_have_attribute("aria-label", re.compile("^reserved"))
        view.press("ArrowDown")
        expect(view.picture.locator("#graph > g.focused")).to_be_focused()
        expect(view.picture.locator("#graph > g.focused")).to_have_attribute("aria-label", re.compile("^stream 0"))
        expect(view.page.locator("#tip")).to_contain_text("stream 0")
        view.press("Enter")
        expect(self.zoomed()).to_be_visible()
        view.wait_for_event(1375)
        view.press("6")
        expect(view.page.locator("#tab-timeline")).to_have_attribute("aria-selected", "true")

    def test_there_is_one_tooltip_which_can_be_pinned(self):
        view = self.opened
        tip = view.page.locator("#tip")
        self.box("train_step :61").hover()
        expect(tip).to_have_count(1)
        expect(tip).to_contain_text(re.compile(r"^train_step\n.*train\.py:61"))
        view.page.mouse.move(*view.at(view.curve, 0.02, 0.05))
        expect(tip).to_be_hidden()
        self.box("train_step :61").click(modifiers=["Control"])
        expect(tip).to_have_class("pinned")
        view.page.mouse.move(*view.at(view.curve, 0.02, 0.05))
        expect(tip).to_be_visible()
        view.press("Escape")
        expect(tip).to_be_hidden()

    def test_a_search_changes_the_picture_that_is_there(self):
        view = self.opened
        self.place.evaluate("place => { place.shadowRoot.querySelector('svg').isKept = true; }")
        view.search.fill("log_predictions")
        expect(view.picture.locator("#graph .match").first).to_be_visible()
        self.assertTrue(self.place.evaluate("place => place.shadowRoot.querySelector('svg').isKept"))

    def test_a_picture_takes_the_width_of_its_place(self):
        view = self.opened
        svg = view.picture.locator("svg.scripted")
        narrow = svg.bounding_box()["width"]
        view.page.evaluate("() => { document.getElementById('panels').style.display = 'block'; }")
        view.until(lambda: svg.bounding_box()["width"] > narrow + 100)
        self.assertAlmostEqual(svg.bounding_box()["width"], self.place.bounding_box()["width"], delta=1)

    def test_c_copies_the_stack_that_the_tooltip_shows(self):
        view = self.opened
        self.box("train_step :61").hover()
        expect(view.page.locator("#tip")).to_be_visible()
        view.press("c")
        expect(view.picture.locator("#status")).to_contain_text("copied: train_step")
        view.page.mouse.move(*view.at(view.curve, 0.02, 0.05))
        view.press("c")
        expect(view.page.get_by_role("button", name="copied")).to_be_visible()

    def test_the_help_of_the_page_has_the_keys_of_the_picture(self):
        view = self.opened
        self.box("train_step :61").click()
        view.press("?", "Escape")
        expect(view.help).to_be_hidden()
        expect(self.zoomed()).to_be_visible()
        for tab, key, words in (("flame", "i", "invert"), ("state", "arrow keys", "from block to block"), ("timeline", "drag, ← →", "pan")):
            view.tab(tab)
            expect(self.place).to_have_attribute("data-tab", tab)
            expect(view.picture.locator("svg.scripted")).to_be_visible()
            view.press("?")
            with self.subTest(tab):
                own = view.help.get_by_text("Tab to the picture").locator("xpath=../following-sibling::tr")
                expect(own.filter(has_text=words).locator("th")).to_have_text(key)
                self.assertEqual(view.help.locator("th").get_by_text("?", exact=True).count(), 1)
            view.press("Escape")
        view.tab("table")
        view.press("?")
        expect(view.help.get_by_text("Tab to the picture")).to_have_count(0)
