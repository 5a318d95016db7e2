import {countOf, formatPercent} from '../core/numbers.js';

// Returns the text of a box's tooltip, in the form of describe.cpp for the boxes of the file.
export function titleOf(box, root, weighing) {
  if (box.title !== undefined) return box.title;
  const lines = [box.run.length ? `${countOf(box.run.length, 'frame')} without a branch`
    : box.steps[0].isSmaller ? box.label.name + ' too narrow to draw here' : box.steps[0].heading];
  const shares = box.parent
    ? [`${formatPercent(box.bytes, root.bytes)} of all, ${formatPercent(box.bytes, box.parent.bytes)} of the box above`] : [];
  lines.push(...weighing.linesOf(box, shares));
  if (box.isSqueezed) lines.push('drawn narrower than it is, to leave room for what is in use');
  for (const step of box.run) lines.push(step.label.name + ' ' + step.label.place);
  box.title = lines.join('\n');
  return box.title;
}
