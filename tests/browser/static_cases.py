"""The picture as an issue tracker or an image viewer shows it: without scripts, perhaps without a browser."""

import base64
import subprocess
import xml.etree.ElementTree

from support import DEJAVU, MORE_FONTS, BrowserCase, browser, draw, expect, new_file

FLAME = ("flame", "training_step.pickle")
COMPARE = ("compare", "before.pickle", "after.pickle", "--at", "end")

# Returns the number of colours of the first of some PNGs of one size, the share of its most frequent colour, and the
# share of its pixels that another one shows in another colour.
READ_PIXELS = """async (pngs) => {
  const [pixels, others] = await Promise.all(pngs.map(async (png) => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + png;
    await image.decode();
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
  }));
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) || 0) + 1);
  const differing = others ? pixels.filter((pixel, i) => pixel !== others[i]).length / pixels.length : 0;
  return {colours: counts.size, commonest: Math.max(...counts.values()) / pixels.length, differing};
}"""

# Returns the upper part of a picture in the middle of the page.
TOP = {"x": 20, "y": 0, "width": 1200, "height": 600}
PHONE_TOP = {"x": 0, "y": 0, "width": 400, "height": 300}

BACKGROUND = """rect => getComputedStyle(rect).fill.match(/[0-9]+/g).map(Number)"""


class StaticCases(BrowserCase):
    def read_pixels(self, *pngs):
        page = browser().new_page()
        self.addCleanup(page.close)
        return page.evaluate(READ_PIXELS, [base64.b64encode(png).decode() for png in pngs])

    def assert_not_blank(self, png):
        seen = self.read_pixels(png)
        self.assertGreater(seen["colours"], 20)
        self.assertLess(seen["commonest"], 0.9)

    def open_as_image(self, svg, **context_options):
        html = new_file(".html")
        html.write_text(f'<!doctype html><body style="margin:0"><img style="display:block;width:100%" src="{svg.name}">')
        page = self.open(html, **context_options)
        self.complaints.remove(f"request: {svg.as_uri()}")
        return page

    def test_without_scripts_the_hint_stands_and_no_controls(self):
        for command in (FLAME, COMPARE):
            with self.subTest(command[0]):
                picture = self.open_picture(*command, java_script_enabled=False)
                expect(picture.static_hint).to_be_visible()
                expect(picture.search).to_have_count(0)
                self.assert_not_blank(picture.page.screenshot())

    def test_as_an_image_it_looks_as_without_scripts(self):
        for command in (FLAME, COMPARE):
            with self.subTest(command[0]):
                svg = draw(*command)
                static = self.open(svg, java_script_enabled=False).screenshot(clip=TOP)
                as_image = self.read_pixels(self.open_as_image(svg).screenshot(clip=TOP), static)
                with_script = self.read_pixels(self.open(svg).screenshot(clip=TOP), static)
                # Letters may be smoothed differently; the controls cannot be present.
                self.assertLess(as_image["differing"], with_script["differing"] / 4)

    def test_as_an_image_on_a_phone_it_looks_as_without_scripts(self):
        phone = {"viewport": {"width": 400, "height": 600}, "device_scale_factor": 3}
        for fonts in [(DEJAVU,), *((more, DEJAVU) for more in MORE_FONTS)]:
            if not all(folder.is_dir() for folder in fonts):
                continue
            # A browser lays out an image in its own size and enlarges it, but hints letters in the size on the screen.
            chromium = browser(*fonts, hints="none")
            for command in (FLAME, COMPARE):
                with self.subTest(command[0], fonts=fonts[0].name):
                    svg = draw(*command)
                    static = self.open(svg, chromium=chromium, java_script_enabled=False, **phone).screenshot(clip=PHONE_TOP)
                    as_image = self.open_as_image(svg, chromium=chromium, **phone).screenshot(clip=PHONE_TOP)
                    self.assertLess(self.read_pixels(as_image, static)["differing"], 0.001)

    def test_dark_page(self):
        for command in (FLAME, COMPARE):
            with self.subTest(command[0]):
                light = self.open_picture(*command).page.locator("#page").evaluate(BACKGROUND)
                dark = self.open_picture(*command, color_scheme="dark").page.locator("#page").evaluate(BACKGROUND)
                self.assertGreater(min(light), 200)
                self.assertLess(max(dark), 60)

    def test_librsvg_draws_it(self):
        for command in (FLAME, COMPARE):
            with self.subTest(command[0]):
                png = subprocess.run(["rsvg-convert", draw(*command)], check=True, capture_output=True)
                self.assertEqual(png.stderr, b"")
                self.assert_not_blank(png.stdout)


class HostileNameCases(BrowserCase):
    """Names with markup, control characters and lone surrogates stay names."""

    SNAPSHOTS = ("odd_names.pickle", "lone_surrogate.pickle", "not_utf8.pickle")

    def test_nothing_is_injected(self):
        for snapshot in self.SNAPSHOTS:
            for command in (("flame", snapshot), ("compare", snapshot, "training_step.pickle")):
                with self.subTest(command):
                    root = xml.etree.ElementTree.parse(draw(*command)).getroot()
                    self.assertEqual(sum(element.tag.endswith("}script") for element in root.iter()), 1)
                    picture = self.open_picture(*command)
                    self.assertEqual(picture.page.locator("script").count(), 1)
                    self.use(picture)
                    self.assertEqual(picture.page.locator("script").count(), 1)

    def use(self, picture):
        """Makes the script process every name: in labels, crumbs, tooltips and matches."""
        for box in picture.boxes():
            if box.pixels > 4:
                picture.hover(box)
        picture.type_search("<script>")
        picture.click(max((box for box in picture.boxes() if box.pixels > 4), key=lambda box: box.level))

    def test_markup_is_shown_as_text(self):
        picture = self.open_picture("flame", "odd_names.pickle")
        box = picture.box(lambda box: box.name.startswith("<script>alert"))
        picture.hover(box)
        self.assertEqual(picture.tip_lines()[0], "<script>alert(1)</script>")
        picture.click(box)
        self.assertTrue(any(words.startswith("<script>alert") for words in picture.words()))
