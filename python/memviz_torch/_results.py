"""What the functions return: pictures that show themselves in notebooks, with the figures and the text next to them."""

from __future__ import annotations

import html
import math
import os
import re
import shutil
import subprocess
import sysconfig
import urllib.parse
from typing import Any, Collection, Optional

from memviz_torch._program import Error
from memviz_torch.recording import files

_CONVERTER = "rsvg-convert"
_PNG_CONVERTER = "resvg"  # where there is no other; of pip's resvg-cli, which is the extra `png`
_FONTS = (b"'DejaVu Sans Mono", b"'Liberation Mono", b"'Menlo", b"'Consolas")
_MOST_PIXELS = 800  # of a frame: one screen; a longer picture scrolls inside of it


def _path_of(name: str) -> "Optional[str]":
    """Returns the path of a program on the PATH or in this environment, which may not be active."""
    return shutil.which(name) or shutil.which(name, path=sysconfig.get_path("scripts"))


def _converter(kind: str) -> "list[str]":
    """Returns rsvg-convert with the words for this format. Raises Error if it is missing."""
    converter = _path_of(_CONVERTER)
    if converter is None:
        way = "pip install 'memviz-torch[png]'; or " if kind == "png" else ""
        raise Error(
            f"{kind} takes the program {_CONVERTER}, which is not on the PATH; {way}install it (Debian and Ubuntu: "
            "librsvg2-bin; Fedora: librsvg2-tools; Homebrew: librsvg; conda: librsvg), or save an SVG"
        )
    return [converter, "--unlimited", "--format", kind]


class Picture:
    """An SVG, complete in one file. In a notebook it shows itself, with zoom, search and tooltips."""

    def __init__(self, svg: str, warnings: "tuple[str, ...]" = ()) -> None:
        self.svg = svg
        self.warnings = warnings

    @property
    def headline(self) -> str:
        """The sentence at the top of the picture."""
        found = re.search(r'<svg [^>]*?aria-label="([^"]*)"', self.svg)
        return html.unescape(found.group(1)) if found else ""

    def save(self, path: "str | os.PathLike[str]", zoom: float = 2.0) -> str:
        """Writes the picture, in the format that the path ends in: .svg, .png or .pdf. Returns the path.

        PNG and PDF show what the SVG shows without its scripts, and take the program rsvg-convert, or, for a PNG,
        ``pip install 'memviz-torch[png]'``; ``zoom`` is pixels of a PNG for one of the SVG. A file is there whole or not
        at all.
        """
        path = os.fspath(path)
        ending = os.path.splitext(path)[1].lower()
        if ending == ".svg":
            content = self.svg.encode("utf-8", "surrogateescape")
        elif ending == ".png":
            content = self.png(zoom)
        elif ending == ".pdf":
            content = self.pdf()
        else:
            raise ValueError(f"'{path}' ends in none of .svg, .png and .pdf, which memviz writes")
        files.replace(path, lambda file: file.write(content))
        return path

    def png(self, zoom: float = 2.0) -> bytes:
        """Returns the picture as PNG. Raises Error if the programs rsvg-convert and resvg are missing."""
        if not 0.1 <= zoom <= 4:
            raise ValueError(f"zoom must be from 0.1 to 4, not {zoom}")
        converter = None if _path_of(_CONVERTER) else _path_of(_PNG_CONVERTER)
        if converter:
            # It lists the fonts that it finds; without those that pictures name it would leave out the letters.
            listed = subprocess.run([converter, "--list-fonts", "-", "-c"], stdin=subprocess.DEVNULL, capture_output=True)
            if not any(font in listed.stdout for font in _FONTS):
                raise Error(
                    f"{_PNG_CONVERTER} finds none of the fonts DejaVu, Liberation, Menlo and Consolas; install one (Debian "
                    "and Ubuntu: fonts-dejavu-core), or save an SVG"
                )
            return self._converted([converter, "--quiet", "--resources-dir", "/", "--zoom", str(zoom), "-", "-c"])
        return self._converted([*_converter("png"), "--zoom", str(zoom)])

    def pdf(self) -> bytes:
        """Returns the picture as PDF. Raises Error if the program rsvg-convert is missing."""
        return self._converted(_converter("pdf"))

    def _converted(self, words: "list[str]") -> bytes:
        done = subprocess.run(words, input=self.svg.encode(), capture_output=True)
        if done.returncode != 0:
            name = os.path.basename(words[0])
            raise Error(f"{name}: {done.stderr.decode('utf-8', 'replace').strip().splitlines()[:1]}")
        return done.stdout

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline}>"

    def _repr_html_(self) -> str:
        """The picture in a separate frame: its script cannot access the page, nor the page the picture."""
        height = min(_height_of(self.svg) + 8, _MOST_PIXELS)
        return (
            f'<iframe class="memviz" srcdoc="{html.escape(page_of(self.svg))}" sandbox="allow-scripts" '
            f'title="{html.escape(self.headline)}" '
            f'style="display:block;width:100%;height:{height}px;border:0;resize:vertical"></iframe>'
            + _IN_VS_CODE
        )

    def _repr_mimebundle_(
        self, include: "Optional[Collection[str]]" = None, exclude: "Optional[Collection[str]]" = None
    ) -> "dict[str, Any]":
        """Returns HTML for notebooks, and a PNG for viewers that run no scripts, if one can be made."""
        makers = {"text/plain": lambda: repr(self), "text/html": self._repr_html_, "image/png": self._fallback}
        wanted = [kind for kind in makers if not include or kind in include]
        made = {kind: makers[kind]() for kind in wanted if not exclude or kind not in exclude}
        return {kind: content for kind, content in made.items() if content is not None}

    def _fallback(self) -> "Optional[bytes]":
        try:
            return self.png(zoom=1.0)
        except (Error, OSError):
            return None


class Page:
    """An HTML page to explore recordings, complete in one file. In a notebook it shows itself."""

    def __init__(self, html: str, warnings: "tuple[str, ...]" = ()) -> None:
        self.html = html
        self.warnings = warnings

    def save(self, path: "str | os.PathLike[str]") -> str:
        """Writes the page. Returns the path. The file is complete or absent."""
        path = os.fspath(path)
        files.replace(path, lambda file: file.write(self.html.encode("utf-8", "surrogateescape")))
        return path

    def __repr__(self) -> str:
        found = re.search(r"<title>(.*?)</title>", self.html)
        return f"<Page: {html.unescape(found.group(1)) if found else ''}>"

    def _repr_html_(self) -> str:
        """The page in a separate frame: its script cannot access the notebook."""
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" title="memviz view" '
            f'style="display:block;width:100%;height:{_MOST_PIXELS}px;border:0;resize:vertical"></iframe>'
        )


class Explanation(Picture):
    """Why memory ran out, or how it was used. ``str()`` is the text for people."""

    def __init__(self, svg: str, text: str, figures: "dict[str, Any]", warnings: "tuple[str, ...]" = ()) -> None:
        super().__init__(svg, warnings)
        self.text = text
        self.figures = figures

    @property
    def devices(self) -> "list[dict[str, Any]]":
        """The figures of each device, the one that failed first."""
        devices: "list[dict[str, Any]]" = self.figures["devices"]
        return devices

    @property
    def verdict(self) -> "Optional[str]":
        """One word for the first device, such as 'fragmentation' or 'over_capacity'; None if there is no device."""
        return self.devices[0]["verdict"] if self.devices else None

    @property
    def verdict_text(self) -> str:
        """Why in a sentence: the verdict, or a cause that is named before it; empty if there is no device."""
        return str(self.devices[0]["verdict_text"]) if self.devices else ""

    def __str__(self) -> str:
        return self.text


class Comparison(Picture):
    """The changes from one snapshot to another. ``str()`` is the text for people."""

    def __init__(
        self,
        svg: str,
        text: str,
        figures: "dict[str, Any]",
        markdown: str,
        exceeded: bool,
        warnings: "tuple[str, ...]" = (),
    ) -> None:
        super().__init__(svg, warnings)
        self.text = text
        self.figures = figures
        self.markdown = markdown
        self.exceeded = exceeded
        """Whether a figure grew by more than ``fail_over`` allows."""

    def __str__(self) -> str:
        return self.text


class Leaks:
    """The stacks that grow from step to step. ``str()`` is the text for people."""

    def __init__(self, text: str, figures: "dict[str, Any]", exceeded: bool, warnings: "tuple[str, ...]" = ()) -> None:
        self.text = text
        self.figures = figures
        self.exceeded = exceeded
        """Whether a device grows by more than ``fail_over`` allows."""
        self.warnings = warnings

    @property
    def grows(self) -> "list[dict[str, Any]]":
        """The stacks that grow until the end, of all devices, as in the JSON, each with its device."""
        return [
            {"device": device["device"], **stack} for device in self.figures["devices"] for stack in device["grows"]
        ]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        count = len(self.grows)
        return f"<Leaks: {count} {'stack grows' if count == 1 else 'stacks grow'}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The text, in a notebook."""
        printer.text(self.text if not cycle else "Leaks(...)")


def _height_of(svg: str) -> int:
    """Returns pixels, from the picture's own attribute."""
    found = re.search(r'<svg [^>]*?\bheight="([0-9.]+)"', svg)
    return math.ceil(float(found.group(1))) if found else _MOST_PIXELS


def page_of(svg: str) -> str:
    """Returns an HTML page that shows the picture as an image, which its script replaces by the picture itself.

    If a policy of the notebook forbids scripts, the image stays. The picture is parsed as XML: as part of the HTML, names
    in its data would be mistaken for HTML elements. Scripts that are parsed like this do not run, so they are inserted
    again.
    """
    return _PAGE.replace("PICTURE", re.sub(r"""[%#"'&\t\r\n]""", _percent_encoded, svg))


def _percent_encoded(found: "re.Match[str]") -> str:
    return urllib.parse.quote(found.group(), safe="")


_PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><style>html,body{margin:0}img{display:block;width:100%}</style></head><body>
<img alt="" src="data:image/svg+xml,PICTURE"><script>
const still = document.querySelector('img');
const source = decodeURIComponent(still.getAttribute('src').slice('data:image/svg+xml,'.length));
const svg = document.importNode(new DOMParser().parseFromString(source, 'image/svg+xml').documentElement, true);
still.replaceWith(svg);
for (const read of svg.querySelectorAll('script')) {
  const script = document.createElementNS('http://www.w3.org/2000/svg', 'script');
  script.textContent = read.textContent;
  read.replaceWith(script);
}
let schemes, place = 0;
const passOn = (event) => {
  const {scrollTop, clientHeight, scrollHeight} = document.scrollingElement;
  const isStill = scrollTop === place;  // the browser may have scrolled by this event already
  place = scrollTop;
  const isAtEnd = event.deltaY > 0 ? scrollTop + clientHeight >= scrollHeight - 1 : event.deltaY < 0 && scrollTop <= 0;
  if (isStill && isAtEnd && !event.ctrlKey && !event.defaultPrevented) parent.postMessage({memvizWheel: [event.deltaX, event.deltaY]}, '*');
};
addEventListener('message', ({source, data}) => {
  if (source !== parent || typeof data?.memvizDark !== 'boolean') return;
  schemes ??= Array.from(document.styleSheets, (sheet) => Array.from(sheet.cssRules)).flat()
    .filter((rule) => rule.media?.mediaText.includes('prefers-color-scheme'));
  for (const rule of schemes) rule.media.mediaText = data.memvizDark ? 'screen' : 'not all';
  addEventListener('wheel', passOn, {passive: true});
});
</script></body></html>"""

# In VS Code, a notebook scrolls only by wheel events of its own document, and a frame does not know the editor's theme.
# So a script next to the frame passes the theme in and, from the end of the picture on, the wheel out. Elsewhere the
# browser does both. The script is also well-formed XML.
_IN_VS_CODE = """<script>(() => {
const theme = () => document.body.dataset.vscodeThemeKind;
if (!theme()) return;
const frames = () => Array.from(document.querySelectorAll('iframe.memviz'));
const greet = (frame) => frame.contentWindow.postMessage({memvizDark: /dark|contrast$/.test(theme())}, '*');
for (const frame of frames()) {
  frame.onload = () => greet(frame);
  greet(frame);
}
if (self.hasMemvizFrames) return;
self.hasMemvizFrames = true;
new MutationObserver(() => frames().forEach(greet)).observe(document.body, {attributeFilter: ['data-vscode-theme-kind']});
addEventListener('message', ({source, data}) => {
  const frame = frames().find((one) => one.contentWindow === source);
  const wheel = frame ? data?.memvizWheel : null;
  if (!Array.isArray(wheel) || wheel.length !== 2 || !wheel.every(Number.isFinite)) return;
  const [deltaX, deltaY] = wheel;
  frame.dispatchEvent(new WheelEvent('wheel', {bubbles: true, cancelable: true, deltaX, deltaY, wheelDeltaX: -deltaX, wheelDeltaY: -deltaY}));
});
})();</script>"""
