// The allocations that all parts of the page light up: those under the pointer in one of them, and the pinned one.
// Lit: {key, has(index), words, life}. `words`: the lines, kinds and functions of them; `life`: the only one, or null.
import {latestOnly} from './engine.js';
import {isHere, whereNow} from './model.js';

export const wordsOf = ({name, place}) => `${name} ${place || ''}`.trim();
const functionWords = ({name, place}) => `${name} ${(place || '').replace(/:\d+$/, '')}`.trim();

// One allocation: its line, kind, and the frames and functions of its stack.
/** @param {import('./types.js').Life} life */
function litLife(life) {
  const words = new Set([life.line, life.kind, ...life.stack.map(wordsOf), ...life.stack.map(functionWords)]);
  return {has: (index) => index === life.life, words, life};
}

// Null: no allocation is one of them.
async function litSet(/** @type {Page} */ page, where, request, words) {
  const bits = new Uint8Array(await page.askBytes({ask: 'lit', ...where, ...request}));
  if (!bits.some(Boolean)) return null;
  return {has: (index) => ((bits[index >> 3] >> (index & 7)) & 1) === 1, words: new Set(words), life: null};
}

// `find(where)` is of the file and device that were shown when it was wanted.
export function makeLight(/** @type {Page} */ page) {
  const light = latestOnly(async ({key, find, where}) => {
    if (!isHere(page, where) || (page.view.lit ? page.view.lit.key === key : !find)) return;
    const found = find ? await find(where) : null;
    if (isHere(page, where)) page.change({lit: found && {...found, key}});
  });
  return (wanted) => light({...wanted, where: whereNow(page)});
}

export const lightNothing = (/** @type {Page} */ page) => page.light({key: null, find: null});
// The allocation that `find(where)` returns the answer for; null: none. `about`: members to add.
export const lightFound = (/** @type {Page} */ page, key, find, about = {}) => page.light({key, find: async (where) => {
  const life = await find(where);
  return life && {...litLife(life), ...about};
}});
export const lightLife = (/** @type {Page} */ page, life) => lightFound(page, `life ${life}`, (where) => page.askJson({ask: 'life', ...where, life}));
// A set of allocations, as the engine answers `lit`; `words` name it in lists.
export const lightSet = (/** @type {Page} */ page, request, words, about = {}) => page.light({key: JSON.stringify(request), find: async (where) => {
  const set = await litSet(page, where, request, words);
  return set && {...set, ...about};
}});

// Lights those of a line.
export const lightLine = (/** @type {Page} */ page, {name, place = ''}) => lightSet(page, {of: 'line', name, place}, [wordsOf({name, place})]);

// Lights the allocation of a block or band of a picture, or the stacks of a box, under the pointer there.
export function lightPointed(/** @type {Page} */ page, what) {
  if (!what) return lightNothing(page);
  const {name, frames, isStack, stream} = what, about = {isFromPicture: true};
  if (name) return lightFound(page, `name ${name}`, (where) => page.askJson({ask: 'cell', ...where, name: String(name)}), about);
  const words = Array.from(frames, String), last = words.at(-1);
  const place = stream ? {stream: String(stream)} : {};
  lightSet(page, {...(isStack ? {of: 'stack', frames: words.join('\n')} : {of: 'frame', name: last}), ...place}, [last], about);
}

// The hovered ones, else the pinned one.
const litNow = (/** @type {Page} */ page) => page.view.lit || page.view.pinned;

// Marks rows of which `isLit(row)` is true for what is lit.
export function markLit(/** @type {Page} */ page, rows, isLit) {
  const lit = litNow(page);
  for (const row of rows) row.classList.toggle('lit', Boolean(lit) && isLit(row, lit));
}

// The parts of a picture are lit by name and stack, whose outermost frame is the first: a flame graph's by the stream
// and those frames that it shows, `path`; classes by their paint. The part under the pointer there has its tooltip instead.
export function litOfPicture(/** @type {Page} */ page) {
  const lit = page.view.lit && page.view.lit.isFromPicture ? page.view.pinned : litNow(page);
  if (!lit) return null;
  if (!lit.life) return {name: '', bytes: 0, stack: [], path: [], stream: '', words: [...lit.words], paint: lit.paint};
  const {name, bytes, stack, stream = ''} = lit.life;
  const inwards = [...stack].reverse();
  return {name, bytes, stack: inwards.map(wordsOf), path: inwards.filter((frame) => frame.is_in_graphs).map(wordsOf), stream, words: []};
}

// Lights what the row under the pointer, or with the keyboard's focus, stands for.
export function lightsWithin(/** @type {Page} */ page, list, rows, light) {
  const at = ({target}) => {
    const row = target.closest(rows);
    if (row) light(row);
  };
  for (const name of ['pointerover', 'focusin']) list.addEventListener(name, at);
  for (const name of ['pointerleave', 'focusout']) list.addEventListener(name, () => lightNothing(page));
}

export function startLit(/** @type {Page} */ page) {
  const pin = latestOnly(async () => {
    const {life, file, device} = page.view, found = life === null ? null : await page.askJson({ask: 'life', ...whereNow(page), life});
    if (page.view.life === life && isHere(page, {file, device})) page.change({pinned: found && litLife(found)});
  });
  page.watch(['life', 'file', 'device'], () => pin({}));
  page.watch(['file', 'device'], () => page.change({lit: null}));
}
