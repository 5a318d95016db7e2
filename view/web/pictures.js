// The pictures of the program, for the moment at the playhead or the shown range, in frames.
import {byId} from './elements.js';
import {askText, latestOnly} from './engine.js';
import {deviceNow, momentOf, view, watch, whereNow} from './model.js';

// The playhead must rest this long before a picture is drawn, and as long as the last one took: its next step waits for
// a picture that is being drawn.
const REST_MS = 150, MOST_REST_MS = 1000;
const OF_RANGE = ['timeline', 'reserved', 'pools'];
const frame = byId('picture'), message = byId('message');
let svgText = '', drawnKey = '', drawingMs = 0;

export const isPictureTab = (tab) => ['flame', 'state', 'why', 'difference', ...OF_RANGE].includes(tab);

// The two sides of a difference: from another file, or from the mark to the playhead, or over the shown range.
function sidesNow() {
  const {before, other, state, first, last} = view;
  if (before !== null) return {file: before, before: 'auto', after: momentOf(state)};
  const [from, to] = other === null ? [first, last] : [Math.min(other, state), Math.max(other, state)];
  return {before: momentOf(from), after: momentOf(to)};
}

// The lives to draw: at the playhead, or for the range those that remain at its end, or that it frees, at its
// beginning.
function livesOfPicture() {
  const {lives, state, first, last} = view;
  if (lives === 'live' || !deviceNow().events) return {at: momentOf(state)};
  return {at: momentOf(lives === 'born' ? last : first), lives, first, last};
}

function requestNow() {
  const {tab, state, by} = view, where = whereNow();
  const color = by === 'line' ? {} : {color: by};
  if (tab === 'flame') return {ask: 'picture', of: 'flame', ...where, ...livesOfPicture(), ...(by === 'keeper' ? {} : color)};
  if (tab === 'state') return {ask: 'picture', of: 'state', ...where, at: momentOf(state), ...color};
  if (tab === 'why') return {ask: 'picture', of: 'explain', ...where, at: momentOf(state)};
  if (tab === 'difference') return {ask: 'compare', ...where, ...sidesNow(), other: where.file};
  const views = {timeline: 'active', reserved: 'segments', pools: 'pools'};
  return {ask: 'picture', of: 'timeline', view: views[tab], ...where, first: view.first, last: view.last, axis: view.axis, ...(tab === 'reserved' ? {} : color)};
}

const documentOf = (svg) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>picture</title><style>html{color-scheme:light dark}body{margin:0}</style>${svg.replace(/^<\?xml[^>]*>\s*/, '')}`;

export const searchInFrame = () => frame.contentWindow && frame.contentWindow.postMessage({memvizSearch: view.search}, '*');

const drawPicture = latestOnly(async () => {
  const request = requestNow();
  const key = JSON.stringify(request);
  if (key === drawnKey) return;
  try {
    const began = performance.now();
    svgText = await askText(request);
    drawingMs = performance.now() - began;
    drawnKey = key;
    frame.srcdoc = documentOf(svgText);
    frame.hidden = false;
    message.hidden = true;
  } catch (error) {
    frame.hidden = true;
    message.hidden = false;
    message.textContent = error.message;
  }
});

let rest = 0;
function drawAfterRest(changed) {
  clearTimeout(rest);
  if (!isPictureTab(view.tab)) return;
  const restMs = changed.includes('tab') ? 0 : Math.max(REST_MS, Math.min(MOST_REST_MS, drawingMs));
  rest = setTimeout(() => drawPicture({}), restMs);
}

function save(text, type, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
}

export const savePicture = () => svgText && save(svgText, 'image/svg+xml', `memviz-${view.tab}.svg`);

const textNow = (of, about) => askText({ask: 'text', of, ...whereNow(), ...about});
const atPlayhead = (of) => () => textNow(of, {at: momentOf(view.state)});
const ofRange = () => textNow('timeline', {first: view.first, last: view.last});

// Requests the figures of each tab, as JSON; the tables add theirs.
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

export function startPictures() {
  frame.addEventListener('load', searchInFrame);
  watch(['file', 'device', 'state', 'other', 'before', 'first', 'last', 'by', 'axis', 'tab', 'lives'], drawAfterRest);
  watch(['search'], searchInFrame);
}
