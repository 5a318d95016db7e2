// Keys -> moves along the tree of boxes, and switches.
function describeForReaders(box, element) {
  element.setAttribute('tabindex', '-1');
  element.setAttribute('role', 'treeitem');
  element.setAttribute('aria-level', box.level + 1);
  element.setAttribute('aria-label', titleOf(box).split('\n').slice(0, 6).join(', '));
}

function focusBox(box) {
  for (const element of graph.querySelectorAll('.focused')) element.classList.remove('focused');
  const {focus} = view;
  view.focus = box;
  // Whoever has the focus is drawn, however narrow.
  if ((box && box.isDust) || (focus && focus.span && isNarrow(focus))) layOut();
  if (!box) return;
  const element = box.parts ? box.parts[0].element : elementOf(box);
  element.classList.add('focused');
  describeForReaders(box, element);
  element.focus({preventScroll: false});
  showTipAt(box);
}

function neighbour(box, step) {
  const level = box.parent ? box.parent.children.filter((child) => child.span) : [box];
  return level[level.indexOf(box) + step] || box;
}

const firstBelow = (box) => box.children.find((child) => child.span) || box;

function moved(box, key) {
  const inward = geometry.upward ? 'ArrowUp' : 'ArrowDown';
  const outward = geometry.upward ? 'ArrowDown' : 'ArrowUp';
  if (key === inward) return firstBelow(box);
  if (key === outward) return box.parent || box;
  if (key === 'ArrowLeft') return neighbour(box, -1);
  if (key === 'ArrowRight') return neighbour(box, 1);
  return null;
}

const keyActions = {
  '/': () => searchInput.focus(),
  'n': () => nextMatch(1),
  'N': () => nextMatch(-1),
  'p': () => pinTip(!tipState.isPinned),
  'c': copyStack,
  'i': () => toggle('invert'),
  'r': () => toggle('collapse'),
  'h': () => toggle('hide'),
  '0': reset,
  '?': showHelp,
  'Backspace': () => zoomTo(view.zoom.parent || view.zoom),
};

// One layer a press: what was opened last goes first.
function goBack() {
  if (dialog) return closeDialog();
  if (tipState.isPinned) return pinTip(false);
  if (search.query || document.activeElement === searchInput) return clearSearch();
  if (!isReset() || view.focus) return resetZoom();
  reset();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const tag = event.target.localName;
  const isOnButton = tag === 'button' && (event.key === 'Enter' || event.key === ' ');
  if (event.key === 'Escape') goBack();
  else if (dialog || isOnButton || event.key === 'Tab') return;
  else if (event.target === searchInput && event.key === 'Enter') nextMatch(event.shiftKey ? -1 : 1);
  else if (event.target === searchInput) return;
  else if (event.key === 'Enter' && event.target.closest('.row')) findRow(event.target.closest('.row'));
  else if (event.key === 'Enter' && view.focus) activate(view.focus);
  else if (keyActions[event.key]) keyActions[event.key]();
  else {
    finishMoving();
    const target = moved(view.focus || view.zoom, event.key);
    if (!target) return;
    focusBox(view.focus ? target : view.zoom);
  }
  event.preventDefault();
}
