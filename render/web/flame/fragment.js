// The view <-> the fragment of the URL.
import {readFragment, setFragment} from '../core/fragment.js';
import {search} from '../core/search.js';
import {searchInput} from '../core/toolbar.js';
import {closeRun, openRun} from './elements.js';
import {boxes, SWITCHES, view} from './picture.js';
import {runSearch} from './search.js';
import {showSwitches} from './toolbar.js';
import {showTree} from './view.js';

export function saveState() {
  const state = new URLSearchParams();
  const on = SWITCHES.filter((key) => view[key]);
  if (on.length) state.set('view', on.join('.'));
  if (view.zoom !== boxes[0]) state.set('zoom', view.zoom.index);
  const opened = boxes.filter((box) => box.parts).map((box) => box.index);
  if (opened.length) state.set('open', opened.join('.'));
  if (search.query) state.set('search', search.query);
  setFragment(state);
}

// A link may contain anything: only digits name a box.
const boxNumbered = (word) => (/^\d+$/.test(word) ? boxes[Number(word)] : undefined);

export function loadState() {
  const state = readFragment();
  const on = (state.get('view') || '').split('.');
  for (const key of SWITCHES) view[key] = on.includes(key);
  showTree();
  boxes.forEach(closeRun);
  for (const word of (state.get('open') || '').split('.')) {
    const box = boxNumbered(word);
    if (box) openRun(box);
  }
  view.zoom = boxNumbered(state.get('zoom')) || boxes[0];
  searchInput.value = state.get('search') || '';
  showSwitches();
  runSearch(searchInput.value);
}
