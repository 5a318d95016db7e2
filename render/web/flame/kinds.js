// The kinds of memory in boxes, in the words of describe.cpp, with their colours if colours mean kinds. Each kind and
// evidence is a separate amount: k0, k1, ...
import {number, text} from '../core/attributes.js';
import {formatBytes} from '../core/numbers.js';

const SHARES_A_LINE = 3, SEVERAL = 'kind-several', UNKNOWN = 'unknown';

// Reads the kinds of a graph: "activation,by behaviour,kind-activation;..."
export const readKinds = (graph) => text(graph, 'data-kinds').split(';').filter(Boolean).map((words, index) => {
  const [name, evidence, paint] = words.split(',');
  return {key: 'k' + index, name, evidence, paint};
});

// Reads the kinds of a box: "0:4096 2:512", or "0" if all of it is of one.
export function kindsOf(element) {
  const amounts = {};
  for (const word of text(element, 'data-kinds').split(' ').filter(Boolean)) {
    const [index, bytes] = word.split(':');
    amounts['k' + index] = bytes === undefined ? number(element, 'data-bytes') : Number(bytes);
  }
  return amounts;
}

// Returns the lines of a tooltip; none if no kind is known.
export function kindsLines(kinds, weight) {
  const held = kinds.filter(({key}) => weight[key] > 0).sort((a, b) => weight[b.key] - weight[a.key]);
  if (held.every(({name}) => name === UNKNOWN)) return [];
  if (held.length === 1) return [`kind: ${held[0].name}, ${held[0].evidence}`];
  const words = held.map(({key, name, evidence}) => `${name} ${formatBytes(weight[key])} ${evidence}`.trim());
  const text = words.reduce((all, word, i) => all + (i % SHARES_A_LINE ? ', ' : ',\n') + word);
  return ('kinds: ' + text).split('\n');
}

// Returns the colour of 90 % or more; `paint` for memory without a kind, and for boxes that merge it with other memory.
export function kindPaint(kinds, weight, paint) {
  const byPaint = new Map();
  let sum = 0;
  for (const kind of kinds) {
    sum += weight[kind.key];
    byPaint.set(kind.paint, (byPaint.get(kind.paint) || 0) + weight[kind.key]);
  }
  if (!sum || sum !== weight.bytes) return paint;
  const main = [...byPaint].find(([, bytes]) => weight.bytes - bytes <= Math.floor(weight.bytes / 10));
  return main ? main[0] : SEVERAL;
}
