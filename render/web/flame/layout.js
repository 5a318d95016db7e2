// The zoomed box -> rows of boxes and the part of the width that each takes. Distances come from graph_view.cpp.
export const NARROWEST = 0.2, LEAST_DRAWN = 0.5;
const TORN_ROOM = 14, TORN_WIDTH = 5, TEETH = 4;

export const heightOf = (box) => (box.parts ? box.parts.length : 1);
export const isAbove = (box, other) => box.index <= other.index && other.index <= box.end;

// Boxes that cannot be distinguished become dust; the focused box is drawn, however narrow it is.
export const isNarrow = (box, focus) => box.span.width < LEAST_DRAWN && !box.parts && box !== focus;

// Returns the span of a box; null if it is not in view. `root` is shown completely, including everything narrow in it.
export function spanOf(box, zoom, root, width) {
  if (isAbove(box, zoom)) return {x: 0, width};
  if (!isAbove(zoom, box)) return null;
  const scale = width / zoom.width, drawn = box.width * scale;
  return drawn < NARROWEST && zoom !== root ? null : {x: (box.x - zoom.x) * scale, width: drawn};
}

// Sets row, span and isDust of each box; returns the number of rows.
export function layOutTree(boxes, {zoom, focus}, width) {
  let rows = 1;
  for (const box of boxes) {
    box.row = box.parent ? box.parent.row + heightOf(box.parent) : 0;
    box.span = spanOf(box, zoom, boxes[0], width);
    box.isDust = Boolean(box.span) && isNarrow(box, focus);
    if (box.span) rows = Math.max(rows, box.row + heightOf(box));
  }
  return rows;
}

// Returns the number of letters that fit in a box; `isTorn`: next to the strip of one that is not to scale.
export const columnsInBox = ({padding, columnWidth}, width, isTorn) => Math.floor((width - 2 * padding - (isTorn ? TORN_ROOM : 0)) / columnWidth);

// A jagged strip through a box that is not to scale, as graph_view.cpp draws it.
export function tornPath(x, y, width, height) {
  const strip = Math.min(TORN_WIDTH, width / 3), tooth = strip / 2, step = height / TEETH;
  const left = x + width - Math.min(TORN_ROOM, width / 2) - strip / 2;
  let path = `M${left.toFixed(2)} ${y}`;
  for (let i = 0; i < TEETH; ++i) path += `l${(i % 2 ? -tooth : tooth).toFixed(2)} ${step}`;
  path += `h${strip.toFixed(2)}`;
  for (let i = 0; i < TEETH; ++i) path += `l${(i % 2 ? -tooth : tooth).toFixed(2)} ${-step}`;
  return path + 'z';
}
