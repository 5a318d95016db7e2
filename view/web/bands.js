// The bands of the curve, each pixel with its allocation: from the engine, as an image, and what of it is lit.
import {colourOf} from './curve_drawing.js';
import {isDark} from './elements.js';

const EDGE_ROWS = 4; // a band this high has an upper edge
const ODD_SHARE = 0.86, EDGE_SHARE = 0.66, VEIL = 0x78;

// The answer of `bands`: see bands.hpp. Pixels are by column, from the bottom.
/** @type {(buffer: ArrayBuffer, columns: number) => import('./types.js').Bands} */
export function readBands(buffer, columns) {
  const pixels = (buffer.byteLength - 8 * columns) / 5, rows = pixels / columns;
  return {columns, rows, lives: new Uint32Array(buffer, 8 * columns, pixels), values: new Uint8Array(buffer, 8 * columns + 4 * pixels, pixels)};
}

// Returns the pixel of a colour; the rest of the share is the page's white or black.
export function pixelOf(colour, share, alpha = 255) {
  const part = (at) => Math.round(parseInt(colour.slice(at, at + 2), 16) * share + (isDark() ? 0 : 255) * (1 - share));
  return ((alpha << 24) | (part(5) << 16) | (part(3) << 8) | part(1)) >>> 0;
}

// An image of the size of the bands: `pixelAt(i)` of the pixel i of them.
function imageOf({columns, rows}, pixelAt) {
  const canvas = Object.assign(document.createElement('canvas'), {width: columns, height: Math.max(1, rows)});
  const context = canvas.getContext('2d'), image = context.createImageData(columns, Math.max(1, rows));
  const out = new Uint32Array(image.data.buffer);
  for (let column = 0, i = 0; column < columns; ++column)
    for (let row = rows - 1; row >= 0; --row, ++i) out[row * columns + column] = pixelAt(i);
  context.putImageData(image, 0, 0);
  return canvas;
}

// Whether a pixel is the uppermost of a band that is high enough to have an edge.
const isEdge = ({lives}, i) => lives[i] !== lives[i + 1] && lives[i] === lives[i - EDGE_ROWS + 1];

export function bandsImage(bands, classes) {
  const shades = (share) => Uint32Array.from({length: 2 * classes.length}, (_, value) => pixelOf(colourOf(classes[value >> 1]), share * (value & 1 ? ODD_SHARE : 1)));
  const plain = shades(1), edges = shades(EDGE_SHARE), {values} = bands;
  return imageOf(bands, (i) => (values[i] === 0 ? 0 : (isEdge(bands, i) ? edges : plain)[values[i] - 1]));
}

// A veil over all bands that are not lit, and the pinned allocation in the colour of the playhead.
export function litImage(bands, {lit, pinned, page, head}) {
  const veil = lit ? pixelOf(page, 1, VEIL) : 0, mark = pixelOf(head, 1), {values, lives} = bands;
  return imageOf(bands, (i) => {
    if (values[i] === 0) return 0;
    if (pinned && pinned.has(lives[i])) return mark;
    return lit && lit.has(lives[i]) ? 0 : veil;
  });
}

export function drawImageOf({context, width, height}, image) {
  context.imageSmoothingEnabled = false;
  context.drawImage(image, 0, 0, width, height);
}

// The allocation at a place of the drawing, both in shares, from the left and from the top; null: none.
export function lifeAt(bands, across, down) {
  const column = Math.min(bands.columns - 1, Math.floor(across * bands.columns)), row = Math.floor((1 - down) * bands.rows);
  if (row < 0 || row >= bands.rows || column < 0) return null;
  const i = column * bands.rows + row;
  return bands.values[i] === 0 ? null : bands.lives[i];
}
