// The view <-> the fragment of the URL, so that a link shows what its sender saw.
const SWITCHES = ['invert', 'collapse', 'hide'];

function saveState() {
  const state = new URLSearchParams();
  const on = SWITCHES.filter((key) => view[key]);
  if (on.length) state.set('view', on.join('.'));
  if (view.zoom !== boxes[0]) state.set('zoom', view.zoom.index);
  const opened = boxes.filter((box) => box.parts).map((box) => box.index);
  if (opened.length) state.set('open', opened.join('.'));
  if (search.query) state.set('search', search.query);
  setFragment(state.toString());
}

// A link may say anything: only digits name a box.
const boxNumbered = (word) => (/^\d+$/.test(word) ? boxes[Number(word)] : undefined);

function loadState() {
  const state = new URLSearchParams(location.hash.slice(1));
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
