// What a box weighs, in a comparison on both sides -> its note, its colour and its lines in the tooltip, as describe.cpp
// writes them for the boxes of the file. `units` and `bytes` are widths; the blocks of two sides are told apart.
const AMOUNTS = isDiff ? ['units', 'bytes', 'before', 'after', 'beforeBlocks', 'afterBlocks'] : ['units', 'bytes', 'blocks'];
const LITTLE_CHANGE = 20;

function noWeight() {
  const weight = {};
  for (const key of AMOUNTS) weight[key] = 0;
  return weight;
}

function addWeight(sum, more, sign = 1) {
  for (const key of AMOUNTS) sum[key] += sign * more[key];
  return sum;
}

const weightOf = (box) => addWeight(noWeight(), {...box, units: box.width});
const isNothing = (weight) => weight.bytes <= 0 && weight.units <= 0;
const blocksOf = (weight) => (isDiff ? Math.max(weight.beforeBlocks, weight.afterBlocks) : weight.blocks);
const deltaText = (delta) => (delta ? (delta > 0 ? '+' : '−') + formatBytes(Math.abs(delta)) : '0 B');
// Some stacks came and as many bytes of others went.
const hasMoved = (weight) => weight.before === weight.after && weight.bytes > weight.before;

function noteOf(weight) {
  if (!isDiff) return formatBytes(weight.bytes);
  if (hasMoved(weight)) return '±0 B';
  return weight.before === weight.after ? formatBytes(weight.after) : deltaText(weight.after - weight.before);
}

function changePaint({before, after, bytes}) {
  if (before === after) return 'same';
  if (!before) return 'added';
  if (!after) return 'removed';
  const isLittle = Math.abs(after - before) < Math.floor(bytes / LITTLE_CHANGE);
  return (after > before ? 'grown' : 'shrunk') + (isLittle ? '-little' : '');
}

function changeText(weight) {
  const {before, after} = weight;
  const text = 'change: ' + deltaText(after - before);
  if (hasMoved(weight)) return text + ' net, but not the same stacks';
  if (before === after) return text;
  if (!before) return text + ', only after';
  if (!after) return text + ', only before';
  return `${text}, ${formatChange(Math.abs(after - before), before, 'before')}`;
}

function weightLines(box, shares) {
  if (!isDiff) return [exactBytes(box.bytes), ...shares, countOf(box.blocks, 'block')];
  return [`before: ${exactBytes(box.before)}, ${countOf(box.beforeBlocks, 'block')}`,
          `after: ${exactBytes(box.after)}, ${countOf(box.afterBlocks, 'block')}`,
          changeText(box), ...shares, 'width is the larger side of each stack'];
}
