"""A folder, or an archive of several snapshots, on the page of `memviz view`: the ranks of a job."""

import base64
import json
import os
import re
import shutil
import subprocess
import zipfile

from support import TESTDATA, expect, memviz, new_file
from view_page_cases import DROP
from view_support import View, ViewCase, write_page

IS_OPENING = "({about}) => about && !about.is_of_job"
MAIN, BRANCH = TESTDATA / "run_main.pickle", TESTDATA / "run_branch.pickle"


def job_folder():
    """Returns a folder with four ranks, of which rank 2 stands out, and a file that cannot be read."""
    folder = new_file("") / "snapshots"
    folder.mkdir(parents=True)
    for rank in range(4):
        shutil.copy(BRANCH if rank == 2 else MAIN, folder / f"rank{rank}.pickle")
    (folder / "rank9.pickle").write_text("no snapshot\n")
    return folder


def run_beside(folder, *words):
    return subprocess.run([os.environ["MEMVIZ_BINARY"], *words], cwd=folder.parent, capture_output=True, text=True)


def ranks_json(folder):
    return json.loads(run_beside(folder, "ranks", folder.name, "--json", "-").stdout)


class JobCases(ViewCase):
    def setUp(self):
        self.folder = job_folder()

    def job(self):
        """Returns the page with the folder, chosen as such."""
        view = View(self.open(write_page("--empty")))
        view.page.locator("#choose-folder").set_input_files(self.folder)
        self.check_job(view)
        return view

    def check_job(self, view):
        answer = ranks_json(self.folder)
        expect(view.page.locator("#job-headline")).to_have_text(answer["headline"])
        rows = view.page.locator("#job-ranks li")
        expect(rows).to_have_count(len(answer["ranks"]))
        expect(rows.nth(2)).to_contain_text("stands out")
        expect(rows.nth(0)).not_to_contain_text("stands out")
        widths = [row.bounding_box()["width"] for row in view.page.locator("#job-ranks .bar").all()]
        held = [rank["held_bytes"] for rank in answer["ranks"]]
        for width, bytes_ in zip(widths, held):
            self.assertAlmostEqual(width / max(widths), bytes_ / max(held), delta=0.01)

    def test_a_folder_is_a_job_and_a_click_opens_a_rank(self):
        view = self.job()
        expect(view.page.locator("#job-unread")).to_contain_text("rank9.pickle")
        expect(view.cover).to_be_hidden()
        view.page.locator("#job-ranks .rank").nth(2).click()
        expect(view.files).to_have_text(["snapshots/rank2.pickle"])
        expect(view.moment).to_contain_text("993 MiB")
        expect(view.page.locator("#job")).not_to_have_attribute("open", "")

    def test_a_dropped_folder_is_a_job(self):
        view = View(self.open(write_page("--empty")))
        session, data = view.page.context.new_cdp_session(view.page), {"items": [], "files": [str(self.folder)], "dragOperationsMask": 1}
        for event in ("dragEnter", "dragOver", "drop"):
            session.send("Input.dispatchDragEvent", {"type": event, "x": 400, "y": 300, "data": data})
        self.check_job(view)

    def test_the_difference_of_two_ranks_is_that_of_the_program(self):
        view = self.job()
        view.page.locator("#job-ranks .compare").nth(0).click()
        expect(view.files).to_have_count(2)
        expect(view.files.nth(1)).to_have_attribute("aria-pressed", "true")
        expect(view.page.locator("#before")).to_have_value("0")
        ranks = [self.folder / "rank0.pickle", self.folder / "rank2.pickle"]
        headline = re.search(r'class="headline"[^>]*>([^<]*)<', memviz("compare", *ranks, "-q", "-o", "-"))[1]
        expect(view.picture.locator("svg").first).to_contain_text(headline.split(" requested")[0])  # "+296 MiB"; the page names its moment by its event

    def test_an_archive_of_several_snapshots_is_a_job(self):
        packed = new_file(".zip")
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(self.folder.iterdir()):
                archive.write(file, f"snapshots/{file.name}")
        view = View(self.open(write_page("--empty")))
        view.page.evaluate(DROP, ["job.zip", base64.b64encode(packed.read_bytes()).decode()])
        expect(view.page.locator("#job-ranks li")).to_have_count(4)
        expect(view.page.locator("#job-headline")).to_contain_text("Rank 2 stands out")

    def test_a_file_of_several_snapshots_is_a_job(self):
        view = View(self.open(write_page("--empty")))
        view.page.evaluate(DROP, ["by_name.pickle", base64.b64encode((TESTDATA / "containers/by_name.pickle").read_bytes()).decode()])
        expect(view.page.locator("#job-ranks li")).to_have_count(2)
        view.page.locator("#job-ranks .rank").nth(1).click()
        expect(view.files).to_have_text(["by_name.pickle['rank_1']['state']"])

    def test_a_page_of_a_folder_begins_with_its_ranks(self):
        page = new_file(".html")
        run = run_beside(self.folder, "view", self.folder, "-o", page)  # by its whole path, which is not in the page
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("rank9.pickle", run.stderr)
        view = View(self.open(page))
        expect(view.page.locator("#job-headline")).to_contain_text("Rank 2 stands out")
        view.page.locator("#job-ranks .rank").first.click()
        expect(view.files).to_have_text(["snapshots/rank0.pickle"])

    def test_ranks_of_two_folders_of_one_name_have_the_folders_in_their_names(self):
        other = self.folder.parent / "other" / self.folder.name
        other.mkdir(parents=True)
        shutil.copy(MAIN, self.folder / "rank2.pickle")
        shutil.copy(TESTDATA / "oom.pickle", other / "rank2.pickle")  # of two files of a rank the one that ran out of memory is shown
        for options, name in (((), "other/snapshots/rank2.pickle"), (("--redact", "paths"), "(2) rank2.pickle")):
            page = new_file(".html")
            run_beside(self.folder, "view", self.folder, other, "-o", page, "-q", *options)
            view = View(self.open(page))
            expect(view.page.locator("#job-ranks .name")).to_have_text([f"rank {rank}" for rank in range(4)])
            view.page.locator("#job-ranks .rank").nth(2).click()
            expect(view.files).to_have_text([name])
            expect(view.page.locator("#tab-why")).to_have_attribute("aria-selected", "true")

    def test_files_of_one_name_in_two_archives_of_one_name_are_two_rows(self):
        packed = new_file(".zip")
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in ("first.pickle", "second.pickle"):
                archive.write(MAIN, name)
        view = View(self.open(write_page("--empty")))
        view.page.evaluate(DROP, ["job.zip", base64.b64encode(packed.read_bytes()).decode(), 2])
        names = view.page.locator("#job-ranks .name")
        expect(names).to_have_count(4)
        self.assertEqual(sorted(names.all_inner_texts()), [f"{folder} {name}" for folder in ("(2) job.zip", "job.zip") for name in ("first.pickle", "second.pickle")])

    def page_of_folder(self):
        page = new_file(".html")
        memviz("view", self.folder, "-o", page, "-q")
        return page

    def test_a_link_to_a_rank_opens_it(self):
        page = self.page_of_folder()
        view = View(self.open(page))
        view.page.locator("#job-ranks .rank").nth(2).click()
        view.page.locator("#tab-table").click()
        expect(view.page).to_have_url(re.compile("file=snapshots%2Frank2.pickle"))
        view.page.wait_for_function("location.hash.includes('tab=table')")
        link = view.page.url.partition("#")[2]
        linked = View(self.open(page, f"#{link}"))
        expect(linked.files).to_have_text(["snapshots/rank2.pickle"])
        expect(linked.page.locator("#tab-table")).to_have_attribute("aria-selected", "true")
        expect(linked.page.locator("#job")).not_to_have_attribute("open", "")
        expect(linked.page.locator("#job-ranks [aria-current=true]")).to_contain_text("rank 2")
        linked.page.evaluate("location.hash = 'file=' + encodeURIComponent('snapshots/rank1.pickle')")
        expect(linked.files.nth(1)).to_have_text("snapshots/rank1.pickle")
        expect(linked.files.nth(1)).to_have_attribute("aria-pressed", "true")

    def test_a_link_to_a_difference_opens_both_ranks(self):
        link = "#file=snapshots%2Frank2.pickle&before=snapshots%2Frank0.pickle&tab=difference"
        view = View(self.open(self.page_of_folder(), link))
        expect(view.files).to_have_count(2)
        expect(view.files.filter(has_text="rank2")).to_have_attribute("aria-pressed", "true")
        expect(view.page.locator("#before option:checked")).to_have_text("against snapshots/rank0.pickle")

    def test_a_link_to_a_rank_that_is_not_there_shows_the_job(self):
        view = View(self.open(self.page_of_folder(), "#file=snapshots%2Frank7.pickle"))
        expect(view.page.locator("#job-headline")).to_contain_text("Rank 2 stands out")
        expect(view.page.locator("#app")).to_be_hidden()

    def test_back_leads_from_a_rank_to_the_ranks_and_forward_again_to_it(self):
        view = View(self.open(self.page_of_folder()))
        app, job = view.page.locator("#app"), view.page.locator("#job")
        view.page.locator("#job-ranks .rank").nth(1).click()
        expect(app).to_be_visible()
        view.page.go_back()
        expect(app).to_be_hidden()
        expect(job).to_have_attribute("open", "")
        view.page.locator("#job-ranks .rank").nth(1).click()  # the same again
        expect(app).to_be_visible()
        view.page.go_back()
        expect(app).to_be_hidden()
        view.page.go_forward()
        expect(app).to_be_visible()
        expect(job).not_to_have_attribute("open", "")
        view.page.locator("#job summary").click()
        view.page.locator("#job-ranks .compare").nth(2).click()
        expect(view.page.locator("#tab-difference")).to_have_attribute("aria-selected", "true")
        view.page.go_back()  # one click is one step
        expect(view.page.locator("#tab-difference")).to_have_attribute("aria-selected", "false")
        expect(view.files.filter(has_text="rank1")).to_have_attribute("aria-pressed", "true")

    def test_the_ranks_can_be_walked_by_keys(self):
        view = View(self.open(self.page_of_folder()))
        view.page.locator("#job-ranks .rank").first.focus()
        for key in ("ArrowDown", "ArrowDown", "Enter"):
            view.page.keyboard.press(key)
        expect(view.files).to_have_text(["snapshots/rank2.pickle"])
        view.page.keyboard.press("r")
        expect(view.page.locator("#job")).to_have_attribute("open", "")
        expect(view.page.locator("#job-ranks .rank").nth(2)).to_be_focused()
        for key in ("ArrowUp", "Tab", "Enter"):
            view.page.keyboard.press(key)
        expect(view.page.locator("#tab-difference")).to_have_attribute("aria-selected", "true")
        expect(view.page.locator("#before option:checked")).to_have_text("against snapshots/rank1.pickle")

    def with_ranks(self, *ranks):
        """Returns the page of the folder after these ranks were opened, the last of them shown, and the others closed."""
        view = View(self.open(self.page_of_folder()))
        expect(view.page.locator("#job-ranks li")).to_have_count(4)
        for rank in ranks:
            self.click(view, rank)
            expect(view.page.locator("#job-ranks .rank").nth(rank)).to_have_attribute("aria-current", "true")
        for _ in ranks[:-1]:
            view.files.first.press("Delete")
        self.expect_shown(view, [ranks[-1]], ranks[-1])
        return view

    def with_back_held(self):
        """Opens two ranks and goes back to the first, which is closed and opens again until view.release()."""
        view = self.with_ranks(0, 1)
        view.hold(IS_OPENING)
        self.back(view)
        view.wait_for_held()
        return view

    def click(self, view, rank):
        if view.page.locator("#job").get_attribute("open") is None:
            view.page.locator("#job summary").click()
        view.page.locator("#job-ranks .rank").nth(rank).click()

    def expect_shown(self, view, listed, shown):
        expect(view.files).to_have_text([f"snapshots/rank{rank}.pickle" for rank in listed])
        expect(view.page.locator("#files [aria-pressed=true]")).to_have_text(f"snapshots/rank{shown}.pickle")

    def back(self, view):
        view.page.evaluate("history.back()")

    def test_back_leads_to_a_rank_that_was_closed_while_it_was_shown(self):
        view = self.with_ranks(0)
        self.click(view, 1)
        self.expect_shown(view, [0, 1], 1)
        view.files.nth(1).press("Delete")
        self.expect_shown(view, [0], 0)
        self.back(view)
        self.expect_shown(view, [0, 1], 1)

    def test_questions_about_a_rank_that_is_closed_before_their_answers_come_are_no_errors(self):
        view = self.with_ranks(0)
        expect(view.card).to_contain_text("Event")
        view.hold("({request}) => request && request.file === 1 && !['overview', 'close'].includes(request.ask)")
        self.click(view, 1)
        view.wait_for_held()
        view.files.nth(1).press("Delete")
        self.expect_shown(view, [0], 0)
        view.release()
        view.press("Home", "ArrowRight")
        view.wait_for_event(0)
        expect(view.card).to_contain_text("Event 0:")
        expect(view.busy).to_be_empty()
        expect(view.message).to_be_hidden()

    def test_a_rank_that_opens_slowly_does_not_take_the_place_of_a_later_one(self):
        view = self.with_ranks(0)
        view.hold(IS_OPENING)
        self.click(view, 2)
        view.wait_for_held()
        self.click(view, 0)
        view.release()
        self.expect_shown(view, [0, 2], 0)

    def test_two_steps_back_end_where_the_second_leads(self):
        view = self.with_back_held()
        self.back(view)
        expect(view.page.locator("#app")).to_be_hidden()
        view.release()
        self.expect_shown(view, [1, 0], 1)
        expect(view.page.locator("#app")).to_be_hidden()
        view.page.go_forward()
        self.expect_shown(view, [1, 0], 0)

    def test_a_step_while_back_opens_a_rank_does_not_undo_it(self):
        view = self.with_back_held()
        view.press("ArrowLeft")
        self.assertIn("rank0", view.link())
        view.release()
        self.expect_shown(view, [1, 0], 0)

    def test_a_tab_that_is_chosen_while_back_opens_a_rank_stays(self):
        view = self.with_back_held()
        view.press("4")
        view.release()
        self.expect_shown(view, [1, 0], 1)
        self.assertIn("rank1.pickle", view.link())
        self.back(view)
        self.expect_shown(view, [1, 0], 0)

    def test_a_link_means_the_rank_of_the_last_folder_of_a_name(self):
        view = self.job()
        self.click(view, 1)
        self.expect_shown(view, [1], 1)
        shutil.copy(BRANCH, self.folder / "rank1.pickle")
        shutil.copy(MAIN, self.folder / "rank2.pickle")
        view.page.locator("#choose-folder").set_input_files(self.folder)
        expect(view.page.locator("#job-ranks li").nth(1)).to_contain_text("stands out")
        self.click(view, 1)
        expect(view.moment).to_contain_text("993 MiB")
        self.click(view, 0)
        expect(view.moment).not_to_contain_text("993 MiB")
        self.back(view)
        expect(view.moment).to_contain_text("993 MiB")

    def test_arrows_at_the_end_of_the_ranks_and_in_their_list_do_nothing_else(self):
        view = self.with_ranks(0)
        view.press("5", "r", "ArrowUp")
        expect(view.page.locator("#job-ranks .rank").first).to_be_focused()
        moment = view.moment.inner_text()
        view.page.locator("#job-ranks").dispatch_event("keydown", {"key": "Enter"})  # Firefox focuses a list that scrolls
        view.page.wait_for_timeout(100)
        self.assertEqual(view.moment.inner_text(), moment)

    def test_the_key_of_the_ranks_works_without_ranks(self):
        view = View(self.open(write_page("--empty")))
        view.page.set_input_files("#choose", MAIN)
        expect(view.moment).to_contain_text("reserved")
        for file in self.folder.glob("rank[0-8].pickle"):
            file.unlink()
        view.page.locator("#choose-folder").set_input_files(self.folder)
        expect(view.page.locator("#job-unread")).to_contain_text("rank9.pickle")
        view.press("r")
        expect(view.page.locator("#job")).not_to_have_attribute("open", "")
        view.press("r")
        expect(view.page.locator("#job")).to_have_attribute("open", "")

    def test_a_page_of_a_folder_has_what_is_in_its_archives(self):
        with zipfile.ZipFile(self.folder / "more.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for rank in (4, 5):
                archive.write(MAIN, f"rank{rank}.pickle")
            archive.writestr("rank6.pickle", "no snapshot\n")
        shutil.copy(TESTDATA / "containers/by_name.pickle", self.folder / "others.pickle")
        page = new_file(".html")
        run = run_beside(self.folder, "view", "snapshots/", "-o", page)
        self.assertEqual(run.returncode, 0, run.stderr)
        for name in ("rank9.pickle", "more.zip/rank6.pickle"):
            self.assertIn(f"snapshots/{name}: ", run.stderr)
        view = View(self.open(page))
        answer = ranks_json(self.folder)
        expect(view.page.locator("#job-headline")).to_have_text(answer["headline"].partition(" 2 of ")[0])  # files that could not be read
        expect(view.page.locator("#job-ranks li")).to_have_count(len(answer["ranks"]))
        view.page.locator('#job-ranks li[data-file="snapshots/more.zip/rank5.pickle"] .rank').click()
        expect(view.files).to_have_text(["snapshots/more.zip/rank5.pickle"])
        view.page.locator("#job summary").click()
        view.page.locator("""#job-ranks li[data-file="snapshots/others.pickle['rank_1']['state']"] .rank""").click()
        expect(view.files.nth(1)).to_have_text("snapshots/others.pickle['rank_1']['state']")
        expect(view.files.nth(1)).to_have_attribute("aria-pressed", "true")

    def test_a_page_of_an_archive_or_a_file_of_several_is_that_of_a_job(self):
        for name in ("ranks.zip", "by_name.pickle"):
            page = new_file(".html")
            memviz("view", TESTDATA / "containers" / name, "-o", page, "-q")
            view = View(self.open(page))
            expect(view.page.locator("#job-ranks li")).to_have_count(2)
            view.page.locator("#job-ranks .rank").first.click()
            expect(view.moment).to_contain_text("reserved")
