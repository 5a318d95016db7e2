// What opens over the picture: the keys, and text to copy. `KEYS` is the picture's own list.
const DIALOG_WIDTH = 560;
let dialog = null;

function openDialog(title, content) {
  closeDialog();
  const close = button('close', 'close', 'close (Esc)');
  const box = html('div', {id: 'dialog', class: 'panel', role: 'dialog', 'aria-modal': 'true', 'aria-label': title},
                   html('strong', {}, title), close, content);
  const width = Math.min(DIALOG_WIDTH, sheet.state.width - 16);
  const place = make('foreignObject', {x: (sheet.state.width - width) / 2, y: sheet.topOf(controls) + 34, width, height: 380});
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

// Where a page may not write to the clipboard, the text is shown, ready to be copied.
function offerText(string) {
  const area = html('textarea', {id: 'copied', class: 'panel', readonly: '', 'aria-label': 'the stack as text'});
  area.value = string;
  openDialog('Copy with Ctrl+C', area);
  area.focus();
  area.select();
}

async function copyText(string, name) {
  try {
    await navigator.clipboard.writeText(string);
    showStatus(`copied: ${name}`);
  } catch (error) {
    offerText(string);
  }
}
