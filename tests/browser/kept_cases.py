"""The three pictures as a person sees them, compared with those kept in docs/pictures/, which the documentation shows.

A change that is meant: MEMVIZ_BLESS=1 rewrites those that differ; look at them before they are committed.
"""

import subprocess

import kept_pictures
from PIL import ImageFilter
from support import DEJAVU, BrowserCase, browser, draw, only_fonts_of

PICTURES = {
    "flame": ("flame", "training_step.pickle"),
    "segments": ("flame", "cases/split_free_blocks.pickle", "--view", "segments"),
    "compare": ("compare", "before.pickle", "after.pickle", "--at", "end"),
}
# The maximum number of differing pixels that a few letters at the edge of a square may cause.
MOST_DIFFERING = 6


class KeptPicture(BrowserCase):
    def setUp(self):
        if not DEJAVU.is_dir():
            self.skipTest(f"no fonts in {DEJAVU}, which the kept pictures are drawn with")

    def opened(self, name, colour_scheme):
        """A picture in a window of its size."""
        picture = self.open_picture(*PICTURES[name], chromium=browser(hints="full"), color_scheme=colour_scheme)
        height = picture.page.evaluate("() => Number(document.documentElement.getAttribute('height'))")
        picture.page.set_viewport_size({"width": 1200, "height": int(height)})
        return picture

    def seen(self, picture):
        return kept_pictures.image_of(picture.page.screenshot())


class KeptCases(KeptPicture):
    def assert_as_kept(self, name, image):
        with self.subTest(name):
            kept = kept_pictures.kept(name)
            differing = kept_pictures.differing_squares(image, kept) if kept else [(0, 0)]
            if kept_pictures.is_blessing() and differing:
                kept_pictures.keep(name, image)
                return
            self.assertIsNotNone(kept, "MEMVIZ_BLESS=1 makes it")
            self.assertLessEqual(len(differing), MOST_DIFFERING, f"squares differ, from {differing[:1]} on; MEMVIZ_BLESS=1 rewrites it")

    def test_light_pictures_are_as_kept(self):
        for name in PICTURES:
            picture = self.opened(name, "light")
            if name == "flame":
                picture.type_search("log_predictions")
                picture.hover(picture.matches()[0])
            self.assert_as_kept(f"{name}-light", self.seen(picture))

    def test_dark_pictures_are_as_kept(self):
        for name in PICTURES:
            self.assert_as_kept(f"{name}-dark", self.seen(self.opened(name, "dark")))

    def test_static_pictures_are_as_kept(self):
        for name, command in PICTURES.items():
            rsvg = ["rsvg-convert", draw(*command)]
            png = subprocess.run(rsvg, check=True, capture_output=True, env=only_fonts_of(hints="full")).stdout
            self.assert_as_kept(f"{name}-static", kept_pictures.image_of(png))


class ToleranceCases(KeptPicture):
    """What the comparison notices, and what it does not."""

    def changed_squares(self, change):
        """Returns the squares that differ after some JavaScript has changed the picture."""
        picture = self.opened("flame", "light")
        before = self.seen(picture)
        picture.page.evaluate(change)
        return len(kept_pictures.differing_squares(self.seen(picture), before))

    def test_the_colour_of_one_box_is_seen(self):
        box = "document.querySelector('#graph > g.torch:has(text)')"
        self.assertGreater(self.changed_squares(f"() => {box}.setAttribute('class', 'library')"), MOST_DIFFERING)

    def test_a_shifted_text_is_seen(self):
        text = "document.querySelector('text.answer')"
        self.assertGreater(self.changed_squares(f"() => {text}.setAttribute('transform', 'translate(0 4)')"), MOST_DIFFERING)

    def test_another_word_is_seen(self):
        text = "document.querySelector('text.headline')"
        self.assertGreater(self.changed_squares(f"() => {{ {text}.textContent = {text}.textContent.replace('reserved', 'deserved') }}"), 0)

    def test_other_smoothing_of_letters_is_not(self):
        seen = self.seen(self.opened("flame", "light"))
        self.assertEqual(kept_pictures.differing_squares(seen, seen.filter(ImageFilter.GaussianBlur(0.7))), [])
