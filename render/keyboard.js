// Keys -> moves along the tree of boxes.
function focusBox(box) {
  for (const element of graph.querySelectorAll('.focused')) element.classList.remove('focused');
  view.focus = box;
  if (!box) return;
  const element = box.parts ? box.parts[0].element : box.element;
  element.classList.add('focused');
  element.setAttribute('tabindex', '-1');
  element.setAttribute('aria-label', box.title);
  element.focus({preventScroll: false});
}

function neighbour(box, step) {
  const level = box.parent ? box.parent.children.filter((child) => child.span) : [box];
  return level[level.indexOf(box) + step] || box;
}

const below_ = (box) => box.children.find((child) => child.span) || box;

function moved(box, key) {
  const inward = geometry.upward ? 'ArrowUp' : 'ArrowDown';
  const outward = geometry.upward ? 'ArrowDown' : 'ArrowUp';
  if (key === inward) return below_(box);
  if (key === outward) return box.parent || box;
  if (key === 'ArrowLeft') return neighbour(box, -1);
  if (key === 'ArrowRight') return neighbour(box, 1);
  return null;
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inInput = event.target === searchInput;
  if (event.key === 'Escape') reset();
  else if (inInput && event.key === 'Enter') nextMatch(event.shiftKey ? -1 : 1);
  else if (inInput) return;
  else if (event.key === '/') searchInput.focus();
  else if (event.key === 'n' || event.key === 'N') nextMatch(event.key === 'n' ? 1 : -1);
  else if (event.key === 'Enter' && view.focus) activate(view.focus);
  else {
    const target = moved(view.focus || view.zoom, event.key);
    if (!target) return;
    focusBox(target);
  }
  event.preventDefault();
}
