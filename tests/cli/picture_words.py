#!/usr/bin/env python3
"""Prints the words of a picture: a line for each part of the page, and one for each box with its width in pixels;
nothing where there is none.

usage: picture_words.py < PICTURE
"""

import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
SILENT = {SVG + name for name in ("style", "script", "defs", "metadata", "title")}


def boxes_of(element):
    for group in element.iter(SVG + "g"):
        title, box = group.find(SVG + "title"), group.find(SVG + "rect")
        if title is not None and box is not None:
            yield f"    {float(box.get('width')):.0f}  {'; '.join(title.text.splitlines())}"


text = sys.stdin.read()
for part in ElementTree.fromstring(text) if text else ():
    if part.tag not in SILENT:
        texts = "  ".join("".join(text.itertext()) for text in part.iter(SVG + "text"))
        for line in filter(None, [texts, *boxes_of(part)]):
            print(line)
