"""Pictures that are kept in docs/pictures/, and how much another one differs from them."""

import io
import os
import pathlib

from PIL import Image, ImageChops

KEPT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "pictures"
COLOURS = 256

# Pictures are compared by the mean colours of small squares. Another version of Chromium smooths letters differently,
# which changes the mean by a few steps of 255; a box of another colour or a shifted text changes it by tens.
SQUARE = 12
NOTICEABLE = 36  # summed over red, green and blue


def image_of(png):
    return Image.open(io.BytesIO(png)).convert("RGB")


def differing_squares(image, other):
    """Returns the corners of the squares that differ, in pixels; [(0, 0), ...] of all if the sizes do."""
    if image.size != other.size:
        return [(x, y) for y in range(0, image.height, SQUARE) for x in range(0, image.width, SQUARE)]
    difference = ImageChops.difference(image.reduce(SQUARE), other.reduce(SQUARE))
    return [(i % difference.width * SQUARE, i // difference.width * SQUARE)
            for i, pixel in enumerate(difference.get_flattened_data()) if sum(pixel) > NOTICEABLE]  # fmt: skip


def kept(name):
    """Returns the kept picture of a name, or None."""
    file = KEPT / f"{name}.png"
    return Image.open(file).convert("RGB") if file.is_file() else None


def keep(name, image):
    """Stores a picture with its most frequent colours: those of boxes stay exact, those at the edges of letters
    change."""
    counted = sorted(image.getcolors(image.width * image.height), reverse=True)
    palette = Image.new("P", (1, 1))
    palette.putpalette([channel for _, colour in counted[:COLOURS] for channel in colour])
    KEPT.mkdir(exist_ok=True)
    image.quantize(palette=palette, dither=Image.Dither.NONE).save(KEPT / f"{name}.png", optimize=True)


def is_blessing():
    return os.environ.get("MEMVIZ_BLESS") is not None
