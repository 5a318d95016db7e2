// Tabs, files, devices, keys and the help that lists them.
import {byId, element} from './elements.js';
import {stepFiltered} from './events_list.js';
import {change, coloursNow, deviceNow, fragmentOf, goTo, hasDevice, jumpTo, openFiles, overviewOf, showAll, TABS, view, watch} from './model.js';
import {isPictureTab, saveJson} from './pictures.js';
import {zoomToRange} from './range.js';

const LIVES = {live: 'live now', born: 'left by the range', freed: 'freed in range'};

function showLives() {
  byId('lives').value = view.lives;
  byId('lives').hidden = !['flame', 'table'].includes(view.tab) || !hasDevice() || !deviceNow().events;
}

function showTab() {
  for (const tab of TABS) {
    byId(`tab-${tab}`).setAttribute('aria-selected', tab === view.tab);
    byId(`tab-${tab}`).tabIndex = tab === view.tab ? 0 : -1;
  }
  document.body.dataset.tab = view.tab;
  const panel = isPictureTab(view.tab) ? 'picture-panel' : `${view.tab}-panel`;
  for (const one of ['picture-panel', 'table-panel', 'events-panel', 'info-panel']) byId(one).hidden = one !== panel;
}

function showDevices(switchTo) {
  const {devices} = overviewOf(view.file);
  byId('devices').replaceChildren(...(devices.length > 1 ? devices : []).map((device) => {
    const button = element('button', {type: 'button', 'aria-pressed': device.device === view.device}, device.name);
    button.addEventListener('click', () => switchTo(view.file, device.device));
    return button;
  }));
}

function showSides() {
  const side = (value, words) => element('option', view.before === value ? {value: value === null ? '' : value, selected: ''} : {value: value === null ? '' : value}, words);
  const others = openFiles().filter(({number}) => number !== view.file);
  byId('before').replaceChildren(side(null, 'in this file'), ...others.map(({number, name}) => side(number, `against ${name}`)));
  byId('before').hidden = view.tab !== 'difference' || !others.length;
}

// The steps of Alt with the arrow keys: beginnings of annotations, errors.
function nextMark(direction) {
  const {annotations, marks} = deviceNow();
  const states = [...annotations.map((span) => span.first), ...marks.map((mark) => mark.state)].sort((left, right) => left - right);
  const found = direction > 0 ? states.find((state) => state > view.state) : states.filter((state) => state < view.state).at(-1);
  if (found !== undefined) jumpTo(found);
}

function step(direction, event) {
  if (event.altKey) nextMark(direction);
  else goTo(view.state + direction * (event.shiftKey ? Math.max(1, Math.round((view.last - view.first) / 100)) : 1));
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
  ['Delete', 'on the button of a file: close it'],
  ['k, t', 'colours by line, kind, the variable that keeps memory (where the file shows it) or origin of the code; the axis by event or time'],
  ['/, Esc', 'search; close, let go, stop searching, zoom the picture out'],
  ['Enter', 'in the search: the next hit of the whole recording; with Shift the one before'],
  ['c, s, j', 'copy a link to this view, or the stack that a picture\'s tooltip shows; save the picture as SVG, the figures of the tab as JSON'],
  ['?', 'this list'],
];

const OF_PAGE = ['/', '?', 'Esc'];

const ACTIONS = {
  'Home': () => jumpTo(0),
  'End': () => jumpTo(deviceNow().events),
  'p': () => jumpTo(deviceNow().peak_state),
  'z': zoomToRange,
  '0': showAll,
  'm': () => change({other: view.other === view.state ? null : view.state}),
  'k': () => change({by: nextColours()}),
  't': () => deviceNow().has_times && change({axis: view.axis === 'event' ? 'time' : 'event'}),
  '/': () => byId('search').focus(),
  'j': saveJson,
  'i': () => change({tab: 'info'}),
};

const hasKeepers = () => hasDevice() && deviceNow().has_keepers;
function nextColours() {
  const choices = hasKeepers() ? ['line', 'kind', 'keeper', 'origin'] : ['line', 'kind', 'origin'];
  return choices[(choices.indexOf(coloursNow()) + 1) % choices.length];
}

async function copyLink() {
  const link = location.href.split('#')[0] + fragmentOf();
  try {
    await navigator.clipboard.writeText(link);
    byId('copy').textContent = 'copied';
  } catch (error) {
    location.hash = fragmentOf();
    byId('copy').textContent = 'see the address bar';
  }
  setTimeout(() => (byId('copy').textContent = 'copy link'), 1500);
}

// One layer per press.
function escape(picture) {
  if (picture.letGo()) return;
  if (document.activeElement === byId('search')) byId('search').blur();
  if (view.life !== null) return change({life: null});
  if (view.search) {
    byId('search').value = '';
    return change({search: ''});
  }
  if (view.other !== null) return change({other: null});
  picture.goBack();
}

// In the list of tabs the arrows go from one to the next. Returns whether the key was one of these.
function walkTabs({key, target}) {
  if (target.role !== 'tab') return false;
  const tabs = TABS.filter((tab) => byId(`tab-${tab}`).checkVisibility()), at = tabs.indexOf(view.tab);
  const place = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1}[key];
  if (place === undefined) return false;
  change({tab: tabs.at(place % tabs.length)});
  byId(`tab-${view.tab}`).focus();
  return true;
}

// Without a part of the bytes these keys scroll.
const scrolls = ({key}) => ['PageUp', 'PageDown'].includes(key) && view.high === null;

// Elsewhere the arrows scroll.
const walksEvents = ({target}) => deviceNow().events > 0 && (view.tab === 'events' || target === byId('curve'));

function onKey(event, pictureNow) {
  if (event.defaultPrevented || byId('help').open) return;
  if (event.key === 'Escape') return escape(pictureNow());
  const isTyping = ['INPUT', 'TEXTAREA', 'SELECT'].includes(event.composedPath()[0].tagName);
  if (isTyping || event.ctrlKey || event.metaKey || !(hasDevice() || event.key === '?')) return;
  if (walkTabs(event)) return event.preventDefault();
  if (event.key === 'ArrowLeft') step(-1, event);
  else if (event.key === 'ArrowRight') step(1, event);
  else if (['ArrowUp', 'ArrowDown'].includes(event.key) && walksEvents(event)) stepFiltered(event.key === 'ArrowUp' ? -1 : 1);
  else if (/^[1-9]$/.test(event.key)) change({tab: TABS[event.key - 1]});
  else if (ACTIONS[event.key] && !scrolls(event)) ACTIONS[event.key]();
  else return;
  event.preventDefault();
}

function showHelp({keys}) {
  const more = isPictureTab(view.tab) ? keys.filter(([key]) => !OF_PAGE.includes(key)) : [];
  const rows = [...KEYS, ...(more.length ? [['Tab to the picture', 'its own keys']] : []), ...more];
  byId('help-keys').replaceChildren(...rows.map(([key, words]) => element('tr', {}, element('th', {scope: 'row'}, key), element('td', {}, words))));
  byId('help').showModal();
}

const showsTipOfPicture = () => byId('picture').matches(':hover') && !byId('tip').hidden;

export function startControls({curve, savePicture, pictureNow, switchTo}) {
  Object.assign(ACTIONS, {
    '+': () => curve.zoom(0.5), '=': () => curve.zoom(0.5), '-': () => curve.zoom(2),
    'y': () => curve.zoomBytes(0.5), 'Y': () => curve.zoomBytes(2), 'PageUp': () => curve.moveBytes(1), 'PageDown': () => curve.moveBytes(-1),
    'Z': curve.fit, 's': savePicture, '?': () => showHelp(pictureNow()), 'c': () => (showsTipOfPicture() ? pictureNow().copyStack() : copyLink()),
  });
  for (const tab of TABS) byId(`tab-${tab}`).addEventListener('click', (event) => {
    change({tab});
    if (event.detail) event.target.blur(); // after a click with the pointer the arrows are the playhead's again
  });
  byId('help-button').addEventListener('click', ACTIONS['?']);
  byId('copy').addEventListener('click', copyLink);
  byId('save').addEventListener('click', savePicture);
  byId('by').addEventListener('click', ACTIONS.k);
  byId('axis').addEventListener('click', ACTIONS.t);
  document.addEventListener('keydown', (event) => onKey(event, pictureNow));
  byId('before').addEventListener('change', ({target}) => change({before: target.value === '' ? null : Number(target.value)}));
  byId('lives').append(...Object.entries(LIVES).map(([value, words]) => element('option', {value}, words)));
  byId('lives').addEventListener('change', ({target}) => change({lives: target.value}));
  watch(['tab'], showTab);
  watch(['file', 'device', 'tab', 'lives'], showLives);
  watch(['tab', 'before', 'file'], showSides);
  watch(['file', 'device'], () => showDevices(switchTo));
  watch(['by', 'axis', 'file', 'device'], () => {
    byId('by').textContent = `by ${coloursNow()}`;
    byId('axis').textContent = view.axis === 'event' ? 'events' : 'time';
  });
  showTab();
}
