// The part of a segment in view -> a narrower or a wider part. A range is {cell, begin, end}, in bytes.
import {limit} from './layout.js';

const ZOOM_STEP = 8, LEAST_RANGE = 512;

export const wholeCell = (cell) => ({cell, begin: 0, end: cell.bytes});
export const isWhole = ({cell, begin, end}) => begin === 0 && end === cell.bytes;

function rangeAround(cell, middle, bytes) {
  const begin = limit(middle - bytes / 2, 0, cell.bytes - bytes);
  return {cell, begin, end: begin + bytes};
}

// Zooms into the segment, then closer to the piece, which keeps its neighbours. Returns null if no closer view is
// possible.
export function rangeCloserTo(piece, range) {
  const {cell} = piece;
  if (!range || range.cell !== cell) return wholeCell(cell);
  const shown = range.end - range.begin;
  const wanted = Math.max(shown / ZOOM_STEP, Math.min(piece.bytes * 1.5, shown), Math.min(LEAST_RANGE, cell.bytes));
  return wanted > shown * 0.9 ? null : rangeAround(cell, piece.begin + piece.bytes / 2, wanted);
}

// Returns a wider range; null, the whole picture, for a whole segment.
export function widerRange(range) {
  if (!range || isWhole(range)) return null;
  const {cell, begin, end} = range;
  return rangeAround(cell, (begin + end) / 2, Math.min(cell.bytes, (end - begin) * ZOOM_STEP));
}

// Reads a range from the fragment of a URL, which may contain anything: null if it is not a segment.
export function readRange(words, cells) {
  const [index, begin, end] = words.split('.').map(Number);
  const cell = words && Number.isInteger(index) ? cells[index] : undefined;
  if (!cell) return null;
  return begin >= 0 && begin < end && end <= cell.bytes ? {cell, begin, end} : wholeCell(cell);
}

export const rangeWords = ({cell, begin, end}) => [cell.index, Math.floor(begin), Math.ceil(end)].join('.');

// Returns the piece that an arrow key leads to; null for other keys.
export function pieceTowards({cell, index}, key, cells) {
  const nextCell = (step) => cells[limit(cell.index + step, 0, cells.length - 1)];
  if (key === 'ArrowRight') return cell.pieces[index + 1] || nextCell(1).pieces[0];
  if (key === 'ArrowLeft') return cell.pieces[index - 1] || (cell.index ? nextCell(-1).pieces.at(-1) : cell.pieces[index]);
  if (key === 'ArrowDown') return nextCell(1).pieces[0];
  if (key === 'ArrowUp') return nextCell(-1).pieces[0];
  return null;
}
