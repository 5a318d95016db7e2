// A box -> its stack as text, for an issue or a message.
import {frameText} from '../core/frames.js';

export function stackText(box, weighing, isInverted) {
  const path = [];
  for (let above = box; above; above = above.parent) path.unshift(...above.steps);
  const levels = path.filter((step) => step.isGroup).map((step) => step.label.name);
  const rest = path.filter((step) => !step.isGroup);
  if (isInverted) rest.reverse();
  const lines = rest.map((step) => (step.isFrame ? frameText(step) : step.label.name || step.heading));
  const weight = weighing.linesOf(box, []);
  return [levels.join(' › '), ...lines, ...(weighing.isDiff ? weight.slice(0, 3) : [weight.join(', ')])].join('\n') + '\n';
}
