"""Keepers in pictures and on the page: tooltips and cards of blocks name them, and their names are never markup."""

import re

import snapshots
from support import BrowserCase, draw, expect
from view_support import ViewCase

EVIL = "<img src=x onerror=alert(1)>"


def line_about(name):
    """Returns a pattern: any of the four blocks, by its number in the list."""
    return re.compile(rf"kept by {re.escape(name)}\[[0-3]\] in validate train\.py:31;\s+dropping {re.escape(name)} frees 4\.00 MiB")


def beginning_about(name):
    return re.compile(rf"kept by {re.escape(name)}\[[0-3]\]")


class KeeperCases(BrowserCase):
    def words_of_tip(self, page):
        expect(page.locator("#tip")).to_be_visible()
        return "\n".join(page.locator("#tip text").all_text_contents())

    def point_at(self, page, selector):
        box = page.locator(selector).first.bounding_box()
        page.mouse.move(box["x"] + 3, box["y"] + box["height"] / 2)
        return self.words_of_tip(page)

    def test_a_block_of_the_segments_names_its_keeper(self):
        for name in ("outputs", EVIL):
            with self.subTest(name):
                page = self.open(draw("state", snapshots.kept(name), "--quiet"))
                words = self.point_at(page, "#board > .free rect").replace("\n", " ")
                self.assertRegex(words, beginning_about(name))
                self.assertEqual(page.locator("img").count(), 0)

    def test_a_band_of_the_timeline_names_its_keeper_and_a_search_finds_it(self):
        for name in ("outputs", EVIL):
            with self.subTest(name):
                page = self.open(draw("timeline", snapshots.kept(name), "--quiet"))
                words = self.point_at(page, ".bands > path").replace("\n", " ")
                self.assertRegex(words, beginning_about(name))
                page.locator("#search").fill("kept by " + name[:7])
                expect(page.locator("#controls [aria-live]")).to_contain_text("4.00 MiB")
                self.assertEqual(page.locator("img").count(), 0)

    def test_a_row_of_the_list_leads_to_the_box_of_its_variable(self):
        for name in ("outputs", EVIL):
            with self.subTest(name):
                page = self.open(draw("flame", snapshots.kept(name), "--quiet", "--by", "keeper"))
                page.locator("[data-flow=rows] .row").first.click()
                self.assertEqual(page.locator("#search").evaluate("input => input.value"), name)
                expect(page.locator("#controls [aria-live]")).to_contain_text("4.00 MiB")


class KeeperViewCases(ViewCase):
    def test_the_card_of_a_block_names_its_keeper(self):
        for name in ("outputs", EVIL):
            with self.subTest(name):
                view = self.view(str(snapshots.kept(name)))
                view.page.mouse.click(*view.at(view.cells, 0.2, 0.2))
                expect(view.pinned).to_contain_text(line_about(name))
                self.assertEqual(view.page.locator("img:visible").count(), 0)

    def test_the_colours_by_keeper_name_variables_and_a_file_without_keepers_has_none(self):
        view = self.view(str(snapshots.kept("outputs")))
        view.press("k", "k")
        expect(view.page.locator("#by")).to_have_text("by keeper")
        expect(view.page.locator("#legend")).to_contain_text("outputs")
        expect(view.page.get_by_text("No colours by variable here")).to_be_visible()
        view.press("k")
        expect(view.page.locator("#by")).to_have_text("by origin")
        expect(view.page.get_by_text("No colours by variable here")).to_be_hidden()
        view.press("k")
        expect(view.page.locator("#by")).to_have_text("by line")
        other = self.view("oom.pickle")
        other.press("k", "k")
        expect(other.page.locator("#by")).to_have_text("by origin")
