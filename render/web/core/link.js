// A picture in the frame of a page (`memviz view`): messages from the page, and to it.
import {svg} from './dom.js';

const isFramed = window.parent !== window;

// An allocation by its name: "b7f064c000000_0".
export const sayAllocation = (name) => isFramed && window.parent.postMessage({memviz: {name}}, '*');

// Tells the page which part is under the pointer: {name} of an allocation, {frames, isStack, stream}, or null.
let isPointing = false;
export function sayPointed(what) {
  if (!isFramed || (!what && !isPointing)) return;
  isPointing = Boolean(what);
  window.parent.postMessage({memvizPointed: what}, '*');
}

// Calls `show` with what is lit in the page: {name, bytes, stack, path, stream, words}, or null. See lit.js of the page.
export function listenForLit(show) {
  if (!isFramed) return;
  window.addEventListener('message', ({source, data}) => {
    if (source === window.parent && data && data.memvizLit !== undefined) show(data.memvizLit);
  });
}

// A key that the page knows: those of its search and help, and keys that the picture has no use for.
export const sayKey = ({key, shiftKey, altKey}) => isFramed && window.parent.postMessage({memvizKey: {key, shiftKey, altKey}}, '*');

// Passes on a key of the page's search or help, which a picture in the page does not have. Returns whether it was one.
export function isForPage(event) {
  if (!isFramed || !svg.hasAttribute('data-framed') || !['/', '?'].includes(event.key)) return false;
  event.preventDefault();
  sayKey(event);
  return true;
}

// Calls `search` with the text searched for in the page.
export function listenToPage(search) {
  if (!isFramed) return;
  window.addEventListener('message', ({source, data}) => {
    if (source === window.parent && data && typeof data.memvizSearch === 'string') search(data.memvizSearch);
  });
}
