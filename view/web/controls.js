// Tabs, files, devices, keys and the help that lists them.
import {byId, element} from './elements.js';
import {coloursNow, deviceNow, fragmentOf, goTo, hasDevice, jumpTo, openFiles, overviewOf, showAll, TABS} from './model.js';
import {isPictureTab, saveJson} from './pictures.js';
import {zoomToRange} from './range.js';

const LIVES = {live: 'live now', born: 'left by the range', freed: 'freed in range'};

function showLives(/** @type {Page} */ page) {
  byId('lives').value = page.view.lives;
  byId('lives').hidden = !['flame', 'table'].includes(page.view.tab) || !hasDevice(page) || !deviceNow(page).events;
}

function showTab(/** @type {Page} */ page) {
  for (const tab of TABS) {
    byId(`tab-${tab}`).setAttribute('aria-selected', tab === page.view.tab);
    byId(`tab-${tab}`).tabIndex = tab === page.view.tab ? 0 : -1;
  }
  document.body.dataset.tab = page.view.tab;
  const panel = isPictureTab(page.view.tab) ? 'picture-panel' : `${page.view.tab}-panel`;
  for (const one of ['picture-panel', 'table-panel', 'events-panel', 'info-panel']) byId(one).hidden = one !== panel;
}

function showDevices(/** @type {Page} */ page, switchTo) {
  const {devices} = overviewOf(page, page.view.file);
  byId('devices').replaceChildren(...(devices.length > 1 ? devices : []).map((device) => {
    const button = element('button', {type: 'button', 'aria-pressed': device.device === page.view.device}, device.name);
    button.addEventListener('click', () => switchTo(page.view.file, device.device));
    return button;
  }));
}

function showSides(/** @type {Page} */ page) {
  const side = (value, words) => element('option', page.view.before === value ? {value: value === null ? '' : value, selected: ''} : {value: value === null ? '' : value}, words);
  const others = openFiles(page).filter(({number}) => number !== page.view.file);
  byId('before').replaceChildren(side(null, 'in this file'), ...others.map(({number, name}) => side(number, `against ${name}`)));
  byId('before').hidden = page.view.tab !== 'difference' || !others.length;
}

// The steps of Alt with the arrow keys: beginnings of annotations, errors.
function nextMark(/** @type {Page} */ page, direction) {
  const {annotations, marks} = deviceNow(page);
  const states = [...annotations.map((span) => span.first), ...marks.map((mark) => mark.state)].sort((left, right) => left - right);
  const found = direction > 0 ? states.find((state) => state > page.view.state) : states.filter((state) => state < page.view.state).at(-1);
  if (found !== undefined) jumpTo(page, found);
}

function step(/** @type {Page} */ page, direction, event) {
  if (event.altKey) nextMark(page, direction);
  else goTo(page, page.view.state + direction * (event.shiftKey ? Math.max(1, Math.round((page.view.last - page.view.first) / 100)) : 1));
}

const KEYS = [
  ['← →', 'one event; with Shift a hundredth of what is shown; with Alt the next annotation or error'],
  ['↑ ↓', 'in Events and on the curve: the event before and after it that matches the filter'],
  ['Home, End, p', 'before the first event, the end, the peak'],
  ['+ −, 0, z', 'zoom in and out around the playhead; show all; show the selected range'],
  ['y Y, Page Up, Page Down', 'zoom the bytes of the curve in and out; move them up and down'],
  ['Z', 'show the selected range, or what is shown of all, with the bytes between its lowest and highest moment; Back returns'],
  ['m', 'mark this moment: from there to the playhead is the selected range, which the Difference tab compares'],
  ['1 to 9, i', 'the tabs; with the focus on one, ← → go to the next'],
  ['Tab to the cells', '← → ↑ ↓ go from allocation to allocation, Enter pins it'],
  ['r', 'of a job: the list of ranks, in which ↑ ↓ go from rank to rank and Enter opens one'],
  ['Delete', 'on the button of a file: close it'],
  ['k, t', 'colours by line, kind, the variable that keeps memory (where the file shows it) or origin of the code; the axis by event or time'],
  ['/, Esc', 'search; close, let go, stop searching, zoom the picture out'],
  ['Enter', 'in the search: the next hit of the whole recording; with Shift the one before'],
  ['c, s, j', 'copy a link to this view, or the stack that a picture\'s tooltip shows; save the picture as SVG, the figures of the tab as JSON'],
  ['?', 'this list'],
];

const OF_PAGE = ['/', '?', 'Esc'];

const actionsOf = (/** @type {Page} */ page, {curve, savePicture, pictureNow, toggleRanks}) => ({
  'Home': () => jumpTo(page, 0),
  'End': () => jumpTo(page, deviceNow(page).events),
  'p': () => jumpTo(page, deviceNow(page).peak_state),
  'z': () => zoomToRange(page),
  '0': () => showAll(page),
  'm': () => page.change({other: page.view.other === page.view.state ? null : page.view.state}),
  'k': () => page.change({by: nextColours(page)}),
  't': () => deviceNow(page).has_times && page.change({axis: page.view.axis === 'event' ? 'time' : 'event'}),
  '/': () => byId('search').focus(),
  'j': () => saveJson(page),
  'i': () => page.change({tab: 'info'}),
  'r': toggleRanks,
  '+': () => curve.zoom(0.5), '=': () => curve.zoom(0.5), '-': () => curve.zoom(2),
  'y': () => curve.zoomBytes(0.5), 'Y': () => curve.zoomBytes(2), 'PageUp': () => curve.moveBytes(1), 'PageDown': () => curve.moveBytes(-1),
  'Z': curve.fit, 's': savePicture, '?': () => showHelp(page, pictureNow()), 'c': () => (showsTipOfPicture() ? pictureNow().copyStack() : copyLink(page)),
});

const hasKeepers = (/** @type {Page} */ page) => hasDevice(page) && deviceNow(page).has_keepers;
function nextColours(/** @type {Page} */ page) {
  const choices = hasKeepers(page) ? ['line', 'kind', 'keeper', 'origin'] : ['line', 'kind', 'origin'];
  return choices[(choices.indexOf(coloursNow(page)) + 1) % choices.length];
}

async function copyLink(/** @type {Page} */ page) {
  const link = location.href.split('#')[0] + fragmentOf(page);
  try {
    await navigator.clipboard.writeText(link);
    byId('copy').textContent = 'copied';
  } catch (error) {
    location.hash = fragmentOf(page);
    byId('copy').textContent = 'see the address bar';
  }
  setTimeout(() => (byId('copy').textContent = 'copy link'), 1500);
}

// One layer per press.
function escape(/** @type {Page} */ page, picture) {
  if (picture.letGo()) return;
  if (document.activeElement === byId('search')) byId('search').blur();
  if (page.view.life !== null) return page.change({life: null});
  if (page.view.search) {
    byId('search').value = '';
    return page.change({search: ''});
  }
  if (page.view.other !== null) return page.change({other: null});
  picture.goBack();
}

// In the list of tabs the arrows go from one to the next. Returns whether the key was one of these.
function walkTabs(/** @type {Page} */ page, {key, target}) {
  if (target.role !== 'tab') return false;
  const tabs = TABS.filter((tab) => byId(`tab-${tab}`).checkVisibility()), at = tabs.indexOf(page.view.tab);
  const place = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1}[key];
  if (place === undefined) return false;
  page.change({tab: tabs.at(place % tabs.length)});
  byId(`tab-${page.view.tab}`).focus();
  return true;
}

// Without a part of the bytes these keys scroll.
const scrolls = (/** @type {Page} */ page, {key}) => ['PageUp', 'PageDown'].includes(key) && page.view.high === null;

// Elsewhere the arrows scroll.
const walksEvents = (/** @type {Page} */ page, {target}) => deviceNow(page).events > 0 && (page.view.tab === 'events' || target === byId('curve'));

function onKey(/** @type {Page} */ page, event, {actions, pictureNow, stepFiltered}) {
  if (event.defaultPrevented || byId('help').open) return;
  if (event.key === 'Escape') return escape(page, pictureNow());
  const isTyping = ['INPUT', 'TEXTAREA', 'SELECT'].includes(event.composedPath()[0].tagName);
  if (isTyping || event.ctrlKey || event.metaKey || !((hasDevice(page) && page.view.isShown) || event.key === '?')) return;
  if (walkTabs(page, event)) return event.preventDefault();
  if (event.key === 'ArrowLeft') step(page, -1, event);
  else if (event.key === 'ArrowRight') step(page, 1, event);
  else if (['ArrowUp', 'ArrowDown'].includes(event.key) && walksEvents(page, event)) stepFiltered(event.key === 'ArrowUp' ? -1 : 1);
  else if (/^[1-9]$/.test(event.key)) page.change({tab: TABS[event.key - 1]});
  else if (actions[event.key] && !scrolls(page, event)) actions[event.key]();
  else return;
  event.preventDefault();
}

function showHelp(/** @type {Page} */ page, {keys}) {
  const more = isPictureTab(page.view.tab) ? keys.filter(([key]) => !OF_PAGE.includes(key)) : [];
  const rows = [...KEYS, ...(more.length ? [['Tab to the picture', 'its own keys']] : []), ...more];
  byId('help-keys').replaceChildren(...rows.map(([key, words]) => element('tr', {}, element('th', {scope: 'row'}, key), element('td', {}, words))));
  byId('help').showModal();
}

const showsTipOfPicture = () => byId('picture').matches(':hover') && !byId('tip').hidden;

// `parts`: {curve, stepFiltered, savePicture, pictureNow, switchTo, toggleRanks}, what the parts of the page do for a key or a click.
export function startControls(/** @type {Page} */ page, parts) {
  const actions = actionsOf(page, parts);
  for (const tab of TABS) byId(`tab-${tab}`).addEventListener('click', (event) => {
    page.change({tab});
    if (event.detail) event.target.blur(); // after a click with the pointer the arrows are the playhead's again
  });
  byId('help-button').addEventListener('click', actions['?']);
  byId('copy').addEventListener('click', () => copyLink(page));
  byId('save').addEventListener('click', parts.savePicture);
  byId('by').addEventListener('click', actions.k);
  byId('axis').addEventListener('click', actions.t);
  document.addEventListener('keydown', (event) => onKey(page, event, {...parts, actions}));
  byId('before').addEventListener('change', ({target}) => page.change({before: target.value === '' ? null : Number(target.value)}));
  byId('lives').append(...Object.entries(LIVES).map(([value, words]) => element('option', {value}, words)));
  byId('lives').addEventListener('change', ({target}) => page.change({lives: target.value}));
  page.watch(['tab'], () => showTab(page));
  page.watch(['file', 'device', 'tab', 'lives'], () => showLives(page));
  page.watch(['tab', 'before', 'file'], () => showSides(page));
  page.watch(['file', 'device'], () => showDevices(page, parts.switchTo));
  page.watch(['by', 'axis', 'file', 'device'], () => {
    byId('by').textContent = `by ${coloursNow(page)}`;
    byId('axis').textContent = page.view.axis === 'event' ? 'events' : 'time';
  });
  showTab(page);
}
