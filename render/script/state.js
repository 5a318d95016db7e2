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
  const fragment = state.toString();
  try {
    history.replaceState(null, '', fragment ? '#' + fragment : location.pathname + location.search);
  } catch (error) {
    // Some browsers forbid it for files, or so many calls at once; the picture works without.
  }
}

function loadState() {
  const state = new URLSearchParams(location.hash.slice(1));
  const on = (state.get('view') || '').split('.');
  for (const key of SWITCHES) view[key] = on.includes(key);
  showTree();
  boxes.forEach(closeRun);
  for (const index of (state.get('open') || '').split('.')) if (index && boxes[index]) openRun(boxes[index]);
  view.zoom = boxes[Number(state.get('zoom'))] || boxes[0];
  searchInput.value = state.get('search') || '';
  showSwitches();
  runSearch(searchInput.value);
}
