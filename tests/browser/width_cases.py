"""Every picture adapts to the width of its window, from a phone's to a wall's, and stays readable."""

from layout_cases import READ_TEXTS
from support import BrowserCase, draw, url_of

PICTURES = [
    ("flame", "training_step.pickle"), ("flame", "devices_streams.pickle"), ("compare", "before.pickle", "after.pickle"),
    ("explain", "oom_expandable.pickle"), ("state", "training_step.pickle"), ("timeline", "training_step.pickle"),
    ("flame", "cases/split_free_blocks.pickle", "--view", "segments"), ("flame", "empty.pickle"),
]  # fmt: skip
# The pictures whose every part is laid out again; parts of the others are scaled as one drawing.
LAID_OUT = (*PICTURES[:2], PICTURES[6])
WIDTHS = (390, 830, 1400, 2400)

SIZE = """() => {
  const svg = document.documentElement.getBoundingClientRect();
  return {width: svg.width, window: document.documentElement.clientWidth || innerWidth, scrolls: document.documentElement.scrollWidth};
}"""
# Returns the smallest text, in pixels of the screen.
SMALLEST = """() => Math.min(...[...document.querySelectorAll('text')].filter((text) => text.getClientRects().length)
  .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))"""


# Returns words that leave the page, and parts of a legend that overlap.
MISPLACED = """() => {
  const right = document.querySelector('#page').getBoundingClientRect().right + 1;
  const texts = [...document.querySelectorAll('[data-flow=words] text,[data-flow=bars] text')].filter((text) => text.getClientRects().length);
  const found = texts.filter((text) => text.getBoundingClientRect().right > right).map((text) => text.textContent);
  for (const legend of document.querySelectorAll('[data-flow=items],[data-flow=bars] > *')) {
    const parts = [...legend.children].filter((part) => part.localName !== 'rect').map((part) => part.getBoundingClientRect()).filter((box) => box.width);
    parts.forEach((one, i) => parts.slice(i + 1).forEach((other) => {
      const isApart = one.right < other.left + 1 || other.right < one.left + 1 || one.bottom < other.top + 1 || other.bottom < one.top + 1;
      if (!isApart) found.push(legend.textContent);
    }));
  }
  return found;
}"""


class WidthCases(BrowserCase):
    def opened(self, command, width, **options):
        page = self.open(draw(*command), **options)
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return page

    def test_a_picture_is_as_wide_as_its_window(self):
        for command in PICTURES:
            page = self.opened(command, WIDTHS[0])
            for width in WIDTHS:
                with self.subTest(command=command, width=width):
                    page.set_viewport_size({"width": width, "height": 900})
                    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
                    size = page.evaluate(SIZE)
                    self.assertAlmostEqual(size["width"], size["window"], delta=1)
                    self.assertLessEqual(size["scrolls"], width)

    def test_texts_stay_readable_and_in_place(self):
        for command in LAID_OUT:
            for width in WIDTHS:
                with self.subTest(command=command, width=width):
                    page = self.opened(command, width)
                    self.assertGreaterEqual(page.evaluate(SMALLEST), 11)
                    self.assertEqual(page.evaluate(READ_TEXTS), [])

    def test_on_a_phone_one_long_figure_leaves_two_columns(self):
        picture = self.opened(("flame", "cases/record_stream.pickle"), 390)
        lefts = picture.evaluate("""() => {
          const figures = document.querySelector('[data-flow=items][data-spread]');
          return [...figures.children].map((figure) => Math.round(figure.querySelector('.figure').getBoundingClientRect().left));
        }""")
        self.assertEqual(len(set(lefts)), 2, lefts)

    def test_what_was_wide_comes_back(self):
        page = self.opened(LAID_OUT[0], 830)
        before = page.evaluate("() => document.documentElement.getAttribute('viewBox')")
        words = page.evaluate("() => [...document.querySelectorAll('[data-flow=words] text')].map((text) => text.textContent).join(' ')")
        for width in (390, 2400, 830):
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.assertEqual(page.evaluate("() => document.documentElement.getAttribute('viewBox')"), before)
        again = page.evaluate("() => [...document.querySelectorAll('[data-flow=words] text')].map((text) => text.textContent).join(' ')")
        self.assertEqual(again, words)

    def test_zoom_is_kept_when_the_width_changes(self):
        page = self.opened(LAID_OUT[0], 1400)
        page.locator("#graph > g").nth(6).click(position={"x": 2, "y": 9})
        zoomed = url_of(page)
        self.assertIn("zoom=", zoomed)
        page.set_viewport_size({"width": 390, "height": 900})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.assertEqual(url_of(page), zoomed)
        self.assertEqual(page.evaluate(READ_TEXTS), [])

    def test_as_an_image_of_830_pixels_text_has_11(self):
        for command in PICTURES:
            with self.subTest(command):
                page = self.open(draw(*command), java_script_enabled=False)
                page.set_viewport_size({"width": 830, "height": 900})
                self.assertGreaterEqual(page.evaluate(SMALLEST), 10.99)
                self.assertLessEqual(page.evaluate(SIZE)["scrolls"], 830)

    def test_on_a_phone_nothing_leaves_the_page_or_stands_upon_another(self):
        for command in [*PICTURES, ("timeline", "ring_lost_history.pickle"), ("flame", "ring_lost_history.pickle"), ("timeline", "recorded_late.pickle")]:
            with self.subTest(command=command):
                self.assertEqual(self.opened(command, 390).evaluate(MISPLACED), [])


class LabelCases(BrowserCase):
    """Returns the labels that are left after a zoom."""

    def test_siblings_never_show_the_same_words(self):
        picture = self.open_picture("flame", "training_step.pickle")
        for width in WIDTHS:
            picture.page.set_viewport_size({"width": width, "height": 900})
            picture.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            shown = picture.page.evaluate("""() => document.querySelector('#graph').shownBoxes()
              .filter((box) => box.isShown && box.parent && box.shown).map((box) => [box.parent.index, box.shown])""")
            self.assertGreater(len(shown), 5)
            self.assertEqual(len({tuple(one) for one in shown}), len(shown))


class LinkCases(BrowserCase):
    """A link may contain anything."""

    def test_what_is_no_number_of_a_box_opens_none(self):
        for word in ("__proto__", "length", "constructor", "-1", "1e3", "0x5"):
            with self.subTest(word):
                page = self.open(draw("flame", "training_step.pickle"))
                page.evaluate("(word) => { location.hash = `open=${word}&zoom=${word}`; }", word)
                page.evaluate("() => new Promise((done) => setTimeout(done, 50))")
                self.assertEqual(self.complaints, [])

    def test_no_expression_stops_the_page(self):
        picture = self.open_picture("flame", "training_step.pickle")
        for expression in ("/(a+)+$/", "/(.*)*x/", "/(a|a)*b/", r"/(.+)\1\1\1$/", "/.*.*.*.*.*.*.*.*=/"):
            picture.type_search(expression)
            self.assertRegex(picture.status.text_content(), "too slow")
        self.assertEqual(picture.matches(), [])
        picture.type_search("/.*.*.*\u2603/")
        self.assertRegex(picture.status.text_content(), "no match|too slow")
        picture.type_search("/train(ing|_step).*py/")
        self.assertTrue(picture.matches())
