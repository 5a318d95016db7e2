// Search over the whole recording: the number of hits, the way from one to the next, and the bytes of what is found.
import {byId} from './elements.js';
import {inTurn, latestOnly} from './engine.js';
import {hasDevice, isHere, jumpTo, openFiles, overviewOf, whereNow} from './model.js';
import {countOf, formatCount} from '../../render/web/core/numbers.js';

const nameOf = (/** @type {Page} */ page, device) => overviewOf(page, page.view.file).devices.find((one) => one.device === device).name;

function hitWords(/** @type {Page} */ page, hits) {
  if (hits.all) return hits.is_here ? `${formatCount(hits.until)} of ${formatCount(hits.all)}` : countOf(hits.all, 'hit');
  if (!hits.others) return 'searching …'; // the engine has not been asked yet
  if (!hits.others.length) return 'nothing in this recording';
  return `nothing here; ${hits.others.map(({device, all}) => `${formatCount(all)} on ${nameOf(page, device)}`).join(', ')}`;
}

export const makeFind = (/** @type {Page} */ page) => latestOnly(async (words) => {
  try {
    for (const {number: file} of openFiles(page)) if (page.files[file]) await page.askJson({ask: 'find', file, text: words});
    if (page.view.search === words) page.renew('search');
    else page.change({search: words});
  } catch (error) {
    byId('found').textContent = error.message;
  }
});

export function searchFor(/** @type {Page} */ page, words) {
  byId('search').value = words;
  page.find(words);
}
export const searchAgain = (/** @type {Page} */ page) => (page.view.search ? page.find(page.view.search) : byId('search').value && searchFor(page, ''));

const hitsNow = (/** @type {Page} */ page) => page.askJson({ask: 'hits', ...whereNow(page), state: page.view.state});

// The next hit of the whole recording, from the last to the first and back.
async function goToHit(/** @type {Page} */ page, direction) {
  if (!page.view.search || !hasDevice(page)) return;
  const before = page.view.state, where = whereNow(page), {next, previous, first, last} = await hitsNow(page);
  const state = direction > 0 ? next ?? first : previous ?? last;
  if (state !== undefined && page.view.state === before && isHere(page, where)) jumpTo(page, state);
}

export function startSearch(/** @type {Page} */ page) {
  const input = byId('search'), count = byId('hits'), stepToHit = inTurn((direction) => goToHit(page, direction));
  const showHits = latestOnly(async () => {
    const isSearching = page.view.search !== '' && hasDevice(page), where = whereNow(page);
    const hits = isSearching ? await hitsNow(page) : {all: 0};
    if (!isHere(page, where)) return; // the next answer is on its way
    count.hidden = !isSearching;
    for (const id of ['previous-hit', 'next-hit']) byId(id).hidden = hits.all === 0;
    if (isSearching) count.textContent = hitWords(page, hits);
  });
  input.addEventListener('input', () => page.find(input.value));
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    stepToHit(event.shiftKey ? -1 : 1);
  });
  byId('previous-hit').addEventListener('click', () => stepToHit(-1));
  byId('next-hit').addEventListener('click', () => stepToHit(1));
  page.watch(['search', 'file', 'device', 'state'], () => showHits({}));
  page.watch(['search'], () => {
    if (document.activeElement !== input) input.value = page.view.search;
  });
}
