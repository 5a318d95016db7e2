"""Pictures as notebooks show them: memviz_torch's HTML in an unrelated page."""

import json
import os
import pathlib
import sys

from layout_cases import READ_TEXTS
from support import TESTDATA, BrowserCase, expect, new_file

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
os.environ["MEMVIZ_PROGRAM"] = os.environ["MEMVIZ_BINARY"]

import memviz_torch

# Loads the pictures again, in cells that are hidden until all of them are loaded.
HIDE_AND_LOAD_AGAIN = """() => Promise.all([...document.querySelectorAll('section')].map((cell) => new Promise((done) => {
  cell.style.display = 'none';
  const frame = cell.firstElementChild;
  frame.addEventListener('load', done);
  frame.srcdoc += ' ';
})))"""

PLACES_OF_TEXTS = """() => [...document.querySelectorAll('text')].filter((text) => text.getClientRects().length).map((text) => {
  const {x, y} = text.getBoundingClientRect();
  return [text.textContent, Math.round(x), Math.round(y)].join(' ');
})"""

KINDS = ("flame", "timeline", "state", "explain")

# A page that puts its outputs in place by innerHTML, under a policy for all of it, as a webview of VS Code does.
WEBVIEW = """<!DOCTYPE html><meta charset='utf-8'><meta http-equiv='Content-Security-Policy' content="default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: https:; child-src https: data:">
<body><script nonce='own'>
for (const html of {outputs}) document.body.appendChild(document.createElement('section')).innerHTML = html;
</script></body>"""


# The page of a notebook in VS Code, as it is by default: without a policy, with the theme as an attribute, and with
# scripts that the renderer makes again. It keeps the wheel's events, by which the notebook scrolls.
VS_CODE = """<!DOCTYPE html><meta charset='utf-8'><body data-vscode-theme-kind='{theme}' style='background:#888'>
<script>
self.wheels = [];
addEventListener('wheel', (event) => self.wheels.push([event.target.title, event.deltaX, event.deltaY]));
for (const html of {outputs}) {{
  const cell = document.body.appendChild(document.createElement('section'));
  cell.innerHTML = html;
  for (const read of [...cell.getElementsByTagName('script')]) {{
    const script = document.createElement('script');
    script.text = read.innerText;
    cell.appendChild(script).parentNode.removeChild(script);
  }}
}}
</script></body>"""

SHOWN_BACKGROUND = "() => getComputedStyle(document.querySelector('svg')).backgroundColor"
LIGHT, DARK = "rgb(252, 252, 250)", "rgb(21, 23, 28)"


class NotebookCases(BrowserCase):
    def open_cells(self, *pictures):
        page = new_file(".html")
        cells = "".join(f"<section>{picture._repr_html_()}</section>" for picture in pictures)
        # Returns a page on which leaked styles and names of a picture would be visible.
        page.write_text(
            f"<!DOCTYPE html><meta charset='utf-8'><body><p id='graph'>text of the page</p>{cells}"
            "<script>addEventListener('message', () => document.title = 'reached')</script></body>"
        )
        return self.open(page)

    def test_a_picture_in_a_frame_that_is_hidden_at_first_is_laid_out_when_it_is_shown(self):
        page = self.open_cells(*(getattr(memviz_torch, kind)(TESTDATA / "oom.pickle") for kind in KINDS))
        shown = self.texts_of(page)
        page.evaluate(HIDE_AND_LOAD_AGAIN)
        page.evaluate("() => document.querySelectorAll('section').forEach((cell) => { cell.style.display = ''; })")
        self.assertEqual(self.texts_of(page), shown)

    def texts_of(self, page):
        """Returns the texts of each cell's picture, and their positions."""
        texts = []
        for element in page.locator("iframe").element_handles():
            element.scroll_into_view_if_needed()
            frame = element.content_frame()
            frame.wait_for_selector("svg.scripted", state="attached")
            frame.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            self.assertEqual(frame.evaluate(READ_TEXTS), [])
            texts.append(frame.evaluate(PLACES_OF_TEXTS))
        return texts

    def open_webview(self, scripts):
        outputs = [getattr(memviz_torch, kind)(TESTDATA / "oom.pickle")._repr_html_() for kind in KINDS]
        page = new_file(".html")
        page.write_text(WEBVIEW.format(scripts=scripts, outputs=json.dumps(outputs).replace("</", "<\\/")))
        return self.open(page)

    def open_vs_code(self, *pictures, theme="vscode-light", **context_options):
        outputs = json.dumps([picture._repr_html_() for picture in pictures]).replace("</", "<\\/")
        page = new_file(".html")
        page.write_text(VS_CODE.format(theme=theme, outputs=outputs))
        shown = self.open(page, **context_options)
        for frame in shown.frames[1:]:
            frame.wait_for_selector("svg.scripted", state="attached")
        return shown

    def wait_for_background(self, frame, colour):
        frame.wait_for_function(f"({SHOWN_BACKGROUND})() === '{colour}'")

    def test_vs_code_scrolls_on_by_the_wheel_from_the_end_of_a_picture(self):
        page = self.open_vs_code(memviz_torch.flame(TESTDATA / "training_step.pickle"), memviz_torch.flame(TESTDATA / "oom.pickle"))
        self.wait_for_background(page.frames[1], LIGHT)
        title = page.locator("iframe").first.get_attribute("title")
        box = page.locator("iframe").first.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 200)
        page.mouse.wheel(0, -50)
        page.wait_for_function("() => self.wheels.length === 1")
        page.mouse.wheel(0, 20)
        page.frames[1].wait_for_function("() => document.scrollingElement.scrollTop > 0")
        page.mouse.wheel(0, 9000)
        page.frames[1].wait_for_function("() => { const s = document.scrollingElement; return s.scrollTop + s.clientHeight >= s.scrollHeight - 1; }")
        page.mouse.wheel(0, 30)
        page.mouse.wheel(0, 40)
        page.wait_for_function("() => self.wheels.at(-1)[2] === 40")
        wheels = page.evaluate("() => self.wheels")
        self.assertIn(wheels, ([[title, 0, -50], [title, 0, 40]], [[title, 0, -50], [title, 0, 30], [title, 0, 40]]), "a picture that scrolls keeps the wheel")

    def test_vs_code_takes_only_numbers_from_the_frames_of_pictures(self):
        page = self.open_vs_code(memviz_torch.flame(TESTDATA / "oom.pickle"))
        self.wait_for_background(page.frames[1], LIGHT)
        for wheel in "[0]", "[0, Infinity]", "[0, '5']", "{length: 2}", "null":
            page.frames[1].evaluate(f"parent.postMessage({{memvizWheel: {wheel}}}, '*')")
        page.evaluate("postMessage({memvizWheel: [0, 7]}, '*')")
        page.evaluate("() => new Promise((done) => { addEventListener('message', ({data}) => data === 'last' ? done() : 0); postMessage('last', '*'); })")
        page.frames[1].evaluate("parent.postMessage({memvizWheel: [0, 5]}, '*')")
        page.wait_for_function("() => self.wheels.length > 0")
        self.assertEqual([wheel[1:] for wheel in page.evaluate("() => self.wheels")], [[0, 5]])

    def test_a_picture_has_the_theme_of_vs_code(self):
        pictures = [getattr(memviz_torch, kind)(TESTDATA / "oom.pickle") for kind in KINDS]
        for theme, scheme, colour, other_theme, other_colour in (
            ("vscode-dark", "light", DARK, "vscode-high-contrast-light", LIGHT),
            ("vscode-light", "dark", LIGHT, "vscode-high-contrast", DARK),
        ):
            with self.subTest(theme, scheme=scheme):
                page = self.open_vs_code(*pictures, theme=theme, color_scheme=scheme)
                for frame in page.frames[1:]:
                    self.wait_for_background(frame, colour)
                page.evaluate(f"() => {{ document.body.dataset.vscodeThemeKind = '{other_theme}'; }}")
                for frame in page.frames[1:]:
                    self.wait_for_background(frame, other_colour)

    def test_an_ordinary_page_scrolls_on_without_a_message(self):
        page = self.open_cells(memviz_torch.flame(TESTDATA / "training_step.pickle"))
        page.evaluate("() => { document.body.style.height = '5000px'; self.wheels = 0; addEventListener('wheel', () => { self.wheels += 1; }); }")
        frame = page.frames[1]
        frame.wait_for_selector("svg.scripted", state="attached")
        frame.evaluate("() => scrollTo(0, 99999)")
        box = page.locator("iframe").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 200)
        page.wait_for_timeout(300)  # a wheel soon after another one keeps its target
        page.mouse.wheel(0, 100)
        page.wait_for_function("() => scrollY > 0")
        page.wait_for_timeout(300)
        self.assertEqual(page.evaluate("() => [scrollY, self.wheels, document.title]"), [100, 0, ""])

    def test_a_picture_works_where_a_webview_puts_it_by_inner_html(self):
        page = self.open_webview("'unsafe-inline'")
        self.assertEqual(len(self.texts_of(page)), len(KINDS))

    def test_a_picture_is_an_image_where_a_webview_lets_no_script_run(self):
        page = self.open_webview("'nonce-own'")
        for element in page.locator("iframe").element_handles():
            image = element.content_frame().wait_for_selector("img")
            self.assertEqual(image.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }"), 900)
            self.assertGreater(image.bounding_box()["width"], 900, "as wide as its cell")
        refused = [complaint for complaint in self.complaints if "Content Security Policy" in complaint]
        self.assertEqual(self.complaints, refused)
        self.complaints.clear()

    def check_request(self, requested, own):
        if requested != "about:srcdoc":
            super().check_request(requested, own)

    def test_every_picture_is_at_work_in_a_cell(self):
        page = self.open_cells(*(getattr(memviz_torch, kind)(TESTDATA / "oom.pickle") for kind in KINDS))
        for number, kind in enumerate(KINDS):
            with self.subTest(kind):
                page.locator("iframe").nth(number).scroll_into_view_if_needed()  # a frame out of sight has no frames of animation
                cell = page.frame_locator("iframe").nth(number)
                expect(cell.locator("body > svg.scripted" if kind != "explain" else "body > svg")).to_be_visible()
                expect(cell.locator("body")).not_to_contain_text("]]>")

    def test_boxes_zoom_and_the_search_finds_in_a_cell(self):
        page = self.open_cells(memviz_torch.flame(TESTDATA / "oom.pickle"))
        cell = page.frame_locator("iframe")
        expect(cell.locator("body > svg.scripted")).to_be_visible()
        box = cell.locator("#graph > g", has_text="append_page").first
        before = box.locator("rect").first.bounding_box()["width"]
        box.click(position={"x": 2, "y": 9})
        page.wait_for_function("() => true")
        expect(cell.locator("#crumbs")).to_contain_text("append_page")
        self.assertGreater(box.locator("rect").first.bounding_box()["width"], before)
        cell.locator("#search").fill("append_page")
        expect(cell.locator("#graph > g.match").first).to_be_attached()

    def test_a_picture_is_as_wide_as_its_cell_and_no_longer_than_a_screen(self):
        page = self.open_cells(memviz_torch.flame(TESTDATA / "training_step.pickle"))
        frame = page.locator("iframe").bounding_box()
        self.assertAlmostEqual(frame["width"], page.locator("section").bounding_box()["width"], delta=1)
        self.assertLessEqual(frame["height"], 800)
        self.assertGreater(frame["height"], 300)

    def test_a_picture_reaches_nothing_of_the_page(self):
        page = self.open_cells(memviz_torch.flame(TESTDATA / "oom.pickle"))
        frame = page.frames[1]
        expect(page.frame_locator("iframe").locator("body > svg.scripted")).to_be_visible()
        self.assertEqual(frame.evaluate("() => self.origin"), "null")
        self.assertEqual(
            frame.evaluate("() => { try { return parent.document.title; } catch (error) { return error.name; } }"), "SecurityError"
        )
        self.assertEqual(page.evaluate("() => getComputedStyle(document.querySelector('#graph')).cursor"), "auto")
