// The state of the view, the open files, and the functions called when it changes: parts of the page, see page.js.
export const openFiles = (/** @type {Page} */ page) => page.files.flatMap((file, number) => (file ? [{...file, number}] : []));

/** @returns {import('./types.js').View} */
const firstView = () => ({
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
  isShown: false, // whether a file is shown: not before one is open, and not while a job shows its ranks alone
  classes: [], // of the colours: {label, light, dark}
  lit: null, // what the pointer is at, see lit.js
  pinned: null, // the allocation `life`, as one that is lit
});

export const overviewOf = (/** @type {Page} */ page, file) => page.files[file].overview;
export const deviceNow = (/** @type {Page} */ page) => overviewOf(page, page.view.file).devices.find((one) => one.device === page.view.device);
export const whereNow = (/** @type {Page} */ page) => ({file: page.view.file, device: page.view.device === null ? undefined : page.view.device});
// Whether something is of the file and device that are shown.
export const isHere = (/** @type {Page} */ page, {file, device = null}) => page.view.file === file && page.view.device === device;
// Whether the file holds memory of any device: an empty recording has none.
export const hasDevice = (/** @type {Page} */ page) => page.view.device !== null;

// An event's moment in the form of --at. Without events the only moment is the snapshot itself.
export function momentOf(/** @type {Page} */ page, state) {
  if (state > 0) return `event:${state - 1}`;
  return hasDevice(page) && deviceNow(page).events ? 'start' : 'end';
}

export const TABS = ['flame', 'state', 'why', 'table', 'events', 'timeline', 'reserved', 'pools', 'difference', 'info'];
const WORDS = {tab: TABS, by: ['line', 'kind', 'keeper', 'origin'], axis: ['event', 'time'], lives: ['live', 'born', 'freed']};
const NAMES_IN_LINK = ['file', 'device', 'state', 'other', 'before', 'first', 'last', 'low', 'high', 'by', 'axis', 'tab', 'lives', 'life', 'search'];
const FILES = ['file', 'before'];
const NUMBERS = ['file', 'device', 'state', 'other', 'before', 'first', 'last', 'low', 'high', 'life'];

// A rank of a job is linked by its name, because its number depends on which ranks were opened before it.
const linkedFile = ({files}, number) => (files[number] && files[number].isRank ? files[number].name : number);

// Returns the link to the view; to the ranks of a job alone an empty one.
export function fragmentOf(/** @type {Page} */ page) {
  const fragment = new URLSearchParams(), {view} = page;
  if (!view.isShown) return '#';
  for (const name of NAMES_IN_LINK) if (view[name] !== null && view[name] !== '') fragment.set(name, FILES.includes(name) ? linkedFile(page, view[name]) : view[name]);
  return '#' + fragment;
}

// Changes of these are entries of the browser's history, as jumps of the playhead are: Back undoes them.
const VISITS = ['file', 'device', 'tab', 'lives', 'life', 'before', 'isShown'];

// Returns a view of no file, and what changes it.
export function makeModel() {
  const view = firstView(), watchers = [], visitListeners = [], changeListeners = [];
  function renew(...changed) {
    for (const {names, react} of watchers) if (names.some((name) => changed.includes(name))) react(changed);
  }
  return {
    view, renew, files: [],
    watch: (names, react) => watchers.push({names, react}),
    beforeVisits: (react) => visitListeners.push(react),
    afterChanges: (react) => changeListeners.push(react),
    change(wanted, {isJump = false} = {}) {
      const changed = Object.keys(wanted).filter((name) => view[name] !== wanted[name]);
      if (!changed.length) return;
      if (isJump || VISITS.some((name) => changed.includes(name))) for (const react of visitListeners) react();
      Object.assign(view, wanted);
      renew(...changed);
      if ([...NAMES_IN_LINK, 'isShown'].some((name) => changed.includes(name))) for (const react of changeListeners) react();
    },
  };
}

const within = (value, least, most) => Math.max(least, Math.min(most, Math.round(value)));

function rangeOf(/** @type {Page} */ page, first, last) {
  const {events} = deviceNow(page);
  const length = within(last - first, Math.min(8, events), events);
  const begin = within(first, 0, events - length);
  return {first: begin, last: begin + length};
}
export const showRange = (/** @type {Page} */ page, first, last) => page.change(rangeOf(page, first, last));

// Shows a part of the curve in both of its axes; Back returns.
export const LEAST_BYTES = 1024;
export function showBox(/** @type {Page} */ page, {first, last, low, high}) {
  const bottom = Math.max(0, Math.floor(low));
  page.change({...rangeOf(page, first, last), low: bottom, high: Math.max(bottom + LEAST_BYTES, Math.ceil(high))}, {isJump: true});
}
export const showAll = (/** @type {Page} */ page) => page.change({...rangeOf(page, 0, deviceNow(page).events), low: null, high: null});

// Without keepers the engine colours by line.
export const coloursNow = (/** @type {Page} */ page) => (page.view.by === 'keeper' && !(hasDevice(page) && deviceNow(page).has_keepers) ? 'line' : page.view.by);

// The range that is selected, from the mark to the playhead; without a mark the shown one.
export function rangeNow(/** @type {Page} */ page) {
  const {other, state, first, last} = page.view;
  return other === null ? {first, last} : {first: Math.min(other, state), last: Math.max(other, state)};
}

// Moves the playhead, and the shown range with it if it would leave that.
function moveTo(/** @type {Page} */ page, wanted, way) {
  const state = within(wanted, 0, deviceNow(page).events), half = (page.view.last - page.view.first) / 2;
  page.change({state}, way);
  if (state < page.view.first || state > page.view.last) showRange(page, state - half, state + half);
}

// A step of a walk, which Back does not undo; and a jump, which it does.
export const goTo = (/** @type {Page} */ page, wanted) => moveTo(page, wanted, {});
export const jumpTo = (/** @type {Page} */ page, wanted) => moveTo(page, wanted, {isJump: true});

export const lastError = ({marks}) => marks.filter((mark) => mark.kind === 'oom').at(-1);

// The playhead of a device that was not shown before is at its last error, or at its peak.
export function showDevice(/** @type {Page} */ page, file, device, place = {}) {
  const found = overviewOf(page, file).devices.find((one) => one.device === device) || overviewOf(page, file).devices[0];
  if (!found) return page.change({file, isShown: true, device: null, tab: 'flame', first: 0, last: 0, low: null, high: null, state: 0, other: null, before: null, life: null});
  const oom = lastError(found), state = oom ? oom.state : found.peak_state;
  page.change({file, isShown: true, device: found.device, first: 0, last: found.events, low: null, high: null, state, other: null, before: null, life: null, ...place});
}

// Shows the view of a link, as far as it applies to these files.
export function readLink(/** @type {Page} */ page, fragment) {
  /** @type {Partial<import('./types.js').View>} */
  const wanted = {}, ranks = page.files.map((file) => (file && file.isRank ? file.name : null));
  for (const [name, value] of new URLSearchParams(fragment.slice(1))) {
    if (!NAMES_IN_LINK.includes(name)) continue;
    if (name === 'search' || (WORDS[name] || []).includes(value)) wanted[name] = value;
    else if (NUMBERS.includes(name) && /^\d{1,16}$/.test(value)) wanted[name] = Number(value);
    else if (FILES.includes(name)) wanted[name] = ranks.lastIndexOf(value); // the last: a folder may have been read again
  }
  if (!page.files[wanted.file || 0]) return;
  showDevice(page, wanted.file || 0, wanted.device || 0);
  if (!hasDevice(page)) return;
  const {events} = deviceNow(page);
  const {file, device, first = 0, last = events, ...rest} = {search: '', lives: 'live', ...wanted};
  if (!(rest.low < rest.high)) rest.low = rest.high = null;
  for (const name of ['state', 'other']) if (name in rest) rest[name] = Math.min(rest[name], events);
  if (rest.before !== undefined && !page.files[rest.before]) delete rest.before;
  page.change(rest);
  showRange(page, first, last);
}
