// Search over the whole recording: the number of hits, the way from one to the next, and the bytes of what is found.
import {byId} from './elements.js';
import {askJson, inTurn, latestOnly} from './engine.js';
import {change, files, hasDevice, jumpTo, openFiles, overviewOf, renew, view, watch, whereNow} from './model.js';
import {countOf, formatCount} from '../../render/web/core/numbers.js';

const nameOf = (device) => overviewOf(view.file).devices.find((one) => one.device === device).name;

function hitWords(hits) {
  if (hits.all) return hits.is_here ? `${formatCount(hits.until)} of ${formatCount(hits.all)}` : countOf(hits.all, 'hit');
  if (!hits.others) return 'searching …'; // the engine has not been asked yet
  if (!hits.others.length) return 'nothing in this recording';
  return `nothing here; ${hits.others.map(({device, all}) => `${formatCount(all)} on ${nameOf(device)}`).join(', ')}`;
}

const find = latestOnly(async (words) => {
  try {
    for (const {number: file} of openFiles()) if (files[file]) await askJson({ask: 'find', file, text: words});
    if (view.search === words) renew('search');
    else change({search: words});
  } catch (error) {
    byId('found').textContent = error.message;
  }
});

export function searchFor(words) {
  byId('search').value = words;
  find(words);
}
export const searchAgain = () => (view.search ? find(view.search) : byId('search').value && searchFor(''));

const hitsNow = () => askJson({ask: 'hits', ...whereNow(), state: view.state});

// The next hit of the whole recording, from the last to the first and back.
async function goToHit(direction) {
  if (!view.search || !hasDevice()) return;
  const before = view.state, {next, previous, first, last} = await hitsNow();
  const state = direction > 0 ? next ?? first : previous ?? last;
  if (state !== undefined && view.state === before) jumpTo(state);
}

const stepToHit = inTurn(goToHit);

export function startSearch() {
  const input = byId('search'), count = byId('hits');
  const showHits = latestOnly(async () => {
    const isSearching = view.search !== '' && hasDevice();
    const hits = isSearching ? await hitsNow() : {all: 0};
    count.hidden = !isSearching;
    for (const id of ['previous-hit', 'next-hit']) byId(id).hidden = hits.all === 0;
    if (isSearching) count.textContent = hitWords(hits);
  });
  input.addEventListener('input', () => find(input.value));
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    stepToHit(event.shiftKey ? -1 : 1);
  });
  byId('previous-hit').addEventListener('click', () => stepToHit(-1));
  byId('next-hit').addEventListener('click', () => stepToHit(1));
  watch(['search', 'file', 'device', 'state'], () => showHits({}));
  watch(['search'], () => {
    if (document.activeElement !== input) input.value = view.search;
  });
}
