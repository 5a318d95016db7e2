// The parts that flame graphs and segments share above and around their drawing: search, breadcrumb, help, keys, and a
// tooltip that can be pinned. The picture passes to startControls() what these do to the drawing.
import {html, keyboard, root} from './dom.js';
import {closeDialog, copyText, isDialogOpen, showKeys} from './dialog.js';
import {setAttributes} from './attributes.js';
import {whenFragmentChanges} from './fragment.js';
import {isPhone, whenSettled} from './sheet.js';
import {answerPage, isForPage, sayPointed} from './link.js';
import {search, stepToMatch} from './search.js';
import {hideTip, pagePoint, setPinned, showTip, tipState} from './tip.js';
import {button, crumb, hasModifier, listenToRows, searchInput, status, toolbar, unlessInPage} from './toolbar.js';

const HINT = 'to zoom, arrows to walk, / to search, ? for all keys', TOUCH_HINT = 'to zoom';
const LEFT_OUT = 'more: click to open';
const SHARED_KEYS = [
  ['Backspace', 'zoom out one level'],
  ['Esc', 'back: close, let go, stop searching, zoom out'],
  ['p, Ctrl+click', 'pin the tooltip, to select its text'],
  ['c', 'copy the stack as text'],
  ['0', 'the whole picture again'],
  ['?', 'this list'],
];

setAttributes(searchInput, {placeholder: 'search, or /regex/', 'aria-label': 'search: plain text, or a regular expression between slashes'});
const copyButton = button('copy', 'copy stack', 'copy the stack of what is in focus as text (c)');
const helpButton = button('help', '?', 'keys (?)');
const previousButton = button('previous', '‹', 'previous match (N)');
const nextButton = button('next', '›', 'next match (n)');
const crumbs = html('nav', {id: 'crumbs', class: 'dim', 'aria-label': 'zoomed to'});

export const showStatus = (string) => (status.textContent = string);

// The path to the zoomed item; if nothing is zoomed, what a click on `what` does. A phone has no keys, and a frame that
// is hidden at first looks as narrow as one.
let hinted = '';
export function showHint(what) {
  hinted = what;
  crumbs.replaceChildren(isPhone() ? `tap ${what} ${TOUCH_HINT}` : `click ${what} ${HINT}`);
}
export function showCrumbTrail(...trail) {
  hinted = '';
  crumbs.replaceChildren(crumb('reset', {'data-reset': '1'}), ...trail);
}
whenSettled(() => hinted && showHint(hinted));

// The picture, as passed to startControls().
let picture = null;

export function pinTip(isPinned) {
  if (isPinned && !tipState.holder) return;
  setPinned(isPinned);
  showStatus(isPinned ? 'pinned: its text can be selected; p or Esc lets go' : picture.searchStatus());
}

export const showTitle = (point, holder) => showTip(point, holder, picture.titleOf, LEFT_OUT);

function onSearch() {
  picture.search(searchInput.value);
}

function showSearch(words) {
  searchInput.value = words;
  onSearch();
}

export function clearSearch() {
  searchInput.value = '';
  searchInput.blur();
  onSearch();
}

function nextMatch(step) {
  const match = stepToMatch(step);
  if (!match) return;
  picture.focusMatch(match);
  showStatus(picture.searchStatus());
}

export function findRow(words) {
  showSearch(words);
  nextMatch(1);
}

async function copyStack() {
  const {holder} = tipState;
  const copied = holder && holder.toCopy ? holder.toCopy() : picture.stackToCopy();
  if (copied && (await copyText(copied.text))) showStatus(`copied: ${copied.name}`);
}

const allKeys = () => [...picture.keys, ...SHARED_KEYS];
const showHelp = () => showKeys(allKeys());

// One layer per press: the last one opened closes first. Returns whether one of the first two was open.
function letGo() {
  const isOpen = isDialogOpen() || tipState.isPinned;
  if (isDialogOpen()) closeDialog();
  else if (isOpen) pinTip(false);
  return isOpen;
}

function goBack() {
  if (letGo()) return;
  if (search.query || root.activeElement === searchInput) return clearSearch();
  picture.zoomOutWhole();
}

const sharedActions = {
  '/': () => searchInput.focus(),
  'n': () => nextMatch(1),
  'N': () => nextMatch(-1),
  'p': () => pinTip(!tipState.isPinned),
  'c': copyStack,
  '0': () => picture.reset(),
  '?': showHelp,
};

function onKey(event) {
  if (hasModifier(event) || isForPage(event)) return;
  const isOnButton = event.target.localName === 'button' && (event.key === 'Enter' || event.key === ' ');
  const action = sharedActions[event.key] || picture.actions[event.key];
  if (event.key === 'Escape') goBack();
  else if (isDialogOpen() || isOnButton || event.key === 'Tab') return;
  else if (event.target === searchInput && event.key === 'Enter') nextMatch(event.shiftKey ? -1 : 1);
  else if (event.target === searchInput) return;
  else if (event.key === 'Enter' && event.target.closest('.row')) return;
  else if (event.key === 'Enter' && picture.view.focus) picture.activate(picture.view.focus);
  else if (action) action();
  else if (!picture.walk(event.key)) return;
  event.preventDefault();
}

// `itemAt` of an event: {item, holder}, the item that a click zooms to and the one that the tooltip describes; a holder
// with toCopy() has a stack to copy for the tooltip that shows it.
export function listenToDrawing({drawing, itemAt, titleOf, isMoving, activate, pointedOf = () => null}) {
  const show = (event, holder) => showTip(pagePoint(event), holder, titleOf, LEFT_OUT);
  drawing.addEventListener('click', (event) => {
    const found = itemAt(event);
    if (!found) return;
    if (!hasModifier(event) && !event.shiftKey) return activate(found.item);
    pinTip(false);
    show(event, found.holder);
    pinTip(true);
  });
  drawing.addEventListener('mousemove', (event) => {
    const found = isMoving() ? null : itemAt(event);
    if (found) show(event, found.holder);
    else hideTip();
    sayPointed(found && pointedOf(found.item));
  });
  drawing.addEventListener('mouseleave', () => {
    hideTip();
    sayPointed(null);
  });
}

// A picture says:
//   drawing, itemAt(event), titleOf(holder), isMoving()   what is drawn, and what is at a place
//   view                                                  {focus}: what the keys have reached
//   pointedOf(item)                                       what the page lights for it, see sayPointed()
//   activate(item), walk(key), focusMatch(item)           walk() is false for keys that lead nowhere
//   search(query), searchStatus()
//   zoomOutWhole(), reset(), followCrumb(element), load() load() shows what the fragment of the URL says
//   stackToCopy()                                         {text, name}, or nothing
//   keys, actions                                         its own, next to those that both pictures have
//   switches                                              its own buttons
export function startControls(it) {
  picture = it;
  toolbar.append(...it.switches, copyButton, ...unlessInPage(helpButton), status, ...unlessInPage(searchInput, previousButton, nextButton), crumbs);
  it.drawing.setAttribute('tabindex', '0');
  listenToDrawing(it);
  listenToRows(findRow);
  searchInput.addEventListener('input', onSearch);
  copyButton.addEventListener('click', copyStack);
  helpButton.addEventListener('click', showHelp);
  previousButton.addEventListener('click', () => nextMatch(-1));
  nextButton.addEventListener('click', () => nextMatch(1));
  crumbs.addEventListener('click', (event) => {
    if (event.target.hasAttribute('data-reset')) it.reset();
    else it.followCrumb(event.target);
  });
  keyboard.addEventListener('keydown', onKey);
  answerPage({letGo, goBack, search: showSearch, copyStack, keys: allKeys()});
  whenFragmentChanges(it.load);
}
