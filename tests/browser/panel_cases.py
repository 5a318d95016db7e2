"""Pictures without scripts of their own, `explain -o` and `state`: they show the same as `--json`."""

import json
import re
import subprocess

from support import TESTDATA, BrowserCase, draw, memviz

# A failure, fragmentation, several devices, a private pool, no events, long and odd names, nothing at all.
SNAPSHOTS = [
    "training_step.pickle", "oom_expandable.pickle", "devices_streams.pickle", "cases/split_large_segment.pickle",
    "cases/private_pool.pickle", "segments_only.pickle", "odd_names.pickle", "empty.pickle",
]  # fmt: skip

BACKGROUND = "rect => getComputedStyle(rect).fill.match(/[0-9]+/g).map(Number)"
WORDS = "() => Array.from(document.querySelectorAll('text'), (text) => text.textContent)"
TITLES = "() => Array.from(document.querySelectorAll('title'), (title) => title.textContent)"
# Returns texts that overlap, or are outside the page.
MISPLACED = """() => {
  const page = document.querySelector('#page').getBoundingClientRect();
  const boxes = Array.from(document.querySelectorAll('text'), (text) => [text.textContent, text.getBoundingClientRect()])
    .filter(([words, box]) => words.trim() && box.width > 0);
  const outside = boxes.filter(([, box]) => box.left < page.left || box.right > page.right + 1 || box.bottom > page.bottom + 1);
  const over = ([, a], [, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  const pairs = boxes.flatMap((one, i) => boxes.slice(i + 1, i + 40).filter((other) => over(one, other)).map((other) => `${one[0]} / ${other[0]}`));
  return [...outside.map(([words]) => words), ...pairs];
}"""


def devices(command, snapshot, *options):
    return json.loads(memviz(command, TESTDATA / snapshot, *options, "--quiet", "--json", "-"))["devices"]


def bytes_in(texts):
    """Returns every "(1,234 bytes)" or "1,234 bytes" among them."""
    return {int(number.replace(",", "")) for text in texts for number in re.findall(r"([\d,]+) bytes", text)}


class PanelCases(BrowserCase):
    def check(self, command, snapshot, **context_options):
        page = self.open(draw(command, snapshot, "--quiet"), **context_options)
        self.assertEqual(page.evaluate(MISPLACED), [])
        return page

    def test_explain_says_what_its_json_says(self):
        for snapshot in SNAPSHOTS:
            with self.subTest(snapshot):
                page = self.check("explain", snapshot)
                found = devices("explain", snapshot)
                words = " ".join(page.evaluate(WORDS))
                leading = [device for device in found if words.startswith(f"GPU {device['device']}")]
                self.assertEqual(len(leading), min(1, len(found)))
                for device in leading:
                    # Advice names what would have fit, which is not repeated.
                    others = [answer["text"] for answer in device["what_if"] if answer["outcome"] != "fits"]
                    for sentence in (device["verdict_text"], *device["advice"], *others):
                        self.assertIn(sentence.replace(" ", ""), words.replace(" ", ""))
                    titles = page.evaluate(TITLES)
                    users = {user["bytes"] for user in device["users"][:6]}
                    self.assertLessEqual(users, bytes_in(titles))

    def test_state_says_what_stats_say(self):
        for snapshot in SNAPSHOTS:
            with self.subTest(snapshot):
                page = self.check("state", snapshot)
                found = devices("stats", snapshot, "--at", "auto")
                words = " ".join(page.evaluate(WORDS))
                # Devices at different moments are not summed: the headline is about one of them.
                if len(found) > 1:
                    leading = int(re.search(r"GPU (\d+)", words).group(1))
                    found = [device for device in found if device["device"] == leading]
                counts = re.search(r"([\d,]+) segments? with ([\d,]+) blocks?", words)
                self.assertEqual([int(count.replace(",", "")) for count in counts.groups()], [sum(device["segments"] for device in found), sum(device["blocks"] for device in found)])  # fmt: skip

    def test_state_of_an_event(self):
        last = devices("stats", "training_step.pickle")[0]["events"] - 1
        for event in (-1, last // 2, last):
            with self.subTest(event):
                svg = draw("state", "training_step.pickle", "--at", f"event:{event}", "--quiet")
                page = self.open(svg)
                self.assertEqual(page.evaluate(MISPLACED), [])
                blocks = devices("stats", "training_step.pickle", "--at", f"event:{event}")[0]["blocks"]
                self.assertIn(f"with {blocks:,} block", " ".join(page.evaluate(WORDS)))

    def test_dark_page(self):
        for command in ("explain", "state", "timeline"):
            with self.subTest(command):
                svg = draw(command, "training_step.pickle", "--quiet")
                light = self.open(svg).locator("#page").evaluate(BACKGROUND)
                dark = self.open(svg, color_scheme="dark").locator("#page").evaluate(BACKGROUND)
                self.assertGreater(min(light), 200)
                self.assertLess(max(dark), 60)

    def test_librsvg_draws_it(self):
        for command in ("explain", "state", "timeline"):
            with self.subTest(command):
                svg = draw(command, "training_step.pickle", "--quiet")
                png = subprocess.run(["rsvg-convert", svg], check=True, capture_output=True)
                self.assertEqual(png.stderr, b"")
                self.assertGreater(len(png.stdout), 5000)
