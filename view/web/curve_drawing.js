// The parts of the curve: layers, lines, marks, axes, and the bytes that a search has found.
import {isDark} from './elements.js';
import {byteTicks, decimalTicks} from './ticks.js';
import {formatBytes, formatCount, formatDuration} from '../../render/web/core/numbers.js';

const HEAD = 3; // doubles of a column before those of its classes: state, live, reserved
const FOUND = 2; // doubles of a column of what is found: bytes, moments
export const RULER = 15; // pixels at the bottom, for the axis
const UNITS = ['B', 'KiB', 'MiB', 'GiB'];
const BYTE_TICKS = 4, TICK_WIDTH = 110, FONT = '11px -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", "Liberation Sans", "DejaVu Sans", sans-serif';

export const colours = () => (isDark()
  ? {ink: '#e6e8ec', dim: '#9aa1ad', line: '#e6e8ec', reserved: '#9aa1ad', head: '#ff6bb3', page: '#15171c', other: '#62b0ee', oom: '#f2837b', brush: '#ffffff22', veil: '#15171ccc', grid: '#ffffff1c'}
  : {ink: '#1d2026', dim: '#5a606b', line: '#1d2026', reserved: '#6b7280', head: '#d01c8b', page: '#fcfcfa', other: '#1d5f9e', oom: '#b3261e', brush: '#00000014', veil: '#fcfcfacc', grid: '#00000014'});
export const colourOf = (one) => (isDark() ? one.dark : one.light);

// Converts between a position in the drawing and a state; columns are equal parts of the axis.
export function stateAt(curve, share) {
  const column = Math.max(0, Math.min(curve.columns - 1, Math.floor(share * curve.columns)));
  const state = (i) => (i < curve.columns ? curve.values[i * curve.width] : curve.last);
  if (curve.axis === 'time') return state(column);
  return Math.round(curve.first + share * (curve.last - curve.first));
}

export function shareOf(curve, state) {
  if (curve.axis !== 'time') return (state - curve.first) / Math.max(1, curve.last - curve.first);
  let low = 0, high = curve.columns;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (curve.values[middle * curve.width] < state) low = middle + 1;
    else high = middle;
  }
  return low / curve.columns;
}

export function mostBytes(curve) {
  let most = 1;
  for (let i = 0; i < curve.columns; ++i) most = Math.max(most, curve.values[i * curve.width + 1], curve.values[i * curve.width + 2]);
  return most;
}

export function drawLayers({context, width, height}, curve, classes, most) {
  const step = width / curve.columns;
  for (let i = 0; i < curve.columns; ++i) {
    let y = height;
    for (let layer = 0; layer < classes.length; ++layer) {
      const high = (curve.values[i * curve.width + HEAD + layer] / most) * height;
      if (high <= 0) continue;
      context.fillStyle = colourOf(classes[layer]);
      context.fillRect(i * step, y - high, step + 0.5, high);
      y -= high;
    }
  }
}

// Converts bytes to the height of their place above the lower edge of a part of the curve.
const heightOf = ({low, most}, bytes, height) => ((bytes - low) / most) * height;

export function drawLine({context, width, height}, curve, value, style) {
  const step = width / curve.columns;
  context.save();
  context.beginPath();
  context.rect(0, 0, width, height);
  context.clip();
  context.beginPath();
  for (let i = 0; i < curve.columns; ++i) {
    const y = height - heightOf(curve, curve.values[i * curve.width + value], height);
    context.lineTo(i * step, y);
    context.lineTo((i + 1) * step, y);
  }
  Object.assign(context, style);
  context.setLineDash(style.dash || []);
  context.stroke();
  context.restore();
}

// The bytes of what a search has found as an area on the axis, over layers that are paler then.
export function drawFound({context, width, height}, found, curve, palette) {
  const step = width / found.columns;
  context.fillStyle = palette.veil;
  context.fillRect(0, 0, width, height);
  context.fillStyle = palette.head;
  for (let i = 0; i < found.columns; ++i) {
    const bytes = found.values[i * FOUND], high = heightOf(curve, bytes, height);
    if (bytes > 0 && high > 0) context.fillRect(i * step, height - Math.max(1, high), step + 0.5, Math.max(1, high));
  }
}

// A mark at the upper edge for each column with a hit.
export function drawHits({context, width}, found, palette, high) {
  const step = width / found.columns;
  context.fillStyle = palette.head;
  for (let i = 0; i < found.columns; ++i) if (found.values[i * FOUND + 1]) context.fillRect(Math.max(0, i * step - 0.5), 0, Math.max(2, step), high);
}

export function drawPlayhead({context, width, height}, curve, state, colour) {
  context.fillStyle = colour;
  context.fillRect(Math.max(0, Math.min(width - 2, shareOf(curve, state) * width - 1)), 0, 2, height);
}

// The selected range, between the mark and the playhead.
export function drawRange({context, width, height}, curve, first, last, palette) {
  const left = Math.max(0, shareOf(curve, first)) * width, right = Math.min(1, shareOf(curve, last)) * width;
  context.fillStyle = palette.brush;
  if (right > left) context.fillRect(left, 0, right - left, height);
}

// The box that is being drawn, between two places in shares.
export function drawBox({context, width, height}, {from, to}, palette) {
  const [left, right] = [from.x, to.x].sort((one, other) => one - other), [top, bottom] = [from.y, to.y].sort((one, other) => one - other);
  const place = [left * width, top * height, (right - left) * width, (bottom - top) * height];
  context.fillStyle = palette.brush;
  context.fillRect(...place);
  context.strokeStyle = palette.ink;
  context.strokeRect(...place);
}

// The life of the pinned allocation, as a line at the bottom: of one that is too small for a pixel the only sign.
export function drawSpan({context, width, height}, curve, life, colour) {
  const left = Math.max(0, shareOf(curve, life.first)) * width, right = Math.min(1, shareOf(curve, life.last)) * width;
  context.fillStyle = colour;
  if (right > 0 && left < width) context.fillRect(left, height - 2, Math.max(2, right - left), 2);
}

// Writes words with an outline in the colour of the page, so wide that no line is seen between the letters.
function drawWords(context, words, x, y, colour, rim) {
  Object.assign(context, {lineWidth: 5, strokeStyle: rim, fillStyle: colour, lineJoin: 'round'});
  context.strokeText(words, x, y);
  context.fillText(words, x, y);
}

// Errors and earlier snapshots.
export function drawMarks({context, width, height}, curve, marks, palette) {
  context.font = FONT;
  for (const mark of marks) {
    if (mark.state < curve.first || mark.state > curve.last) continue;
    const x = shareOf(curve, mark.state) * width;
    context.fillStyle = mark.kind === 'oom' ? palette.oom : palette.dim;
    context.fillRect(x - 0.5, 0, 1, height);
    if (mark.kind !== 'oom') continue;
    const words = `out of memory: asked for ${formatBytes(mark.bytes)}`;
    drawWords(context, words, Math.min(x + 5, width - context.measureText(words).width - 6), 11, palette.oom, palette.page);
  }
}

// Annotations, those whose names have room.
export function drawSpans({context, width, height}, curve, spans, palette) {
  context.font = FONT;
  for (const span of spans) {
    const x = shareOf(curve, span.first) * width, end = shareOf(curve, span.last) * width;
    if (end < 0 || x > width || end - x < 3) continue;
    const y = height - 12 * (span.row + 1);
    context.fillStyle = palette.brush;
    context.fillRect(x, y, Math.max(1, end - x - 1), 11);
    if (end - x < 40) continue;
    context.save();
    context.beginPath();
    context.rect(Math.max(0, x), y, end - Math.max(0, x), 12);
    context.clip();
    context.fillStyle = palette.ink;
    context.fillText(span.name, Math.max(0, x) + 3, y + 9);
    context.restore();
  }
}

// Returns bytes in the unit of a smaller number, so that two ticks that are near each other differ: "4,102 MiB".
function bytesInUnitOf(size, bytes) {
  const power = Math.max(0, Math.min(UNITS.length - 1, Math.floor(Math.log2(size) / 10)));
  return `${formatCount(bytes / 1024 ** power)} ${UNITS[power]}`;
}

export function drawByteAxis({context, width, height}, curve, palette) {
  const {low, most} = curve;
  context.font = FONT;
  for (const tick of byteTicks(low, low + most, BYTE_TICKS)) {
    const y = Math.round(height - heightOf(curve, tick, height));
    context.fillStyle = palette.grid;
    context.fillRect(0, y, width, 1);
    if (y > 8) drawWords(context, low ? bytesInUnitOf(most / BYTE_TICKS, tick) : formatBytes(tick), 4, y + 4, palette.dim, palette.page);
  }
}

// The ends of the axis in its own unit: numbers of events, or microseconds since the first event.
const endsOf = ({axis, first, last, us}) => (axis === 'time' ? us : [first - 1, last - 1]);

export function drawRuler({context, width, height}, curve, palette) {
  const [begin, end] = endsOf(curve), words = curve.axis === 'time' ? formatDuration : formatCount;
  context.font = FONT;
  context.textAlign = 'center';
  for (const tick of decimalTicks(begin, end, width / TICK_WIDTH)) {
    const x = ((tick - begin) / (end - begin)) * width;
    context.fillStyle = palette.dim;
    context.fillRect(Math.round(x), height, 1, 4);
    if (x > 30 && x < width - 30) context.fillText(words(tick), x, height + RULER - 2);
  }
  context.textAlign = 'start';
}
