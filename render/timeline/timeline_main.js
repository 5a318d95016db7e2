// Starts the picture: zoom and pan by wheel, pointer and keys, the detail, search, and the state that the URL's fragment
// keeps.
svg.classList.add('scripted');
const XHTML = 'http://www.w3.org/1999/xhtml';
const LEAST_STATES = 8, CONTROLS_WIDTH = 470;

const holder = make('foreignObject', {
  x: number(controls, 'data-right') - CONTROLS_WIDTH, y: number(controls, 'data-y'), width: CONTROLS_WIDTH, height: 28});
const field = (type, id, label) => {
  const input = document.createElementNS(XHTML, 'input');
  input.type = type;
  input.id = id;
  input.setAttribute('aria-label', label);
  return input;
};
const slider = field('range', 'detail', 'how many of the largest allocations are bands');
slider.min = 0;
slider.max = main.bands.length;
slider.value = main.bands.length;
const searchInput = field('search', 'search', 'search bands');
searchInput.placeholder = 'search ( / )';
searchInput.className = 'panel';
const detailText = document.createElementNS(XHTML, 'label');
detailText.id = 'detail-text';
const bar = document.createElementNS(XHTML, 'div');
bar.id = 'bar';
bar.append(detailText, slider, searchInput);
holder.append(bar);
const status = make('text', {class: 'small', x: number(controls, 'data-x'), y: number(controls, 'data-y') + 17, 'aria-live': 'polite'});
controls.append(status, holder);
for (const span of svg.querySelectorAll('.lane > g')) span.title_ = takeTitle(span);
for (const element of svg.querySelectorAll('.chart path, .flag')) element.words = takeTitle(element);

let waiting = false;
const stale = new Set();
// At most once a frame, however fast the wheel turns.
function redraw(panel) {
  stale.add(panel);
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    stale.forEach(drawPanel);
    stale.clear();
    saveState();
  });
}

function setView(panel, begin, end) {
  const length = Math.min(panel.end - panel.begin, Math.max((panel.end - panel.begin) / 1e6, panel.isTime ? 1 : LEAST_STATES, end - begin));
  const first = Math.min(Math.max(begin, panel.begin), panel.end - length);
  panel.view = {begin: first, end: first + length};
  redraw(panel);
}

// `at`: the position on the axis that stays where it is.
function zoom(panel, factor, at) {
  const {begin, end} = panel.view;
  setView(panel, at - (at - begin) * factor, at + (end - at) * factor);
}

function pan(panel, share) {
  const step = (panel.view.end - panel.view.begin) * share;
  setView(panel, panel.view.begin + step, panel.view.end + step);
}

const middle = (panel) => (panel.view.begin + panel.view.end) / 2;

function showStatus(words) {
  status.replaceChildren();
  if (words) status.append(make('tspan', {}, words), make('tspan', {class: 'button', 'data-clear': '1'}, '  clear'));
  else status.append(make('tspan', {class: 'muted'}, 'hover for the stack, click to pin it; wheel, drag, + − ← → 0 to zoom and pan; / to search'));
}

function showDetail() {
  detailText.textContent = `${formatCount(main.detail)} bands`;
}

function choose(band, panel) {
  chosen.band = band;
  chosen.panel = panel;
  if (band) chosen.query = searchInput.value = '';
  showStatus(highlight());
  saveState();
}

function search(query) {
  chosen.query = query.toLowerCase();
  chosen.band = null;
  showStatus(highlight());
  saveState();
}

function setDetail(count) {
  const share = main.bands.length ? count / main.bands.length : 1;
  for (const panel of panels) {
    panel.detail = panel === main ? count : Math.round(panel.bands.length * share);
    redraw(panel);
  }
  showDetail();
}

function reset() {
  searchInput.value = '';
  searchInput.blur();
  search('');
  hideTip();
}

function saveState() {
  const state = new URLSearchParams();
  panels.forEach((panel, i) => {
    if (panel.view.begin !== panel.begin || panel.view.end !== panel.end)
      state.set('x' + i, [panel.view.begin, panel.view.end].map((at) => +at.toFixed(2)).join('_'));
  });
  if (main.detail !== main.bands.length) state.set('bands', main.detail);
  if (chosen.query) state.set('search', chosen.query);
  if (chosen.band) state.set('pin', panels.indexOf(chosen.panel) + '_' + chosen.band.index);
  const fragment = state.toString();
  if (fragment === location.hash.slice(1)) return;
  try {
    history.replaceState(null, '', fragment ? '#' + fragment : location.pathname + location.search);
  } catch (error) {
    // Some browsers forbid it for files; the picture works without.
  }
}

function loadState() {
  const state = new URLSearchParams(location.hash.slice(1));
  panels.forEach((panel, i) => {
    const [begin, end] = (state.get('x' + i) || '').split('_').map(Number);
    if (end > begin) setView(panel, begin, end);
    else panel.view = {begin: panel.begin, end: panel.end};
  });
  const bands = state.has('bands') ? Number(state.get('bands')) : NaN;
  main.detail = bands >= 0 && bands <= main.bands.length ? Math.floor(bands) : main.bands.length;
  slider.value = main.detail;
  const [panel, index] = (state.get('pin') || '').split('_').map(Number);
  chosen.panel = panels[panel] || null;
  chosen.band = (chosen.panel && chosen.panel.bands[index]) || null;
  searchInput.value = state.get('search') || '';
  chosen.query = searchInput.value.toLowerCase();
  showStatus(highlight());
  setDetail(main.detail);
}

const xIn = (panel, event) => {
  const matrix = panel.element.getScreenCTM();
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()).x;
};
const atIn = (panel, event) => panel.view.begin + (xIn(panel, event) / panel.width) * (panel.view.end - panel.view.begin);
const KEPT_CLICK = 4; // pixels: a pointer that moved less has clicked

for (const panel of panels) {
  const bandOf = new Map(panel.bands.map((band) => [band.element, band]));
  let drag = null;
  panel.element.addEventListener('wheel', (event) => {
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) pan(panel, (event.deltaX || event.deltaY) / panel.width);
    else zoom(panel, Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), atIn(panel, event));
  }, {passive: false});
  panel.element.addEventListener('pointerdown', (event) => {
    if (event.button === 0) drag = {x: xIn(panel, event), view: panel.view, moved: false};
  });
  panel.element.addEventListener('pointermove', (event) => {
    if (drag && event.buttons & 1) {
      const moved = xIn(panel, event) - drag.x;
      drag.moved = drag.moved || Math.abs(moved) > KEPT_CLICK;
      const step = (moved / panel.width) * (drag.view.end - drag.view.begin);
      if (drag.moved) setView(panel, drag.view.begin - step, drag.view.end - step);
      hideTip();
      return;
    }
    const band = bandOf.get(event.target);
    const around = event.target.closest('.flag, .lane > g') || event.target;
    if (band) showTip(event, band, band.title, band.stack);
    else if (around.words || around.title_) showTip(event, around, around.words || around.title_);
    else hideTip();
  });
  panel.element.addEventListener('pointerleave', () => { hideTip(); drag = null; });
  panel.element.addEventListener('click', (event) => {
    const wasDrag = drag && drag.moved;
    drag = null;
    if (wasDrag) return;
    const band = bandOf.get(event.target) || null;
    choose(band === chosen.band ? null : band, panel);
  });
  panel.element.addEventListener('dblclick', () => setView(panel, panel.begin, panel.end));
}

const KEYS = {
  '+': (panel) => zoom(panel, 0.5, middle(panel)),
  '=': (panel) => zoom(panel, 0.5, middle(panel)),
  '-': (panel) => zoom(panel, 2, middle(panel)),
  ArrowLeft: (panel) => pan(panel, -0.25),
  ArrowRight: (panel) => pan(panel, 0.25),
  0: (panel) => setView(panel, panel.begin, panel.end),
};
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') reset();
  else if (event.target === searchInput || event.target === slider) return;
  else if (event.key === '/') searchInput.focus();
  else if (KEYS[event.key]) KEYS[event.key](main);
  else return;
  event.preventDefault();
});
slider.addEventListener('input', () => setDetail(Number(slider.value)));
searchInput.addEventListener('input', () => search(searchInput.value));
status.addEventListener('click', (event) => { if (event.target.hasAttribute('data-clear')) reset(); });
// A line of the list leads to its bands.
svg.addEventListener('click', (event) => {
  const row = event.target.closest('.row');
  if (!row) return;
  searchInput.value = text(row, 'data-find');
  search(searchInput.value);
});
window.addEventListener('hashchange', loadState);
loadState();
