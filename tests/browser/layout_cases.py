"""The static picture for any file: no overlapping texts, none outside its box or the page, and librsvg places
everything where Chromium does."""

import base64
import pathlib
import subprocess
import sys

import snapshots
from support import DEJAVU, BrowserCase, browser, draw, new_file, only_fonts_of

TESTDATA = ("training_step.pickle", "devices_streams.pickle", "empty.pickle", "oom.pickle", "pools_tuple.pickle",
            "uncovered.pickle", "unbalanced.pickle", "odd_names.pickle")  # fmt: skip

# Drawn by each converter as by Chromium.
STEP = "training_step.pickle"
PICTURES = (("flame", STEP), ("flame", "devices_streams.pickle"), ("flame", STEP, "--at", "end"), ("flame", "oom.pickle"), ("state", STEP),
            ("state", "h100_streams.pickle"), ("timeline", STEP), ("timeline", "h100_oom.pickle"), ("explain", "oom.pickle"),
            ("explain", "h100_oom.pickle"), ("compare", "before.pickle", "after.pickle"), ("compare", "run_main.pickle", "run_branch.pickle"))  # fmt: skip
RESVG = [str(pathlib.Path(sys.executable).with_name("resvg")), "--quiet", "--skip-system-fonts", "--use-fonts-dir", str(DEJAVU),
         "--sans-serif-family", "DejaVu Sans", "--monospace-family", "DejaVu Sans Mono"]  # fmt: skip

# Returns texts that leave the page, leave their box, or overlap another.
READ_TEXTS = """() => {
  const page = document.querySelector('#page').getBoundingClientRect();
  const texts = [...document.querySelectorAll('text')].filter((text) => text.getClientRects().length && text.textContent);
  const found = texts.map((text) => ({text, words: text.textContent, at: text.getBoundingClientRect()}));
  const wrong = [];
  for (const {text, words, at} of found) {
    if (at.left < page.left || at.right > page.right || at.bottom > page.bottom) wrong.push(`outside the page: ${words}`);
    const rect = text.closest('#graph') && text.parentElement.querySelector('rect').getBoundingClientRect();
    if (rect && (at.left < rect.left || at.right > rect.right)) wrong.push(`outside its box: ${words}`);
  }
  found.sort((a, b) => a.at.top - b.at.top);
  found.forEach((one, i) => {
    for (let j = i + 1; j < found.length && found[j].at.top < one.at.bottom - 3; ++j) {
      const other = found[j];
      if (other.at.left < one.at.right - 1 && one.at.left < other.at.right - 1)
        wrong.push(`on one another: ${one.words} | ${other.words}`);
    }
  });
  return wrong;
}"""

# Returns the share of small squares of two pictures that differ in their mean colour, and the share that is not empty.
COMPARE_SQUARES = """async (pngs) => {
  const SIDE = 12, NOTICEABLE = 40;
  const images = await Promise.all(pngs.map(async (png) => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + png;
    await image.decode();
    return image;
  }));
  const width = Math.min(...images.map((image) => image.width)), height = Math.min(...images.map((image) => image.height));
  const [one, other] = images.map((image) => {
    const small = new OffscreenCanvas(Math.floor(width / SIDE), Math.floor(height / SIDE)).getContext('2d');
    small.imageSmoothingQuality = 'high';
    small.drawImage(image, 0, 0, width, height, 0, 0, small.canvas.width, small.canvas.height);
    return small.getImageData(0, 0, small.canvas.width, small.canvas.height).data;
  });
  let differing = 0, drawn = 0;
  for (let i = 0; i < one.length; i += 4) {
    const distance = (a, b) => Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]);
    differing += distance(one, other) > NOTICEABLE;
    drawn += Math.abs(one[i] - 252) + Math.abs(one[i + 1] - 252) + Math.abs(one[i + 2] - 250) > NOTICEABLE;
  }
  const squares = one.length / 4;
  return {differing: differing / squares, drawn: drawn / squares, sizes: images.map((image) => [image.width, image.height])};
}"""


class LayoutCases(BrowserCase):
    def assert_texts_are_in_place(self, *command):
        with self.subTest(command):
            page = self.open(draw(*command), java_script_enabled=False)
            self.assertEqual(page.evaluate(READ_TEXTS), [])

    def test_texts_of_all_kinds_of_snapshots(self):
        for name in TESTDATA:
            self.assert_texts_are_in_place("flame", name)
        self.assert_texts_are_in_place("flame", "devices_streams.pickle", "--view", "segments")
        self.assert_texts_are_in_place("flame", "training_step.pickle", "--upward", "--frames", "all")

    def test_texts_of_extremes(self):
        one_block = snapshots.snapshot([[snapshots.frame("f", 1)]])
        for file in (snapshots.long_names(), snapshots.deep(), one_block, snapshots.wide(700), snapshots.mixed()):
            self.assert_texts_are_in_place("flame", file)
        self.assert_texts_are_in_place("flame", snapshots.deep(), "--no-fold")

    def test_scripts_leave_texts_in_place(self):
        picture = self.open_picture("flame", "training_step.pickle")
        picture.click(picture.box(lambda box: box.is_run and box.pixels > 60))
        self.assertEqual(picture.page.evaluate(READ_TEXTS), [])
        picture.page.keyboard.press("i")
        self.assertEqual(picture.page.evaluate(READ_TEXTS), [])

    def as_image(self, svg):
        html = new_file(".html")
        html.write_text(f'<!doctype html><body style="margin:0"><img style="display:block" src="{svg.name}">')
        page = self.open(html)
        self.complaints.remove(f"request: {svg.as_uri()}")
        return page.locator("img").screenshot()

    def compared(self, *pngs):
        page = browser().new_page()
        self.addCleanup(page.close)
        return page.evaluate(COMPARE_SQUARES, [base64.b64encode(png).decode() for png in pngs])

    def test_the_converters_and_chromium_agree(self):
        for command in PICTURES:
            image = self.as_image(draw(*command))
            for converter in (["rsvg-convert", draw(*command)], [*RESVG, draw(*command), "-c"]):
                with self.subTest(command, converter=converter[0]):
                    done = subprocess.run(converter, check=True, capture_output=True, env=only_fonts_of())
                    self.assertEqual(done.stderr, b"")
                    seen = self.compared(image, done.stdout)
                    self.assertEqual(*seen["sizes"])
                    self.assertGreater(seen["drawn"], 0.05)
                    # Two programs draw the letters: some squares differ a little at their edges.
                    self.assertLess(seen["differing"], 0.02)
        other = self.compared(self.as_image(draw("flame", "training_step.pickle")), self.as_image(draw("flame", "oom.pickle")))
        self.assertGreater(other["differing"], 0.1, "two different pictures do differ")
