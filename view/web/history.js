// The browser's history: an entry for everything that a person would undo, none for each step of the playhead.
import {byId} from './elements.js';
import {fragmentOf, readLink} from './model.js';

const SAVE_MS = 300;

// Some browsers forbid entries for files; the page works without.
function writeEntry(method, fragment) {
  try {
    history[method](null, '', fragment);
  } catch (error) {
    return false;
  }
  return true;
}

// Entries for changes of the view. `openLinked(fragment)` opens the ranks that a link names, and returns whether it is one to
// the ranks alone; `onReturn` is called after Back, Forward, or a new fragment by hand. Returns what shows the view of a link.
export function startHistory(/** @type {Page} */ page, {openLinked, onReturn}) {
  let isRestoring = false, isVisiting = false, saving = 0;
  let followed = null; // while the ranks of a link are opened: until then its entry is not that of the view
  // There is nothing to return to before the first file, except the ranks of a job.
  const isFirst = () => page.view.file === null && byId('job').hidden;
  const saveNow = () => followed || writeEntry('replaceState', fragmentOf(page));
  // All changes of one click or key are one entry, written before the next one.
  page.beforeVisits(() => {
    if (isRestoring || isVisiting || isFirst()) return;
    isVisiting = true;
    clearTimeout(saving);
    saveNow();
    followed = null; // this is wanted now
    queueMicrotask(() => {
      isVisiting = false;
      writeEntry('pushState', fragmentOf(page));
    });
  });
  page.afterChanges(() => {
    clearTimeout(saving);
    if (!isVisiting) saving = setTimeout(saveNow, SAVE_MS);
  });
  async function follow() {
    clearTimeout(saving);
    const link = (followed = {fragment: location.hash}), showsRanks = await openLinked(link.fragment);
    if (followed !== link) return; // another one, or something else, is wanted meanwhile
    followed = null;
    isRestoring = true;
    if (showsRanks) page.change({isShown: false});
    else readLink(page, link.fragment);
    isRestoring = false;
    onReturn();
  }
  window.addEventListener('popstate', follow);
  return follow;
}
