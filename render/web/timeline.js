// Starts a timeline: zoom and pan by wheel, pointer and keys, the detail, search, and the view in the URL's fragment.
import {number, setAttributes, takeTitle} from './core/attributes.js';
import {html, keyboard, page, root, svg} from './core/dom.js';
import './core/flows.js';
import {readFragment, setFragment, whenFragmentChanges} from './core/fragment.js';
import {answerPage, isForPage, sayAllocation, sayPointed} from './core/link.js';
import {closeDialog, copyText, isDialogOpen, showKeys} from './core/dialog.js';
import {countOf, formatBytes, formatCount} from './core/numbers.js';
import {isPhone, layouts, settle, startSheet, whenSettled} from './core/sheet.js';
import {foldedStack} from './core/stacks.js';
import {hideTip, pagePoint, showTip, tipState} from './core/tip.js';
import {button, crumb, hasModifier, listenToRows, searchInput, status, toolbar, unlessInPage} from './core/toolbar.js';
import {drawPanel} from './timeline/draw.js';
import {lastBefore} from './timeline/layout.js';
import {functionOf} from './timeline/names.js';
import {chosen, highlight, main, panels} from './timeline/picture.js';
import {middleOf, moved, sharesAxis, viewOf, zoomed} from './timeline/views.js';

const slider = html('input', {type: 'range', id: 'detail', 'aria-label': 'how many of the largest allocations are bands', min: 0, max: main.bands.length});
slider.value = main.bands.length;
const detailText = html('label', {id: 'detail-text', for: 'detail'});
const clearButton = crumb('clear');
setAttributes(searchInput, {'aria-label': 'search bands and strips', placeholder: 'search ( / )'});
const helpButton = button('help', '?', 'keys (?)');
toolbar.append(...unlessInPage(helpButton), status, detailText, slider, ...unlessInPage(searchInput));
detailText.hidden = slider.hidden = main.bands.length < 2;

const KEYS = [
  ['Ctrl+wheel, + −', 'zoom; the wheel alone after a click into the chart'],
  ['drag, ← →', 'pan'],
  ['click', 'pin what has the same stack; a strip: search for its line'],
  ['double click, 0', 'the whole recording again'],
  ['Backspace', 'the view before'],
  ['Esc', 'back: close, let go, stop searching, zoom out'],
  ['/', 'search as you type'],
  ['c', 'copy the stack of what is pointed at or pinned'],
  ['?', 'this list'],
];

const panelOf = new Map(panels.map((panel) => [panel.element, panel]));
layouts.chart = (section, room) => {
  const panel = panelOf.get(section.element.querySelector('.chart'));
  panel.section = section;
  const left = room.left + panel.left;
  panel.element.setAttribute('transform', `translate(${left} ${panel.y})`);
  const width = room.left + room.width - left;
  if (width !== panel.width) {
    panel.width = width;
    drawPanel(panel);
  }
  return growthOf(section);
};
// A closed chart takes no room in the file.
const growthOf = ({element}) => (element.classList.contains('closed') ? 0 : number(element, 'data-height'));

for (const element of svg.querySelectorAll('.chart path, .flag, .lane > g')) element.words = takeTitle(element);

let isWaiting = false;
const stale = new Set();
// Draws at most once per frame, however fast the wheel turns; before the first layout that does, for its width.
function redraw(panel) {
  if (!panel.section) panel.width = 0;
  else stale.add(panel);
  if (isWaiting || !panel.section) return;
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

// The views before the current one: changes within a moment count as one.
const earlier = [];
const MOST_EARLIER = 50, ONE_CHANGE = 500;
let changedAt = 0;
function changeView(panel, view) {
  const now = performance.now();
  if (now - changedAt > ONE_CHANGE) earlier.push({panel, view: panel.view});
  if (earlier.length > MOST_EARLIER) earlier.shift();
  changedAt = now;
  setView(panel, view);
}

function goToEarlierView() {
  changedAt = 0;
  const last = earlier.pop();
  if (last) setView(last.panel, last.view);
}

const zoom = (panel, factor, at) => changeView(panel, zoomed(panel.view, factor, at));
const pan = (panel, share) => changeView(panel, moved(panel.view, share));

let statusWords = '';
function showStatus(words) {
  statusWords = words;
  status.replaceChildren(words || (isPhone() ? 'tap for the stack, drag to pan' : 'click: pin a stack, Ctrl+wheel: zoom, drag: pan, ?: keys'));
  if (words) status.append('  ', clearButton);
}

whenSettled(() => statusWords || showStatus(''));

// "b7f064c000000_0"; undefined: it is not one allocation.
const nameOfBand = (band) => ((band && band.title.match(/\bb[0-9a-f]+_\d+/)) || [])[0];

function choose(band, panel) {
  chosen.band = band;
  chosen.panel = panel;
  if (band) chosen.query = '';
  if (band && !page) searchInput.value = '';
  const name = nameOfBand(band);
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

function followRow(words) {
  const step = /^step ([\d,]+), /.exec(words);
  const mark = step && svg.querySelector(`.step[data-step="${step[1].replace(/,/g, '')}"]`);
  if (!mark) return searchFor(words);
  const next = mark.nextElementSibling && mark.nextElementSibling.classList.contains('step') ? number(mark.nextElementSibling, 'data-at') : main.end;
  changeView(main, {begin: number(mark, 'data-at'), end: next});
}

async function copyStack() {
  const band = (tipState.holder && tipState.holder.stack && tipState.holder) || chosen.band;
  if (band && (await copyText([band.title, '', ...band.stack.map((frame) => frame.name)].join('\n')))) showStatus(`copied: ${band.name}`);
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

// The pinned band is let go with the allocation that the page pins. Returns whether the dialog was open.
function letGo() {
  const isOpen = isDialogOpen();
  if (isOpen) closeDialog();
  else if (chosen.band && page) search(searchInput.value);
  return isOpen;
}

// One layer per press: the last one opened closes first.
function goBack() {
  if (letGo()) return;
  if (chosen.query || chosen.band || root.activeElement === searchInput) return reset();
  hideTip();
  wheelPanel = null;
  for (const panel of panels) setView(panel, panel);
  earlier.length = 0;
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

const bandTitle = ({title, stack, name, place}) => (stack.length ? [title, '', ...foldedStack(stack, functionOf(name, place))].join('\n') : title);

// The text next to the pointer: for a band, a strip or a mark.
function showWords(panel, element, event, {bandOf, stripOf}) {
  const band = bandOf.get(element), strip = stripOf.get(element), name = nameOfBand(band);
  sayPointed(name ? {name} : null);
  const around = element.closest('.flag, .lane > g') || element;
  const words = strip ? stripWords(panel, strip, event) : around.words;
  const place = around.getBoundingClientRect();
  if (band) showTip(pagePoint(event), band, bandTitle, 'more: c copies the stack', place);
  else if (words) showTip(pagePoint(event), words, String, 'more', place);
  else hideTip();
}

// Marks the bands of what is lit in the page.
function showLit(lit) {
  const isLit = (band) => lit !== null && (lit.name ? nameOfBand(band) === lit.name : band.paint === lit.paint || lit.words.includes(band.name));
  for (const panel of panels) for (const band of panel.bands) band.element.classList.toggle('lit', isLit(band));
}

let wheelPanel = null; // the one that a click has given the wheel to

function listenToPanel(panel) {
  const bandOf = new Map(panel.bands.map((band) => [band.element, band]));
  const stripOf = new Map(panel.strips.map((strip) => [strip.element, strip]));
  let drag = null;
  setAttributes(panel.element, {tabindex: '0', role: 'application', 'aria-label': 'live memory: + and − zoom, arrow keys pan, ? lists all keys'});
  panel.element.addEventListener('wheel', (event) => {
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (!isSideways && !event.ctrlKey && !event.metaKey && wheelPanel !== panel) return; // it scrolls the page
    event.preventDefault();
    if (isSideways) pan(panel, (event.deltaX || event.deltaY) / panel.width);
    else zoom(panel, Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), atIn(panel, event));
  }, {passive: false});
  panel.element.addEventListener('pointerdown', (event) => {
    if (event.button === 0) drag = {x: xIn(panel, event), view: panel.view, isMoved: false};
  });
  panel.element.addEventListener('pointermove', (event) => {
    if (!drag || !(event.buttons & 1)) return showWords(panel, event.target, event, {bandOf, stripOf});
    const by = xIn(panel, event) - drag.x;
    drag.isMoved = drag.isMoved || Math.abs(by) > KEPT_CLICK;
    if (drag.isMoved) changeView(panel, moved(drag.view, -by / panel.width));
    hideTip();
  });
  panel.element.addEventListener('pointerleave', () => {
    hideTip();
    sayPointed(null);
    drag = wheelPanel = null;
  });
  panel.element.addEventListener('click', (event) => {
    const wasDrag = drag && drag.isMoved;
    drag = null;
    if (wasDrag) return;
    wheelPanel = panel;
    const band = bandOf.get(event.target) || null, strip = stripOf.get(event.target);
    if (strip) searchFor(strip.query);
    else choose(band === chosen.band ? null : band, panel);
  });
  panel.element.addEventListener('dblclick', () => changeView(panel, panel));
}

// The keys act on the chart that has the focus, else on the first.
const focused = () => panelOf.get(root.activeElement) || main;
const actions = {
  '+': () => zoom(focused(), 0.5, middleOf(focused().view)),
  '=': () => zoom(focused(), 0.5, middleOf(focused().view)),
  '-': () => zoom(focused(), 2, middleOf(focused().view)),
  'ArrowLeft': () => pan(focused(), -0.25),
  'ArrowRight': () => pan(focused(), 0.25),
  '0': () => changeView(focused(), focused()),
  'Backspace': goToEarlierView,
  'c': copyStack,
  '?': () => showKeys(KEYS),
  '/': () => searchInput.focus(),
};
keyboard.addEventListener('keydown', (event) => {
  if (hasModifier(event) || isForPage(event)) return;
  if (event.key === 'Escape') goBack();
  else if (isDialogOpen() || event.target === searchInput || event.target === slider) return;
  else if (actions[event.key]) actions[event.key]();
  else return;
  event.preventDefault();
});
// A line for each other device: a click opens its chart.
for (const opener of svg.querySelectorAll('.opener')) {
  setAttributes(opener, {tabindex: '0', role: 'button', 'aria-expanded': 'false'});
  const toggle = () => {
    const panel = panelOf.get(opener.nextElementSibling.querySelector('.chart')), {element} = panel.section;
    const isClosed = element.classList.toggle('closed');
    opener.setAttribute('aria-expanded', String(!isClosed));
    opener.querySelector('path').setAttribute('d', opener.querySelector('path').getAttribute('d').replace(/[lh].*/, isClosed ? 'l7 5-7 5z' : 'h10l-5 8z'));
    if (!isClosed) drawPanel(panel);
    panel.section.growth = growthOf(panel.section);
    settle();
  };
  opener.addEventListener('click', toggle);
  opener.addEventListener('keydown', (event) => event.key === 'Enter' && toggle());
}
panels.forEach(listenToPanel);
helpButton.addEventListener('click', () => showKeys(KEYS));
slider.addEventListener('input', () => setDetail(Number(slider.value)));
searchInput.addEventListener('input', () => search(searchInput.value));
clearButton.addEventListener('click', reset);
listenToRows(followRow);
answerPage({letGo, goBack, light: showLit, search: searchFor, copyStack, keys: KEYS});
whenFragmentChanges(loadState);
loadState();
startSheet();
