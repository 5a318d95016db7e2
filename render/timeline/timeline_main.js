// Starts the picture: zoom and pan by wheel, pointer and keys, the detail, search, and the state that the URL's fragment
// keeps.
const LEAST_STATES = 8, CONTROLS_HEIGHT = 28;

const slider = html('input', {type: 'range', id: 'detail', 'aria-label': 'how many of the largest allocations are bands', min: 0, max: main.bands.length});
slider.value = main.bands.length;
const searchInput = html('input', {type: 'search', id: 'search', class: 'panel', 'aria-label': 'search bands and strips', placeholder: 'search ( / )'});
const detailText = html('label', {id: 'detail-text', for: 'detail'});
const status = html('span', {id: 'status', class: 'dim', role: 'status', 'aria-live': 'polite', title: 'keys: + − ← → 0 zoom and pan, / searches, Esc goes back'});
const toolbar = html('div', {id: 'toolbar', role: 'toolbar', 'aria-label': 'view'}, status, detailText, slider, searchInput);
const holder = controls.appendChild(make('foreignObject', {y: number(controls, 'data-y')}));
holder.append(toolbar);

// On a phone the controls take several lines.
sheet.layouts.controls = (section, room) => {
  holder.setAttribute('x', room.left);
  holder.setAttribute('width', room.width);
  const height = toolbar.offsetHeight;
  holder.setAttribute('height', height);
  return Math.max(0, height - CONTROLS_HEIGHT);
};

const panelOf = new Map(panels.map((panel) => [panel.element, panel]));
sheet.layouts.chart = (section, room) => {
  const panel = panelOf.get(section.element.querySelector('.chart'));
  const left = room.left + panel.left;
  panel.element.setAttribute('transform', `translate(${left} ${panel.y})`);
  const width = room.left + room.width - left;
  if (width === panel.width) return 0;
  panel.width = width;
  drawPanel(panel);
  return 0;
};

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

// Charts that share an axis show the same part of it.
function setView(panel, begin, end) {
  const length = Math.min(panel.end - panel.begin, Math.max((panel.end - panel.begin) / 1e6, panel.isTime ? 1 : LEAST_STATES, end - begin));
  const first = Math.min(Math.max(begin, panel.begin), panel.end - length);
  for (const one of panels) {
    if (one !== panel && (one.axisWords !== panel.axisWords || one.begin !== panel.begin || one.end !== panel.end)) continue;
    one.view = {begin: first, end: first + length};
    redraw(one);
  }
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

const clearButton = html('button', {class: 'crumb', type: 'button'}, 'clear');

function showStatus(words) {
  status.replaceChildren(words || (sheet.isPhone() ? 'tap for the stack, drag to pan' : 'point: stack, click: pin it, wheel: zoom, drag: pan'));
  if (words) status.append('  ', clearButton);
}

function showDetail() {
  detailText.textContent = countOf(main.detail, 'band');
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

function searchFor(words) {
  searchInput.value = words;
  search(words);
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
  setFragment(state.toString());
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

// What a strip holds where the pointer is.
function stripWords(panel, strip, event) {
  const slice = lastBefore(panel.at, Math.floor(atIn(panel, event)));
  const [name, , ...more] = strip.title.split('\n');
  const state = panel.states[slice];
  const where = state ? `after event ${formatCount(state - 1)}` : 'before the first event';
  return [name, `${formatBytes(strip.bytes[slice])} ${where}`, ...more].join('\n');
}

for (const panel of panels) {
  const bandOf = new Map(panel.bands.map((band) => [band.element, band]));
  const stripOf = new Map(panel.strips.map((strip) => [strip.element, strip]));
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
    const band = bandOf.get(event.target), strip = stripOf.get(event.target);
    const around = event.target.closest('.flag, .lane > g') || event.target;
    const words = strip ? stripWords(panel, strip, event) : around.words || around.title_;
    if (band) showTip(event, band, band.title, band.stack);
    else if (words) showTip(event, words, words);
    else hideTip();
  });
  panel.element.addEventListener('pointerleave', () => { hideTip(); drag = null; });
  panel.element.addEventListener('click', (event) => {
    const wasDrag = drag && drag.moved;
    drag = null;
    if (wasDrag) return;
    const band = bandOf.get(event.target) || null, strip = stripOf.get(event.target);
    if (strip) searchFor(strip.name);
    else choose(band === chosen.band ? null : band, panel);
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
clearButton.addEventListener('click', reset);
// A line of the list leads to its bands.
svg.addEventListener('click', (event) => {
  const row = event.target.closest('.row');
  if (!row) return;
  searchFor(text(row, 'data-find'));
});
window.addEventListener('hashchange', loadState);
loadState();
