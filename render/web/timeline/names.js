// The names of bands that fit in them, and the steps of an axis.
import {COLUMN_WIDTH, columnsOf, fitLabel} from '../core/text.js';

// Returns as much of "forward model.py:41" as fits: all of it, else the place after the last blank, else the line
// number.
export function fitName(words, note, width) {
  const columns = Math.floor((width - 8) / COLUMN_WIDTH);
  const blank = words.startsWith('<') ? -1 : words.lastIndexOf(' ');
  const place = blank < 0 ? '' : words.slice(blank + 1);
  if (!place || columnsOf(words) <= columns) return fitLabel({name: place ? words.slice(0, blank) : words, place, note, brief: ''}, columns);
  return fitLabel({name: place, place: '', note: '', brief: place.includes(':') ? place.slice(place.lastIndexOf(':')) : ''}, columns);
}

// Returns 1, 2 or 5 times a power of ten, so that at most nine steps are in the range.
export function decimalStep(range) {
  let step = 1;
  for (let i = 0; range / step > 9; ++i) step *= i % 3 === 1 ? 2.5 : 2;
  return step;
}
