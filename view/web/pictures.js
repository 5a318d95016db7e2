// The pictures of the program, for the moment at the playhead or the shown range, in frames.
import {byId} from './elements.js';
import {askText, latestOnly} from './engine.js';
import {lightPointed, litOfPicture} from './lit.js';
import {coloursNow, deviceNow, momentOf, rangeNow, view, watch, whereNow} from './model.js';

// The playhead must rest this long before a picture is drawn, and as long as the last one took: its next step waits for
// a picture that is being drawn.
const REST_MS = 150, MOST_REST_MS = 1000;
const OF_RANGE = ['timeline', 'reserved', 'pools'];

export const isPictureTab = (tab) => ['flame', 'state', 'why', 'difference', ...OF_RANGE].includes(tab);

// The two sides of a difference: from another file, or from the mark to the playhead, or over the shown range.
function sidesNow() {
  const {before, state} = view, {first, last} = rangeNow();
  if (before !== null) return {file: before, before: 'auto', after: momentOf(state)};
  return {before: momentOf(first), after: momentOf(last)};
}

// The lives to draw: at the playhead, or for the range those that remain at its end, or that it frees, at its
// beginning.
function livesOfPicture() {
  const {lives, state} = view, {first, last} = rangeNow();
  if (lives === 'live' || !deviceNow().events) return {at: momentOf(state)};
  return {at: momentOf(lives === 'born' ? last : first), lives, first, last};
}

// A box of the flame graph may hold memory of several keepers: no line has a hue there, so that no colour means two things.
const WITHOUT_COLOURS = {color: 'line', hues: 'keeper'};

function requestNow() {
  const {tab, state} = view, where = whereNow(), by = coloursNow(), color = {color: by, hues: by};
  if (tab === 'flame') return {ask: 'picture', of: 'flame', ...where, ...livesOfPicture(), ...(by === 'keeper' ? WITHOUT_COLOURS : color)};
  if (tab === 'state') return {ask: 'picture', of: 'state', ...where, at: momentOf(state), ...color};
  if (tab === 'why') return {ask: 'picture', of: 'explain', ...where, at: momentOf(state)};
  if (tab === 'difference') return {ask: 'compare', ...where, ...sidesNow(), other: where.file};
  const views = {timeline: 'active', reserved: 'segments', pools: 'pools'};
  return {ask: 'picture', of: 'timeline', view: views[tab], ...where, first: view.first, last: view.last, axis: view.axis, ...(tab === 'reserved' && ['kind', 'keeper'].includes(by) ? {} : color)};
}

// Within the page a picture has neither its own headline nor search, help and hints, which the page has for all; its
// details come after the drawing. See sheet.js.
const isWithoutHead = (tab) => tab !== 'why' && tab !== 'difference';
const FRAMED_STYLE = 'svg[data-framed] :is(#search,#help,#previous,#next){display:none}svg[data-framed] #crumbs{flex-basis:auto}svg[data-framed] #crumbs:not(:has(button)){display:none}.lit>rect,.bands>.lit,.lit-mark{stroke:light-dark(#d01c8b,#ff6bb3);stroke-width:2}.lit-mark{fill:none;pointer-events:none}';

function documentOf(svg) {
  const drawn = svg.replace(/^<\?xml[^>]*>\s*/, ''), framed = isWithoutHead(view.tab) ? drawn.replace('<svg ', '<svg data-framed="1" ') : drawn;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>picture</title><style>html{color-scheme:light dark}body{margin:0}${FRAMED_STYLE}</style>${framed}`;
}

const frameNow = () => byId('picture');
export const searchInFrame = () => frameNow().contentWindow && frameNow().contentWindow.postMessage({memvizSearch: view.search}, '*');

const lightFrame = () => frameNow().contentWindow && frameNow().contentWindow.postMessage({memvizLit: litOfPicture()}, '*');
function tellFrame() {
  searchInFrame();
  lightFrame();
}

// A new frame for each picture: a new document in the old one would be an entry of the browser's history.
function showInFrame(svg, tab) {
  const old = frameNow(), made = old.cloneNode();
  made.hidden = false;
  made.dataset.tab = tab;
  made.addEventListener('load', tellFrame);
  made.srcdoc = documentOf(svg);
  old.replaceWith(made);
}

function showMessage(words) {
  frameNow().hidden = true;
  byId('message').hidden = false;
  byId('message').textContent = words;
}

// Draws the picture of the tab once the playhead rests; `drawn` keeps the last one.
function pictureDrawer(drawn) {
  let key = '', drawingMs = 0, rest = 0;
  const draw = latestOnly(async () => {
    const request = requestNow(), {tab} = view, wanted = JSON.stringify(request);
    if (wanted === key) return;
    try {
      const began = performance.now();
      drawn.svg = await askText(request);
      drawingMs = performance.now() - began;
      key = wanted;
      showInFrame(drawn.svg, tab);
      byId('message').hidden = true;
    } catch (error) {
      showMessage(error.message);
    }
  });
  return (changed) => {
    clearTimeout(rest);
    if (!isPictureTab(view.tab)) return;
    const restMs = changed.includes('tab') ? 0 : Math.max(REST_MS, Math.min(MOST_REST_MS, drawingMs));
    rest = setTimeout(() => draw({}), restMs);
  };
}

function save(text, type, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
}

const textNow = (of, about) => askText({ask: 'text', of, ...whereNow(), ...about});
const atPlayhead = (of) => () => textNow(of, {at: momentOf(view.state)});
const ofRange = () => textNow('timeline', {first: view.first, last: view.last});

// Requests the figures of each tab, as JSON; the tables add theirs.
/** @type {Record<string, () => Promise<string>>} */
export const figures = {
  flame: () => textNow('flame', livesOfPicture()),
  state: atPlayhead('state'),
  why: atPlayhead('explain_json'),
  difference: () => textNow('compare', {...sidesNow(), other: view.file}),
  info: atPlayhead('stats'),
  ...Object.fromEntries(OF_RANGE.map((tab) => [tab, ofRange])),
};

export async function saveJson() {
  save(await figures[view.tab](), 'application/json', `memviz-${view.tab}.json`);
}

// Returns what saves the picture.
export function startPictures() {
  const drawn = {svg: ''};
  watch(['file', 'device', 'state', 'other', 'before', 'first', 'last', 'by', 'axis', 'tab', 'lives'], pictureDrawer(drawn));
  watch(['search'], searchInFrame);
  watch(['lit', 'pinned'], lightFrame);
  window.addEventListener('message', ({source, data}) => {
    if (source === frameNow().contentWindow && data && data.memvizPointed !== undefined) lightPointed(data.memvizPointed);
  });
  // A picture may not see that the pointer has left its frame.
  document.addEventListener('pointermove', () => view.lit && view.lit.isFromPicture && lightPointed(null));
  return () => drawn.svg && save(drawn.svg, 'image/svg+xml', `memviz-${view.tab}.svg`);
}
