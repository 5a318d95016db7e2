// The browser's history: an entry for everything that a person would undo, none for each step of the playhead.
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

// Entries for changes of the view. `onReturn` is called after Back, Forward, or a new fragment by hand.
export function startHistory(/** @type {Page} */ page, onReturn) {
  let isRestoring = false, isVisiting = false, saving = 0;
  const saveNow = () => writeEntry('replaceState', fragmentOf(page));
  // All changes of one click or key are one entry, written before the next one.
  page.beforeVisits(() => {
    if (isRestoring || isVisiting) return;
    isVisiting = true;
    clearTimeout(saving);
    saveNow();
    queueMicrotask(() => {
      isVisiting = false;
      writeEntry('pushState', fragmentOf(page));
    });
  });
  page.afterChanges(() => {
    clearTimeout(saving);
    if (!isVisiting) saving = setTimeout(saveNow, SAVE_MS);
  });
  window.addEventListener('popstate', () => {
    if (!page.files.length) return;
    clearTimeout(saving);
    isRestoring = true;
    readLink(page, location.hash);
    isRestoring = false;
    onReturn();
  });
}
