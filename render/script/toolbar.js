// The controls above the graph: switches, search, breadcrumb, help. HTML, so that they are buttons to everybody.
const CRUMBS_HEIGHT = 28, DIALOG_WIDTH = 560;

function html(name, attributes = {}, ...content) {
  const element = document.createElementNS(HTML, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  element.append(...content);
  return element;
}

const button = (id, label, title) => html('button', {id, class: 'panel', type: 'button', title}, label);
const switchButtons = {
  invert: button('invert', 'invert', 'callees first: who holds memory, then who called (i)'),
  collapse: button('collapse', 'collapse recursion', 'show repeated calls once (r)'),
  hide: button('hide', 'hide libraries', 'show only your own frames (h)'),
};
const copyButton = button('copy', 'copy stack', 'copy the stack of the box in focus, or else zoomed, as text (c)');
const helpButton = button('help', '?', 'keys (?)');
const searchInput = html('input', {id: 'search', class: 'panel', type: 'search', placeholder: 'search, or /regex/', 'aria-label': 'search boxes: plain text, or a regular expression between slashes'});
const previousButton = button('previous', '‹', 'previous match (N)');
const nextButton = button('next', '›', 'next match (n)');
const status = html('span', {id: 'status', class: 'dim', role: 'status', 'aria-live': 'polite'});
const crumbs = html('nav', {id: 'crumbs', class: 'dim', 'aria-label': 'zoomed to'});
const toolbar = html('div', {id: 'toolbar', role: 'toolbar', 'aria-label': 'view'}, ...Object.values(switchButtons), copyButton, helpButton,
                     status, searchInput, previousButton, nextButton);
const holder = controls.appendChild(make('foreignObject', {
  x: geometry.left, y: number(controls, 'data-y'), width: geometry.width, height: 30 + CRUMBS_HEIGHT - 2}));
holder.append(toolbar, crumbs);

const showStatus = (string) => (status.textContent = string);

const reading = svg.querySelector('#reading');
const readingText = reading ? reading.textContent : '';

function showSwitches() {
  if (reading) reading.textContent = view.invert ? readingText.replace(/callers (\w+) callees/, 'callees $1 callers') : readingText;
  for (const key in switchButtons) switchButtons[key].setAttribute('aria-pressed', view[key]);
}

const isReset = () => view.zoom === boxes[0] && !boxes.some((box) => box.parts);

function crumbOf(box, label) {
  const crumb = html('button', {class: 'crumb', type: 'button', title: box.label.name}, label);
  crumb.box = box;
  return crumb;
}

function showCrumbs() {
  if (isReset()) {
    crumbs.replaceChildren('click a box to zoom, arrows to walk, / to search, ? for all keys');
    return;
  }
  const path = [];
  for (let box = view.zoom; box; box = box.parent) path.unshift(box);
  let room = 130;
  const shown = [];
  while (path.length && room > 12) {
    const box = path.pop();
    const label = fitLabel({name: box.label.name, place: '', note: '', brief: box.label.brief}, Math.min(30, room)) || '…';
    room -= columnsOf(label) + 3;
    shown.unshift(' › ', crumbOf(box, label));
  }
  shown[0] = path.length ? ' … › ' : ' ';
  crumbs.replaceChildren(html('button', {class: 'crumb', type: 'button', 'data-reset': '1'}, 'reset'), ...shown);
}

const KEYS = [
  ['click, Enter', 'zoom into a box; open a folded run; a box above zooms out'],
  ['arrow keys', 'walk from box to box'],
  ['Backspace', 'zoom out one level'],
  ['Esc', 'back: close, let go, stop searching, zoom out'],
  ['/', 'search as you type, plain text or /regex/; n and N: next and previous match'],
  ['p, Ctrl+click', 'pin the tooltip, to select its text'],
  ['c', 'copy the stack as text'],
  ['i', 'invert: callees first'],
  ['r', 'collapse recursion'],
  ['h', 'hide library frames'],
  ['0', 'the whole picture again'],
  ['?', 'this list'],
];

let dialog = null;

function openDialog(title, content) {
  closeDialog();
  const close = button('close', 'close', 'close (Esc)');
  const box = html('div', {id: 'dialog', class: 'panel', role: 'dialog', 'aria-modal': 'true', 'aria-label': title},
                   html('strong', {}, title), close, content);
  const place = make('foreignObject', {x: (geometry.pageWidth - DIALOG_WIDTH) / 2, y: number(controls, 'data-y') + 34,
                                       width: DIALOG_WIDTH, height: 380});
  place.append(box);
  dialog = {place, back: document.activeElement};
  svg.append(place);
  close.addEventListener('click', closeDialog);
  // The only other thing to reach in it is the text to copy.
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Tab') return;
    const stops = [...box.querySelectorAll('button,textarea')];
    stops[(stops.indexOf(document.activeElement) + (event.shiftKey ? stops.length - 1 : 1)) % stops.length].focus();
    event.preventDefault();
  });
  close.focus();
}

function closeDialog() {
  if (!dialog) return;
  dialog.place.remove();
  const {back} = dialog;
  dialog = null;
  if (back && back.isConnected && back.focus) back.focus();
}

function showHelp() {
  const rows = KEYS.map(([keys, meaning]) => html('tr', {}, html('th', {scope: 'row'}, keys), html('td', {}, meaning)));
  openDialog('Keys', html('table', {}, ...rows));
}
