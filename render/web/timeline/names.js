// The names of bands that fit in them, and the steps of an axis.
import {COLUMN_WIDTH, fitLineLabel} from '../core/text.js';

// "forward" of "forward model.py:41"; `place`: the end of it, "model.py:41", or "".
export const functionOf = (words, place) => (place ? words.slice(0, -place.length - 1) : words);

// Returns as much of "forward model.py:41" as fits.
export const fitName = (words, place, note, width) =>
  fitLineLabel({name: functionOf(words, place), place, note, brief: ''}, Math.floor((width - 8) / COLUMN_WIDTH));

// Returns 1, 2 or 5 times a power of ten, so that at most nine steps are in the range.
export function decimalStep(range) {
  let step = 1;
  for (let i = 0; range / step > 9; ++i) step *= i % 3 === 1 ? 2.5 : 2;
  return step;
}
