// Starts the picture: controls, events, and the state that the URL's fragment keeps.
svg.classList.add('scripted');
const INPUT_WIDTH = 240;
const searchHolder = make('foreignObject', {
  x: geometry.left + geometry.width - INPUT_WIDTH, y: number(controls, 'data-y'), width: INPUT_WIDTH, height: 26});
const searchInput = document.createElementNS('http://www.w3.org/1999/xhtml', 'input');
searchInput.id = 'search';
searchInput.type = 'search';
searchInput.placeholder = 'search ( / )';
searchInput.setAttribute('aria-label', 'search boxes');
const modeButton = document.createElementNS('http://www.w3.org/1999/xhtml', 'button');
modeButton.id = 'mode';
searchHolder.append(searchInput, modeButton);
const line = number(controls, 'data-y') + 16;
const crumbs = make('text', {class: 'mono-small', x: geometry.left, y: line});
const status = make('text', {class: 'small end', x: geometry.left + geometry.width - INPUT_WIDTH - 12, y: line});
status.setAttribute('aria-live', 'polite');
controls.append(crumbs, status, searchHolder);

function showMode() {
  modeButton.textContent = search.plain ? 'text' : '.*';
  modeButton.title = search.plain ? 'plain text: click for regular expressions' : 'regular expression: click for plain text';
  modeButton.setAttribute('aria-label', modeButton.title);
}

function showCrumbs() {
  const path = [];
  for (let box = view.zoom; box; box = box.parent) path.unshift(box);
  crumbs.replaceChildren();
  if (path.length === 1 && !boxes.some((box) => box.parts)) {
    crumbs.append(make('tspan', {class: 'muted'}, 'click a box to zoom, arrows to walk, / to search'));
    return;
  }
  crumbs.append(make('tspan', {class: 'button', 'data-reset': '1'}, 'reset'));
  let room = 80;
  const shown = [];
  while (path.length && room > 12) {
    const box = path.pop();
    const label = fitLabel({name: box.label.name, place: '', note: ''}, Math.min(30, room));
    room -= columnsOf(label) + 3;
    shown.unshift({box, label});
  }
  if (path.length) crumbs.append(make('tspan', {class: 'muted'}, '  …'));
  for (const {box, label} of shown) {
    crumbs.append(make('tspan', {class: 'muted'}, shown[0].box === box && !path.length ? '  ' : ' › '));
    const crumb = make('tspan', {class: 'button'}, label);
    crumb.box = box;
    crumbs.append(crumb);
  }
}

function saveState() {
  const state = new URLSearchParams();
  if (view.zoom !== root) state.set('zoom', view.zoom.index);
  const opened = boxes.filter((box) => box.parts).map((box) => box.index);
  if (opened.length) state.set('open', opened.join('.'));
  if (search.query) state.set(search.plain ? 'plain' : 'search', search.query);
  const fragment = state.toString();
  try {
    history.replaceState(null, '', fragment ? '#' + fragment : location.pathname + location.search);
  } catch (error) {
    // Some browsers forbid it for files; the picture works without.
  }
}

function loadState() {
  const state = new URLSearchParams(location.hash.slice(1));
  for (const index of (state.get('open') || '').split('.')) if (index && boxes[index]) openRun(boxes[index]);
  view.zoom = boxes[Number(state.get('zoom'))] || root;
  search.plain = state.has('plain');
  searchInput.value = state.get('plain') || state.get('search') || '';
  showMode();
  runSearch(searchInput.value);
}

function refresh() {
  layOut();
  showCrumbs();
  status.textContent = searchStatus();
  saveState();
}

function zoomTo(box) {
  view.zoom = box;
  refresh();
}

const NARROW = 80; // an opened run this narrow could not be read without zooming

function activate(box) {
  hideTip();
  const opens = box.run.length && !box.parts;
  if (opens) openRun(box);
  if (!opens || box.span.width < NARROW) view.zoom = box;
  runSearch(search.query);
  refresh();
  if (view.focus) focusBox(box);
}

function nextMatch(step) {
  if (!search.matches.length) return;
  search.current = (search.current + step + search.matches.length) % search.matches.length;
  const box = search.matches[search.current];
  if (!box.span) zoomTo(root);
  focusBox(box);
}

function reset() {
  for (const box of boxes) closeRun(box);
  view.zoom = root;
  searchInput.value = '';
  searchInput.blur();
  focusBox(null);
  hideTip();
  runSearch('');
  refresh();
}

function boxAt(event) {
  const group = event.target.closest && event.target.closest('#graph > g');
  return group && group.box ? group : null;
}

graph.setAttribute('tabindex', '0');
graph.setAttribute('aria-label', 'graph: arrow keys walk from box to box, Enter zooms');
graph.addEventListener('click', (event) => {
  const group = boxAt(event);
  if (group) activate(group.box);
});
graph.addEventListener('mousemove', (event) => {
  const group = boxAt(event);
  if (group) showTip(event, group.shownFrame || group.box);
  else hideTip();
});
graph.addEventListener('mouseleave', hideTip);
crumbs.addEventListener('click', (event) => {
  if (event.target.hasAttribute('data-reset')) reset();
  else if (event.target.box) zoomTo(event.target.box);
});
function onSearch() {
  runSearch(searchInput.value);
  status.textContent = searchStatus();
  saveState();
}
searchInput.addEventListener('input', onSearch);
modeButton.addEventListener('click', () => {
  search.plain = !search.plain;
  showMode();
  onSearch();
});
// A line of a list leads to its boxes.
below.addEventListener('click', (event) => {
  const row = event.target.closest('.row');
  if (!row) return;
  search.plain = true;
  searchInput.value = text(row, 'data-find');
  showMode();
  onSearch();
  nextMatch(1);
});
document.addEventListener('keydown', onKey);
window.addEventListener('hashchange', () => {
  for (const box of boxes) closeRun(box);
  loadState();
  refresh();
});
loadState();
refresh();
