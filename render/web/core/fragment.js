// The view in the fragment of the URL, so that a link shows what its sender saw. That of a page is the page's.
import {page} from './dom.js';

export const whenFragmentChanges = (load) => page || window.addEventListener('hashchange', load);
export const readFragment = () => new URLSearchParams(page ? '' : location.hash.slice(1));

export function setFragment(state) {
  const fragment = state.toString();
  if (page || fragment === location.hash.slice(1)) return;
  try {
    history.replaceState(null, '', fragment ? '#' + fragment : location.pathname + location.search);
  } catch (error) {
    // Some browsers forbid it for files, or limit the number of calls; the picture works without.
  }
}
