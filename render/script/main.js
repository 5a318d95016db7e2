// Starts the picture: what clicks and switches do.
svg.classList.add('scripted');

function refresh() {
  showCrumbs();
  showStatus(searchStatus());
  saveState();
}

function zoomTo(box) {
  finishMoving();
  const before = view.zoom;
  view.zoom = box;
  hideTip();
  layOutFrom(before);
  refresh();
}

const NARROW = 80; // an opened run this narrow could not be read without zooming

function activate(box) {
  finishMoving();
  pinTip(false);
  const opens = box.run.length && !box.parts;
  if (opens) {
    openRun(box);
    runSearch(search.query);
  }
  zoomTo(!opens || box.span.width < NARROW ? box : view.zoom);
  if (view.focus) focusBox(box);
}

function toggle(key) {
  finishMoving();
  pinTip(false);
  hideTip();
  view[key] = !view[key];
  showTree();
  showSwitches();
  runSearch(search.query);
  layOut();
  refresh();
}

function onSearch() {
  runSearch(searchInput.value);
  showStatus(searchStatus());
  saveState();
}

function resetZoom() {
  finishMoving();
  boxes.forEach(closeRun);
  focusBox(null);
  hideTip();
  zoomTo(boxes[0]);
}

function reset() {
  for (const key of SWITCHES) view[key] = false;
  pinTip(false);
  showTree();
  showSwitches();
  resetZoom();
  clearSearch();
}

// The box under the pointer, and what of it: the box itself, or a frame of an opened run.
function boxAt(event) {
  const group = event.target.closest && event.target.closest('#graph > g');
  const box = group && (group.isDust ? dustAt(pagePoint(event)) : group.box);
  return box ? {box, holder: group.shownFrame || box} : null;
}

graph.setAttribute('tabindex', '0');
graph.setAttribute('role', 'tree');
graph.setAttribute('aria-label', 'graph: arrow keys walk from box to box, Enter zooms, ? lists all keys');
graph.addEventListener('focus', () => !view.focus && graph.matches(':focus-visible') && focusBox(view.zoom));
graph.addEventListener('click', (event) => {
  const found = boxAt(event);
  if (!found) return;
  if (!event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) return activate(found.box);
  pinTip(false);
  showTip(pagePoint(event), found.holder);
  pinTip(true);
});
graph.addEventListener('mousemove', (event) => {
  const found = boxAt(event);
  if (found && !moving) showTip(pagePoint(event), found.holder);
  else hideTip();
});
graph.addEventListener('mouseleave', hideTip);
crumbs.addEventListener('click', (event) => {
  if (event.target.hasAttribute('data-reset')) reset();
  else if (event.target.box) zoomTo(event.target.box);
});
for (const key in switchButtons) switchButtons[key].addEventListener('click', () => toggle(key));
listenToControls();
window.addEventListener('hashchange', () => {
  finishMoving();
  loadState();
  layOut();
  refresh();
});
loadState();
