// The state of the view, the open files, and the functions called when it changes.
/** @type {({name: string, overview: import('./types.js').Overview} | null)[]} */
export const files = []; // {name, overview} by the engine's number; null: closed
export const openFiles = () => files.flatMap((file, number) => (file ? [{...file, number}] : []));

/** @type {import('./types.js').View} */
export const view = {
  file: null, // until a file is open
  device: null,
  state: 0, // the position of the playhead: 0 is before the first event of the device
  other: null, // the second playhead, for differences
  before: null, // the file that differences compare with; null: this one
  first: 0,
  last: 0,
  low: null, // the bytes at the lower and the upper edge of the curve; null: from 0 to the highest value
  high: null,
  by: 'line',
  axis: 'event',
  tab: 'flame',
  lives: 'live',
  life: null,
  search: '',
  classes: [], // of the colours: {label, light, dark}
  lit: null, // what the pointer is at, see lit.js
  pinned: null, // the allocation `life`, as one that is lit
};

export const overviewOf = (file) => files[file].overview;
export const deviceNow = () => overviewOf(view.file).devices.find((one) => one.device === view.device);
export const whereNow = () => ({file: view.file, device: view.device === null ? undefined : view.device});
// Whether something is of the file and device that are shown.
export const isHere = ({file, device}) => view.file === file && view.device === device;
// Whether the file holds memory of any device: an empty recording has none.
export const hasDevice = () => view.device !== null;

// An event's moment in the form of --at. Without events the only moment is the snapshot itself.
export function momentOf(state) {
  if (state > 0) return `event:${state - 1}`;
  return hasDevice() && deviceNow().events ? 'start' : 'end';
}

/** @type {{names: (keyof import('./types.js').View)[], react: (changed: string[]) => unknown}[]} */
const watchers = [];
/** @type {(names: (keyof import('./types.js').View)[], react: (changed: string[]) => unknown) => unknown} */
export const watch = (names, react) => watchers.push({names, react});

export const TABS = ['flame', 'state', 'why', 'table', 'events', 'timeline', 'reserved', 'pools', 'difference', 'info'];
const WORDS = {tab: TABS, by: ['line', 'kind', 'keeper', 'origin'], axis: ['event', 'time'], lives: ['live', 'born', 'freed']};
const NAMES_IN_LINK = ['file', 'device', 'state', 'other', 'before', 'first', 'last', 'low', 'high', 'by', 'axis', 'tab', 'lives', 'life', 'search'];
const NUMBERS = ['file', 'device', 'state', 'other', 'before', 'first', 'last', 'low', 'high', 'life'];

export function fragmentOf() {
  const fragment = new URLSearchParams();
  for (const name of NAMES_IN_LINK) if (view[name] !== null && view[name] !== '') fragment.set(name, view[name]);
  return '#' + fragment;
}

// Changes of these are entries of the browser's history, as jumps of the playhead are: Back undoes them.
const VISITS = ['file', 'device', 'tab', 'lives', 'life', 'before'];
const visitListeners = [], changeListeners = [];
export const beforeVisits = (react) => visitListeners.push(react);
export const afterChanges = (react) => changeListeners.push(react);

function tellWatchers(changed) {
  for (const {names, react} of watchers) if (names.some((name) => changed.includes(name))) react(changed);
}

/**
 * @param {Partial<import('./types.js').View>} wanted
 * @param {{isJump?: boolean}} way
 */
export function change(wanted, {isJump = false} = {}) {
  const changed = Object.keys(wanted).filter((name) => view[name] !== wanted[name]);
  if (!changed.length) return;
  if (isJump || VISITS.some((name) => changed.includes(name))) for (const react of visitListeners) react();
  Object.assign(view, wanted);
  tellWatchers(changed);
  if (NAMES_IN_LINK.some((name) => changed.includes(name))) for (const react of changeListeners) react();
}

// Calls what depends on a value that has not changed but has another effect: the engine searches again.
export const renew = (name) => tellWatchers([name]);

const within = (value, least, most) => Math.max(least, Math.min(most, Math.round(value)));

function rangeOf(first, last) {
  const {events} = deviceNow();
  const length = within(last - first, Math.min(8, events), events);
  const begin = within(first, 0, events - length);
  return {first: begin, last: begin + length};
}
export const showRange = (first, last) => change(rangeOf(first, last));

// Shows a part of the curve in both of its axes; Back returns.
export const LEAST_BYTES = 1024;
export function showBox({first, last, low, high}) {
  const bottom = Math.max(0, Math.floor(low));
  change({...rangeOf(first, last), low: bottom, high: Math.max(bottom + LEAST_BYTES, Math.ceil(high))}, {isJump: true});
}
export const showAll = () => change({...rangeOf(0, deviceNow().events), low: null, high: null});

// Without keepers the engine colours by line.
export const coloursNow = () => (view.by === 'keeper' && !(hasDevice() && deviceNow().has_keepers) ? 'line' : view.by);

// The range that is selected, from the mark to the playhead; without a mark the shown one.
export function rangeNow() {
  const {other, state, first, last} = view;
  return other === null ? {first, last} : {first: Math.min(other, state), last: Math.max(other, state)};
}

// Moves the playhead, and the shown range with it if it would leave that.
function moveTo(wanted, way) {
  const state = within(wanted, 0, deviceNow().events), half = (view.last - view.first) / 2;
  change({state}, way);
  if (state < view.first || state > view.last) showRange(state - half, state + half);
}

// A step of a walk, which Back does not undo; and a jump, which it does.
export const goTo = (wanted) => moveTo(wanted, {});
export const jumpTo = (wanted) => moveTo(wanted, {isJump: true});

export const lastError = ({marks}) => marks.filter((mark) => mark.kind === 'oom').at(-1);

// The playhead of a device that was not shown before is at its last error, or at its peak.
export function showDevice(file, device, place = {}) {
  const found = overviewOf(file).devices.find((one) => one.device === device) || overviewOf(file).devices[0];
  if (!found) return change({file, device: null, tab: 'flame', first: 0, last: 0, low: null, high: null, state: 0, other: null, before: null, life: null});
  const oom = lastError(found), state = oom ? oom.state : found.peak_state;
  change({file, device: found.device, first: 0, last: found.events, low: null, high: null, state, other: null, before: null, life: null, ...place});
}

// Shows the view of a link, as far as it applies to these files.
export function readLink(fragment) {
  /** @type {Partial<import('./types.js').View>} */
  const wanted = {};
  for (const [name, value] of new URLSearchParams(fragment.slice(1))) {
    if (!NAMES_IN_LINK.includes(name)) continue;
    if (name === 'search' || (WORDS[name] || []).includes(value)) wanted[name] = value;
    else if (NUMBERS.includes(name) && /^\d{1,16}$/.test(value)) wanted[name] = Number(value);
  }
  if (!files[wanted.file || 0]) return;
  showDevice(wanted.file || 0, wanted.device || 0);
  if (!hasDevice()) return;
  const {events} = deviceNow();
  const {file, device, first = 0, last = events, ...rest} = {search: '', lives: 'live', ...wanted};
  if (!(rest.low < rest.high)) rest.low = rest.high = null;
  for (const name of ['state', 'other']) if (name in rest) rest[name] = Math.min(rest[name], events);
  if (rest.before !== undefined && !files[rest.before]) delete rest.before;
  change(rest);
  showRange(first, last);
}
