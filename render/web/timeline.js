// Starts a timeline: zoom and pan by wheel, pointer and keys, the detail, search, and the view in the URL's fragment.
import {setAttributes, takeTitle} from './core/attributes.js';
import {html, svg} from './core/dom.js';
import './core/flows.js';
import {readFragment, setFragment} from './core/fragment.js';
import {listenToPage, sayAllocation} from './core/link.js';
import {countOf, formatBytes, formatCount} from './core/numbers.js';
import {isPhone, layouts, startSheet} from './core/sheet.js';
import {hideTip, pagePoint, showTip} from './core/tip.js';
import {crumb, hasModifier, listenToRows, searchInput, status, toolbar} from './core/toolbar.js';
import {drawPanel} from './timeline/draw.js';
import {lastBefore} from './timeline/layout.js';
import {chosen, highlight, main, panels} from './timeline/picture.js';
import {middleOf, moved, sharesAxis, viewOf, zoomed} from './timeline/views.js';

const slider = html('input', {type: 'range', id: 'detail', 'aria-label': 'how many of the largest allocations are bands', min: 0, max: main.bands.length});
slider.value = main.bands.length;
const detailText = html('label', {id: 'detail-text', for: 'detail'});
const clearButton = crumb('clear');
setAttributes(searchInput, {'aria-label': 'search bands and strips', placeholder: 'search ( / )'});
status.setAttribute('title', 'keys: + − ← → 0 zoom and pan, / searches, Esc goes back');
toolbar.append(status, detailText, slider, searchInput);

const panelOf = new Map(panels.map((panel) => [panel.element, panel]));
layouts.chart = (section, room) => {
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

let isWaiting = false;
const stale = new Set();
// Draws at most once per frame, however fast the wheel turns.
function redraw(panel) {
  stale.add(panel);
  if (isWaiting) return;
  isWaiting = true;
  requestAnimationFrame(() => {
    isWaiting = false;
    stale.forEach(drawPanel);
    stale.clear();
    saveState();
  });
}

function setView(panel, {begin, end}) {
  const view = viewOf(panel, begin, end);
  for (const one of panels) {
    if (!sharesAxis(one, panel)) continue;
    one.view = {...view};
    redraw(one);
  }
}

const zoom = (panel, factor, at) => setView(panel, zoomed(panel.view, factor, at));
const pan = (panel, share) => setView(panel, moved(panel.view, share));

function showStatus(words) {
  status.replaceChildren(words || (isPhone() ? 'tap for the stack, drag to pan' : 'point: stack, click: pin it, wheel: zoom, drag: pan'));
  if (words) status.append('  ', clearButton);
}

function choose(band, panel) {
  chosen.band = band;
  chosen.panel = panel;
  if (band) chosen.query = searchInput.value = '';
  const [name] = (band && band.title.match(/\bb[0-9a-f]+_\d+/)) || [];
  if (name) sayAllocation(name);
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
  detailText.textContent = countOf(main.detail, 'band');
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
  setFragment(state);
}

function loadState() {
  const state = readFragment();
  panels.forEach((panel, i) => {
    const [begin, end] = (state.get('x' + i) || '').split('_').map(Number);
    if (end > begin) setView(panel, {begin, end});
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

// Returns what a strip holds at the pointer.
function stripWords(panel, strip, event) {
  const slice = lastBefore(panel.at, Math.floor(atIn(panel, event)));
  const [name, , ...more] = strip.title.split('\n');
  const state = panel.states[slice];
  const where = state ? `after event ${formatCount(state - 1)}` : 'before the first event';
  return [name, `${formatBytes(strip.bytes[slice])} ${where}`, ...more].join('\n');
}

const bandTitle = ({title, stack}) => (stack.length ? [title, '', ...stack].join('\n') : title);

// Next to the pointer: what a band, a strip or a mark is.
function showWords(panel, element, event, {bandOf, stripOf}) {
  const band = bandOf.get(element), strip = stripOf.get(element);
  const around = element.closest('.flag, .lane > g') || element;
  const words = strip ? stripWords(panel, strip, event) : around.words || around.title_;
  if (band) showTip(pagePoint(event), band, bandTitle, 'more frames');
  else if (words) showTip(pagePoint(event), words, String, 'more');
  else hideTip();
}

function listenToPanel(panel) {
  const bandOf = new Map(panel.bands.map((band) => [band.element, band]));
  const stripOf = new Map(panel.strips.map((strip) => [strip.element, strip]));
  let drag = null;
  panel.element.addEventListener('wheel', (event) => {
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) pan(panel, (event.deltaX || event.deltaY) / panel.width);
    else zoom(panel, Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), atIn(panel, event));
  }, {passive: false});
  panel.element.addEventListener('pointerdown', (event) => {
    if (event.button === 0) drag = {x: xIn(panel, event), view: panel.view, isMoved: false};
  });
  panel.element.addEventListener('pointermove', (event) => {
    if (!drag || !(event.buttons & 1)) return showWords(panel, event.target, event, {bandOf, stripOf});
    const by = xIn(panel, event) - drag.x;
    drag.isMoved = drag.isMoved || Math.abs(by) > KEPT_CLICK;
    if (drag.isMoved) setView(panel, moved(drag.view, -by / panel.width));
    hideTip();
  });
  panel.element.addEventListener('pointerleave', () => { hideTip(); drag = null; });
  panel.element.addEventListener('click', (event) => {
    const wasDrag = drag && drag.isMoved;
    drag = null;
    if (wasDrag) return;
    const band = bandOf.get(event.target) || null, strip = stripOf.get(event.target);
    if (strip) searchFor(strip.query);
    else choose(band === chosen.band ? null : band, panel);
  });
  panel.element.addEventListener('dblclick', () => setView(panel, panel));
}

const actions = {
  '+': () => zoom(main, 0.5, middleOf(main.view)),
  '=': () => zoom(main, 0.5, middleOf(main.view)),
  '-': () => zoom(main, 2, middleOf(main.view)),
  'ArrowLeft': () => pan(main, -0.25),
  'ArrowRight': () => pan(main, 0.25),
  '0': () => setView(main, main),
  '/': () => searchInput.focus(),
};
document.addEventListener('keydown', (event) => {
  if (hasModifier(event)) return;
  if (event.key === 'Escape') reset();
  else if (event.target === searchInput || event.target === slider) return;
  else if (actions[event.key]) actions[event.key]();
  else return;
  event.preventDefault();
});
panels.forEach(listenToPanel);
slider.addEventListener('input', () => setDetail(Number(slider.value)));
searchInput.addEventListener('input', () => search(searchInput.value));
clearButton.addEventListener('click', reset);
listenToRows(searchFor);
listenToPage(searchFor);
window.addEventListener('hashchange', loadState);
loadState();
startSheet();
