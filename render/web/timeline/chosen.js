// A pinned part or a typed query -> the parts of a chart, and how much they hold together.
import {countOf, formatBytes, formatCount} from '../core/numbers.js';

// `chosen`: {query, band}, at most one of which is set.
export const isChosen = (part, chosen) =>
  chosen.query ? part.haystack.includes(chosen.query) : chosen.band !== null && part.stackId === chosen.band.stackId;

// Returns the most bytes that some parts of a panel hold together, and the slice.
export function mostTogether(panel, bands, strips) {
  const changes = new Array(panel.states.length + 1).fill(0);
  for (const band of bands) {
    changes[band.first] += band.bytes;
    changes[band.last] -= band.bytes;
  }
  let banded = 0, most = 0, slice = 0;
  for (let i = 0; i < panel.states.length; ++i) {
    banded += changes[i];
    const bytes = strips.reduce((sum, strip) => sum + strip.bytes[i], banded);
    if (bytes > most) [most, slice] = [bytes, i];
  }
  return {bytes: most, state: panel.states[slice]};
}

// Returns the words of the controls; `counts`: the number of each noun.
export function chosenWords({query}, counts, most) {
  const found = Object.entries(counts).filter(([, count]) => count).map(([noun, count]) => countOf(count, noun));
  if (!found.length) return 'no match';
  const what = query ? 'match' : 'of this stack';
  return `${found.join(' and ')} ${what}, at most ${formatBytes(most.bytes)} together` +
    (most.state ? `, at event ${formatCount(most.state - 1)}` : '');
}
