"""Pictures inside an HTML page, as in the page of `memviz view` and in notebooks: HTML's parser reads them like
XML's."""

from support import BrowserCase, draw, expect, new_file

# Returns names and texts of all elements, by both parsers. HTML's ends an <svg> at elements that it considers its own:
# <b>, <s>, <table>.
PARSED = """([svg, type]) => {
  const parsed = new DOMParser().parseFromString(svg.replace(/^<[?]xml[^>]*>/, ''), type);
  const root = parsed.querySelector('svg');
  const own = (one) => [...one.childNodes].filter((node) => node.nodeType === 3 || node.nodeType === 4).map((node) => node.data).join('');
  return [root, ...root.querySelectorAll('*')].map((one) => `${one.namespaceURI} ${one.localName}: ${own(one)}`);
}"""


class EmbeddedCases(BrowserCase):
    def test_html_and_xml_read_the_same_picture(self):
        step, oom = "training_step.pickle", "oom.pickle"
        pictures = [
            ("flame", step), ("flame", step, "--color", "kind"), ("flame", step, "--view", "segments"), ("flame", "odd_names.pickle"),
            ("state", oom), ("state", "devices_streams.pickle"), ("timeline", step), ("timeline", step, "--view", "segments"),
            ("timeline", step, "--view", "pools"), ("timeline", "gen_2.5_annotations.pickle"), ("explain", oom),
            ("compare", "before.pickle", "after.pickle"),
        ]  # fmt: skip
        page = self.open(draw("flame", "oom.pickle"))
        for picture in pictures:
            with self.subTest(picture):
                svg = draw(*picture).read_text()
                xml, html = (page.evaluate(PARSED, [svg, kind]) for kind in ("image/svg+xml", "text/html"))
                self.assertEqual(html, xml)

    def test_a_frame_that_is_shown_later_has_the_hint_of_its_width(self):
        for command, hint in (("timeline", "click: pin a stack"), ("flame", "click a box"), ("state", "click a segment")):
            with self.subTest(command):
                svg = draw(command, "training_step.pickle")
                page_file = new_file(".html")
                frame = f'<iframe style="display:none" src="{svg.name}" width="1200" height="800"></iframe>'
                page_file.write_text(f"<!doctype html>{frame}")
                page = self.open(page_file)
                self.complaints.remove(f"request: {svg.as_uri()}")
                page.locator("iframe").evaluate("frame => { frame.style.display = 'block'; }")
                expect(page.frame_locator("iframe").locator("#toolbar")).to_contain_text(hint)
