// The pictures of the program, for the moment at the playhead or the shown range, in the page.
import {byId, element} from './elements.js';
import {latestOnly} from './engine.js';
import {lightLine, lightNothing, lightPointed, litOfPicture} from './lit.js';
import {coloursNow, deviceNow, momentOf, rangeNow, whereNow} from './model.js';
import {hidePageTip, pinPageTip, showPageTip} from './tip.js';

// The playhead must rest this long before a picture is drawn, and as long as the last one took: its next step waits for
// a picture that is being drawn.
const REST_MS = 150, MOST_REST_MS = 1000;
const OF_RANGE = ['timeline', 'reserved', 'pools'];

export const isPictureTab = (tab) => ['flame', 'state', 'why', 'difference', ...OF_RANGE].includes(tab);

// The two sides of a difference: from another file, or from the mark to the playhead, or over the shown range.
function sidesNow(/** @type {Page} */ page) {
  const {before, state} = page.view, {first, last} = rangeNow(page);
  if (before !== null) return {file: before, before: 'auto', after: momentOf(page, state)};
  return {before: momentOf(page, first), after: momentOf(page, last)};
}

// The lives to draw: at the playhead, or for the range those that remain at its end, or that it frees, at its
// beginning.
function livesOfPicture(/** @type {Page} */ page) {
  const {lives, state} = page.view, {first, last} = rangeNow(page);
  if (lives === 'live' || !deviceNow(page).events) return {at: momentOf(page, state)};
  return {at: momentOf(page, lives === 'born' ? last : first), lives, first, last};
}

// A box of the flame graph may hold memory of several keepers: no line has a hue there, so that no colour means two
// things, and the page says so.
const WITHOUT_COLOURS = {color: 'line', hues: 'keeper'};

function requestNow(/** @type {Page} */ page) {
  const {tab, state} = page.view, where = whereNow(page), by = coloursNow(page), color = {color: by, hues: by};
  if (tab === 'flame') return {ask: 'picture', of: 'flame', ...where, ...livesOfPicture(page), ...(by === 'keeper' ? WITHOUT_COLOURS : color)};
  if (tab === 'state') return {ask: 'picture', of: 'state', ...where, at: momentOf(page, state), ...color};
  if (tab === 'why') return {ask: 'picture', of: 'explain', ...where, at: momentOf(page, state)};
  if (tab === 'difference') return {ask: 'compare', ...where, ...sidesNow(page), other: where.file};
  const views = {timeline: 'active', reserved: 'segments', pools: 'pools'};
  return {ask: 'picture', of: 'timeline', view: views[tab], ...where, first: page.view.first, last: page.view.last, axis: page.view.axis, ...(tab === 'reserved' && ['kind', 'keeper'].includes(by) ? {} : color)};
}

// Within the page a picture has neither its own headline nor search, help and hints, which the page has for all; its
// details come after the drawing. See sheet.js of the pictures.
const HEAD_PARTS = '[data-flow]:has(.headline, .answer), [data-leading]', DRAWINGS = '#graph, #board, .chart';
const hasHead = (tab) => tab === 'why' || tab === 'difference';
const STYLE = '#crumbs{flex-basis:auto}#crumbs:not(:has(button)){display:none}.lit>rect,.bands>.lit,.lit-mark{stroke:light-dark(#d01c8b,#ff6bb3);stroke-width:2}.lit-mark{fill:none;pointer-events:none}button.panel{background:var(--panel);border-color:var(--line);color:inherit}';

// Pins a block of the segments, or a band of the timeline, by its name.
async function pin(/** @type {Page} */ page, name) {
  const life = await page.askJson({ask: 'cell', ...whereNow(page), name});
  if (life) page.change({life: life.life});
}

// The engine's drawing, without what runs by itself, and its script.
function readDrawing(text) {
  const svg = document.adoptNode(new DOMParser().parseFromString(text, 'image/svg+xml').documentElement);
  const scripts = [...svg.querySelectorAll('script')], script = scripts.map((one) => one.textContent).join('');
  for (const one of scripts) one.remove();
  for (const one of svg.querySelectorAll('*')) for (const name of one.getAttributeNames()) if (name.startsWith('on')) one.removeAttribute(name);
  return {svg, script};
}

// Runs a picture's script, of which the page's policy allows no other than the program's, with `page` instead of a
// picture's own surroundings: see dom.js and link.js of the pictures.
function run(script, page) {
  const runner = Object.assign(element('script', {}, script), {page});
  document.head.append(runner);
  runner.remove();
}

/** @type {import('./types.js').Picture} */
const SILENT = {light: () => {}, search: () => {}, resize: () => {}, copyStack: () => {}, keys: [], letGo: () => false, goBack: () => {}};

// Puts pictures into their place, whose shadow root keeps names and styles apart. Returns what shows one, and what the
// page calls of it.
function pictureHolder(/** @type {Page} */ page, place) {
  const shadow = place.attachShadow({mode: 'open'}), holder = {picture: SILENT, show};
  const showTip = (words, at) => showPageTip(words, at, place), hideTip = () => hidePageTip(place);
  function show({svg, script}, tab) {
    holder.picture = {...SILENT};
    hideTip();
    pinPageTip(false);
    place.dataset.tab = tab;
    if (!hasHead(tab)) for (const part of svg.querySelectorAll(HEAD_PARTS)) part.remove();
    shadow.replaceChildren(element('style', {}, STYLE), svg);
    run(script, {svg, hasHead: hasHead(tab), drawings: DRAWINGS, picture: holder.picture,
                 pin: (name) => pin(page, name), point: (what) => lightPointed(page, what), showTip, hideTip, pinTip: pinPageTip});
    holder.picture.search(page.view.search);
    holder.picture.light(litOfPicture(page));
  }
  new ResizeObserver(() => holder.picture.resize()).observe(place);
  place.addEventListener('pointerleave', () => lightPointed(page, null));
  // A line of a list lights its allocations.
  function lightRow(/** @type {any} */ {target}) {
    const row = target.closest('.row');
    if (row) lightLine(page, row.dataset);
    else if (!target.closest(DRAWINGS)) lightNothing(page);
  }
  for (const name of ['pointerover', 'focusin']) shadow.addEventListener(name, lightRow);
  // A click leaves the keys to the page; Tab leads into the drawing.
  shadow.addEventListener('focusin', (/** @type {any} */ {target}) => target.closest(DRAWINGS) && !target.matches(':focus-visible') && target.blur());
  return holder;
}

// Draws the picture of the tab once the playhead rests; `drawn` keeps the last one.
function pictureDrawer(/** @type {Page} */ page, drawn, holder) {
  let key = '', drawingMs = 0, rest = 0;
  const draw = latestOnly(async () => {
    const request = requestNow(page), {tab} = page.view, wanted = JSON.stringify(request);
    const isOld = () => JSON.stringify(requestNow(page)) !== wanted; // the next one is on its way
    if (wanted === key) return;
    try {
      const began = performance.now();
      const svg = await page.askText(request);
      if (isOld()) return;
      const drawing = readDrawing(svg);
      await new Promise(requestAnimationFrame); // keys and the pointer do not wait for both parts
      if (isOld()) return;
      drawn.svg = svg;
      key = wanted;
      byId('picture').hidden = false;
      byId('message').hidden = true;
      holder.show(drawing, tab);
      drawingMs = performance.now() - began;
    } catch (error) {
      if (isOld()) return;
      byId('picture').hidden = true;
      byId('message').hidden = false;
      byId('message').textContent = error.message;
      key = '';
    }
  });
  return (changed) => {
    clearTimeout(rest);
    if (!isPictureTab(page.view.tab)) return;
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

const textNow = (/** @type {Page} */ page, of, about) => page.askText({ask: 'text', of, ...whereNow(page), ...about});
const atPlayhead = (/** @type {Page} */ page, of) => () => textNow(page, of, {at: momentOf(page, page.view.state)});
const ofRange = (/** @type {Page} */ page) => textNow(page, 'timeline', {first: page.view.first, last: page.view.last});

// Requests the figures of each tab, as JSON; the tables add theirs.
export const makeFigures = (/** @type {Page} */ page) => ({
  flame: () => textNow(page, 'flame', livesOfPicture(page)),
  state: atPlayhead(page, 'state'),
  why: atPlayhead(page, 'explain_json'),
  difference: () => textNow(page, 'compare', {...sidesNow(page), other: page.view.file}),
  info: atPlayhead(page, 'stats'),
  ...Object.fromEntries(OF_RANGE.map((tab) => [tab, () => ofRange(page)])),
});

export async function saveJson(/** @type {Page} */ page) {
  save(await page.figures[page.view.tab](), 'application/json', `memviz-${page.view.tab}.json`);
}

// Returns what saves the picture, and what gives the one that is shown.
export function startPictures(/** @type {Page} */ page) {
  const drawn = {svg: ''}, holder = pictureHolder(page, byId('picture'));
  page.watch(['file', 'device', 'state', 'other', 'before', 'first', 'last', 'by', 'axis', 'tab', 'lives'], pictureDrawer(page, drawn, holder));
  page.watch(['tab', 'by', 'file', 'device'], () => (byId('several').hidden = page.view.tab !== 'flame' || coloursNow(page) !== 'keeper'));
  page.watch(['search'], () => holder.picture.search(page.view.search));
  page.watch(['lit', 'pinned'], () => holder.picture.light(litOfPicture(page)));
  return {
    savePicture: () => drawn.svg && save(drawn.svg, 'image/svg+xml', `memviz-${page.view.tab}.svg`),
    pictureNow: () => holder.picture,
  };
}
