// The weight of a box, in a comparison on both sides -> its note, its colour and its lines in the tooltip, in the form
// of describe.cpp for the boxes of the file. `units` and `bytes` are widths; the blocks of two sides are counted
// separately.
import {countOf, exactBytes, exactFlops, formatBytes, formatChange, formatFlops} from '../core/numbers.js';
import {kindPaint, kindsLines} from './kinds.js';

const LITTLE_CHANGE = 20;

export const isNothing = (weight) => weight.bytes <= 0 && weight.units <= 0;
const deltaText = (delta) => (delta ? (delta > 0 ? '+' : '−') + formatBytes(Math.abs(delta)) : '0 B');
// Whether some stacks appeared and others with as many bytes disappeared.
const hasMoved = (weight) => weight.before === weight.after && weight.bytes > weight.before;

export function changePaint({before, after, bytes}) {
  if (before === after) return 'same';
  if (!before) return 'added';
  if (!after) return 'removed';
  const isLittle = Math.abs(after - before) < Math.floor(bytes / LITTLE_CHANGE);
  return (after > before ? 'grown' : 'shrunk') + (isLittle ? '-little' : '');
}

function changeText(weight) {
  const {before, after} = weight;
  const words = 'change: ' + deltaText(after - before);
  if (hasMoved(weight)) return words + ' net, but not the same stacks';
  if (before === after) return words;
  if (!before) return words + ', only after';
  if (!after) return words + ', only before';
  return `${words}, ${formatChange(Math.abs(after - before), before, 'the size before')}`;
}

// The meaning of the weights of one tree, by data-quantity: bytes of memory in blocks, or operations in calls.
const QUANTITIES = {
  memory: {format: formatBytes, exact: exactBytes, part: 'block'},
  work: {format: formatFlops, exact: exactFlops, part: 'call'},
};

// Returns the weighing of a picture of one snapshot, or of two. `kinds`: those in its boxes, and whether boxes are
// coloured by kind.
export class Weighing {
  constructor(isDiff, kinds = [], hasKindColours = false, quantity = 'memory') {
    Object.assign(this, {isDiff, kinds, hasKindColours}, QUANTITIES[quantity]);
    this.amounts = isDiff ? ['units', 'bytes', 'before', 'after', 'beforeBlocks', 'afterBlocks']
      : ['units', 'bytes', 'blocks', ...kinds.map(({key}) => key)];
  }

  nothing() {
    return Object.fromEntries(this.amounts.map((key) => [key, 0]));
  }

  add(sum, more, sign = 1) {
    for (const key of this.amounts) sum[key] += sign * (more[key] || 0);
    return sum;
  }

  of(box) {
    return this.add(this.nothing(), {...box, units: box.width});
  }

  blocksOf(weight) {
    return this.isDiff ? Math.max(weight.beforeBlocks, weight.afterBlocks) : weight.blocks;
  }

  noteOf(weight) {
    if (!this.isDiff) return this.format(weight.bytes);
    if (hasMoved(weight)) return '±0 B';
    return weight.before === weight.after ? formatBytes(weight.after) : deltaText(weight.after - weight.before);
  }

  // Returns the paint of a box of one snapshot: the colour of its code, or of its kind.
  paintOf(weight, paint) {
    if (this.hasKindColours) return kindPaint(this.kinds, weight, paint);
    return this.isDiff ? changePaint(weight) : paint;
  }

  // A box whose frames have a separate colour, not that of their code.
  paintsWhole() {
    return this.isDiff || this.hasKindColours;
  }

  linesOf(box, shares) {
    if (!this.isDiff) return [this.exact(box.bytes), ...shares, countOf(box.blocks, this.part), ...kindsLines(this.kinds, box)];
    return [`before: ${exactBytes(box.before)}, ${countOf(box.beforeBlocks, 'block')}`,
            `after: ${exactBytes(box.after)}, ${countOf(box.afterBlocks, 'block')}`,
            changeText(box), ...shares, 'width is the larger side of each stack'];
  }

  // Returns the number of lines after the first line of a title that give only the weight.
  linesOfPart(box) {
    return this.isDiff ? 4 : 3 + kindsLines(this.kinds, box).length;
  }
}
