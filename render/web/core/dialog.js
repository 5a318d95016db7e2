// The panels that open over the picture: the keys, and text to copy.
import {html, make, root, svg} from './dom.js';
import {pageSize, topOf} from './sheet.js';
import {button, controls} from './toolbar.js';

const DIALOG_WIDTH = 560;
let dialog = null;
export const isDialogOpen = () => dialog !== null;

function openDialog(title, content) {
  closeDialog();
  const close = button('close', 'close', 'close (Esc)');
  const box = html('div', {id: 'dialog', class: 'panel', role: 'dialog', 'aria-modal': 'true', 'aria-label': title},
                   html('strong', {}, title), close, content);
  const width = Math.min(DIALOG_WIDTH, pageSize.width - 16);
  const place = make('foreignObject', {x: (pageSize.width - width) / 2, y: topOf(controls) + 34, width, height: 380});
  place.append(box);
  dialog = {place, back: root.activeElement};
  svg.append(place);
  close.addEventListener('click', closeDialog);
  // The only other focusable element in it is the text to copy.
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Tab') return;
    const stops = [...box.querySelectorAll('button,textarea')];
    stops[(stops.indexOf(root.activeElement) + (event.shiftKey ? stops.length - 1 : 1)) % stops.length].focus();
    event.preventDefault();
  });
  close.focus();
}

export function closeDialog() {
  if (!dialog) return;
  dialog.place.remove();
  const {back} = dialog;
  dialog = null;
  if (back && back.isConnected && back.focus) back.focus();
}

// `keys`: pairs of keys and what they do.
export function showKeys(keys) {
  const rows = keys.map(([key, meaning]) => html('tr', {}, html('th', {scope: 'row'}, key), html('td', {}, meaning)));
  openDialog('Keys', html('table', {}, ...rows));
}

// Shows the text, ready to be copied, if the page may not write to the clipboard.
function offerText(string) {
  const area = html('textarea', {id: 'copied', class: 'panel', readonly: '', 'aria-label': 'the stack as text'});
  area.value = string;
  openDialog('Copy with Ctrl+C', area);
  area.focus();
  area.select();
}

// Reports whether it succeeded.
export async function copyText(string) {
  try {
    await navigator.clipboard.writeText(string);
    return true;
  } catch (error) {
    offerText(string);
    return false;
  }
}
