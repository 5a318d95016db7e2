"""A folder, or an archive of several snapshots, on the page of `memviz view`: the ranks of a job."""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import zipfile

from support import TESTDATA, expect, memviz, new_file
from view_page_cases import DROP
from view_support import View, ViewCase, write_page

MAIN, BRANCH = TESTDATA / "run_main.pickle", TESTDATA / "run_branch.pickle"


def job_folder():
    """Returns a folder with four ranks, of which rank 2 stands out, and a file that cannot be read."""
    folder = pathlib.Path(tempfile.mkdtemp()) / "snapshots"
    folder.mkdir()
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
