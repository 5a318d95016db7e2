// The calls between a picture and the page that draws it (`memviz view`); alone, a picture has no page.
import {page} from './dom.js';

// An allocation by its name: "b7f064c000000_0".
export const sayAllocation = (name) => page?.pin(name);

// The part under the pointer: {name} of an allocation, {frames, isStack, stream}, or null.
export const sayPointed = (what) => page?.point(what);

// Replaces what the page calls and shows:
//   light(lit)         shows what is lit in the page: {name, bytes, stack, path, stream, words, paint}, or null; see its lit.js
//   search(words)      shows what the page searches for
//   resize()           takes another width
//   keys               pairs of keys and what they do
//   copyStack()        copies the stack of what the tooltip shows
//   letGo(), goBack()  for Escape: closes what is open or pinned, and returns whether that was all; then one layer more
export const answerPage = (answers) => Object.assign(page?.picture || {}, answers);

// Whether the page uses a key: those of its search, help and Escape, and all outside of the drawing.
export const isForPage = ({key, target}) => page && (['/', '?', 'Escape'].includes(key) || !target.closest(page.drawings));
