"""Draws the pictures of docs/view.md anew: `draw_view.py MEMVIZ`. Look at each before you commit it."""

import io
import os
import pathlib
import sys

import environment

PICTURES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "pictures"
COLOURS = 256


def main():
    if pathlib.Path(sys.prefix) != environment.ENVIRONMENT.venv:
        os.environ["MEMVIZ_BINARY"] = os.path.abspath(sys.argv[1])
        os.execv(environment.PYTHON, [str(environment.PYTHON), "-B", __file__])
    from view_support import ViewCase

    class Drawn(ViewCase):
        def save(self, view, name):
            from PIL import Image

            view.page.evaluate("document.activeElement.blur()")
            shot = Image.open(io.BytesIO(view.page.screenshot())).convert("RGB")
            shot.quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURES / name, optimize=True)

        def runTest(self):
            draw_all(self)

    drawn = Drawn()
    Drawn.setUpClass()
    result = drawn.run()
    sys.exit(0 if result.wasSuccessful() else f"{result.errors}{result.failures}")


def draw_all(case):
    from support import DEJAVU, FONTS, browser, expect

    chromium = browser(FONTS / "liberation", DEJAVU)

    def is_drawn(view, part):
        expect(view.picture.locator(f"svg.scripted {part}").first).to_be_visible()

    view = case.view("training_step.pickle", chromium=chromium)
    view.page.mouse.click(*view.at(view.cells, 0.55, 0.38))
    expect(view.pinned).to_be_visible()
    expect(view.picture.locator("#graph .lit").first).to_be_visible()
    case.save(view, "view.png")

    view = case.view("oom.pickle", chromium=chromium, viewport={"width": 1240, "height": 860})
    expect(view.card).to_contain_text("out of memory")
    is_drawn(view, "text")
    case.save(view, "view-oom.png")

    view = case.view("training_step.pickle", chromium=chromium, viewport={"width": 1240, "height": 860}, color_scheme="dark")
    view.press("k", "2")
    is_drawn(view, "#board .free rect")
    expect(view.page.locator("#by")).to_have_text("by kind")
    case.save(view, "view-segments.png")

    view = case.view("training_step.pickle", chromium=chromium, viewport={"width": 390, "height": 800})
    is_drawn(view, "#graph rect")
    case.save(view, "view-phone.png")


if __name__ == "__main__":
    main()
