// The controls above a drawing: search, breadcrumb, help. HTML, so that they are buttons to everybody.
const CONTROLS_HEIGHT = 28; // in the file

const copyButton = button('copy', 'copy stack', 'copy the stack of what is in focus as text (c)');
const helpButton = button('help', '?', 'keys (?)');
const searchInput = html('input', {id: 'search', class: 'panel', type: 'search', placeholder: 'search, or /regex/', 'aria-label': 'search: plain text, or a regular expression between slashes'});
const previousButton = button('previous', '‹', 'previous match (N)');
const nextButton = button('next', '›', 'next match (n)');
const status = html('span', {id: 'status', class: 'dim', role: 'status', 'aria-live': 'polite'});
const crumbs = html('nav', {id: 'crumbs', class: 'dim', 'aria-label': 'zoomed to'});
const toolbar = html('div', {id: 'toolbar', role: 'toolbar', 'aria-label': 'view'});
const holder = controls.appendChild(make('foreignObject', {y: number(controls, 'data-y')}));
holder.append(toolbar);

function placeToolbar(switches) {
  toolbar.append(...switches, copyButton, helpButton, status, searchInput, previousButton, nextButton, crumbs);
}

// On a phone the buttons take several lines.
sheet.layouts.controls = (section, room) => {
  holder.setAttribute('x', room.left);
  holder.setAttribute('width', room.width);
  const height = toolbar.offsetHeight;
  holder.setAttribute('height', height);
  return Math.max(0, height - CONTROLS_HEIGHT);
};

const HINT = 'to zoom, arrows to walk, / to search, ? for all keys', TOUCH_HINT = 'to zoom';
// What the controls say before anything was done: a phone has no keys.
const showHint = (what) => crumbs.replaceChildren(sheet.isPhone() ? `tap ${what} ${TOUCH_HINT}` : `click ${what} ${HINT}`);

const showStatus = (string) => (status.textContent = string);

const reading = svg.querySelector('#reading');

function clearSearch() {
  searchInput.value = '';
  searchInput.blur();
  onSearch();
}

// The match after or before the current one, which it becomes; nothing where there is none.
function stepToMatch(step) {
  const count = search.matches.length;
  if (!count) return null;
  search.current = search.current < 0 ? (step > 0 ? 0 : count - 1) : (search.current + step + count) % count;
  return search.matches[search.current];
}

// A line of a list leads to what it names.
function findRow(row) {
  searchInput.value = text(row, 'data-find');
  onSearch();
  nextMatch(1);
}

const sharedKeys = {
  '/': () => searchInput.focus(),
  'n': () => nextMatch(1),
  'N': () => nextMatch(-1),
  'p': () => pinTip(!tipState.isPinned),
  'c': () => copyStack(),
  '0': () => reset(),
  '?': () => showHelp(),
};

// Each picture says what its keys do in `keyActions`, and moves along what it draws in walk(), which is false for
// other keys.
function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isOnButton = event.target.localName === 'button' && (event.key === 'Enter' || event.key === ' ');
  if (event.key === 'Escape') goBack();
  else if (dialog || isOnButton || event.key === 'Tab') return;
  else if (event.target === searchInput && event.key === 'Enter') nextMatch(event.shiftKey ? -1 : 1);
  else if (event.target === searchInput) return;
  else if (event.key === 'Enter' && event.target.closest('.row')) findRow(event.target.closest('.row'));
  else if (event.key === 'Enter' && view.focus) activate(view.focus);
  else if (keyActions[event.key]) keyActions[event.key]();
  else if (!walk(event.key)) return;
  event.preventDefault();
}

function listenToControls() {
  searchInput.addEventListener('input', onSearch);
  copyButton.addEventListener('click', copyStack);
  helpButton.addEventListener('click', showHelp);
  previousButton.addEventListener('click', () => nextMatch(-1));
  nextButton.addEventListener('click', () => nextMatch(1));
  for (const row of svg.querySelectorAll('.row')) {
    row.setAttribute('tabindex', '0');
    row.setAttribute('role', 'button');
    row.addEventListener('click', () => findRow(row));
  }
  document.addEventListener('keydown', onKey);
}
