// A box -> its stack as text, for an issue or a message.
function stackText(box) {
  const path = [];
  for (let above = box; above; above = above.parent) path.unshift(...above.steps);
  const levels = path.filter((step) => step.isGroup).map((step) => step.label.name);
  const rest = path.filter((step) => !step.isGroup);
  if (view.invert) rest.reverse();
  const lines = rest.map((step) => (step.isFrame ? step.heading.replace('\n', '  ') : step.label.name || step.heading));
  const weight = isDiff ? weightLines(box, []).slice(0, 3) : [weightLines(box, []).join(', ')];
  return [levels.join(' › '), ...lines, ...weight].join('\n') + '\n';
}

function copyStack() {
  const box = (tipState.holder && tipState.holder.steps && tipState.holder) || view.focus || view.zoom;
  return copyText(stackText(box), box.label.name);
}
