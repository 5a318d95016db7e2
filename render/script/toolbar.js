// The switches of a flame graph, and where in it the view stands.
const switchButtons = {
  invert: button('invert', 'invert', 'callees first: who holds memory, then who called (i)'),
  collapse: button('collapse', 'collapse recursion', 'show repeated calls once (r)'),
  hide: button('hide', 'hide libraries', 'show only your own frames (h)'),
};
placeToolbar(Object.values(switchButtons));

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
  if (isReset()) return showHint('a box');
  const path = [];
  for (let box = view.zoom; box; box = box.parent) path.unshift(box);
  let room = Math.floor(geometry.width / 8);
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
