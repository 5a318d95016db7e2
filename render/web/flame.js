// Starts a flame graph, alone or compared: what clicks, keys and switches do.
import {clearSearch, pinTip, showStatus, startControls} from './core/controls.js';
import './core/flows.js';
import {answerPage} from './core/link.js';
import {search} from './core/search.js';
import {layouts, startSheet, topOf, whenSettled} from './core/sheet.js';
import {hideTip, pagePoint, tipState} from './core/tip.js';
import {stackText} from './flame/copy.js';
import {dustAt} from './flame/dust.js';
import {closeRun, openRun} from './flame/elements.js';
import {loadState, saveState} from './flame/fragment.js';
import {boxTowards, describeWhole, focusBox} from './flame/keyboard.js';
import {boxes, geometry, graph, SWITCHES, titleOfBox, view, weighing} from './flame/picture.js';
import {lightAgain, lightBoxes, pointedOfBox} from './flame/lit.js';
import {markElement, runSearch, searchStatus} from './flame/search.js';
import {isReset, showCrumbs, showSwitches, switchButtons} from './flame/toolbar.js';
import {layOut, layOutIn, showTree} from './flame/view.js';
import {finishMoving, isMoving, layOutFrom} from './flame/zoom.js';

const NARROW = 80; // an opened run this narrow could not be read without zooming

function refresh() {
  showCrumbs();
  showStatus(searchStatus());
  saveState();
}

layouts.graph = (section, room) => {
  finishMoving();
  const growth = layOutIn(section, room);
  refresh();
  return growth;
};
whenSettled(() => (geometry.top = topOf(graph.parentNode)));

function zoomTo(box) {
  finishMoving();
  const before = view.zoom;
  view.zoom = box;
  hideTip();
  layOutFrom(before);
  refresh();
}

function activate(box) {
  finishMoving();
  pinTip(false);
  const opens = box.run.length && !box.parts;
  if (opens) {
    openRun(box);
    runSearch(search.query);
  }
  zoomTo(!opens || box.span.width < NARROW ? box : view.zoom);
  if (view.focus) focusBox(box);
}

function toggle(key) {
  finishMoving();
  pinTip(false);
  hideTip();
  view[key] = !view[key];
  showTree();
  showSwitches();
  lightAgain();
  runSearch(search.query);
  layOut();
  refresh();
}

function resetZoom() {
  finishMoving();
  boxes.forEach(closeRun);
  focusBox(null);
  hideTip();
  zoomTo(boxes[0]);
}

function reset() {
  for (const key of SWITCHES) view[key] = false;
  pinTip(false);
  showTree();
  showSwitches();
  resetZoom();
  clearSearch();
}

// Returns the box under the pointer, and the part of it: the box itself, or a frame of an opened run.
function itemAt(event) {
  const group = event.target.closest && event.target.closest('#graph > g');
  const item = group && (group.isDust ? dustAt(pagePoint(event)) : group.box);
  return item ? {item, holder: group.shownFrame || item} : null;
}

function showLit(lit) {
  lightBoxes(lit);
  boxes.filter((box) => !box.isDust).forEach(markElement);
}

function walk(key) {
  finishMoving();
  const target = boxTowards(view.focus || view.zoom, key);
  if (target) focusBox(view.focus ? target : view.zoom);
  return Boolean(target);
}

for (const key of SWITCHES) switchButtons[key].addEventListener('click', () => toggle(key));
graph.setAttribute('role', 'tree');
graph.setAttribute('aria-label', 'graph: arrow keys walk from box to box, Enter zooms, ? lists all keys');
graph.addEventListener('focus', () => !view.focus && graph.matches(':focus-visible') && focusBox(view.zoom));

startControls({
  drawing: graph, view, itemAt, isMoving, activate, walk, searchStatus, reset,
  titleOf: titleOfBox,
  pointedOf: pointedOfBox,
  switches: Object.values(switchButtons),
  focusMatch(box) {
    if (!box.span) zoomTo(boxes[0]);
    focusBox(box);
  },
  search(query) {
    runSearch(query);
    showStatus(searchStatus());
    saveState();
  },
  zoomOutWhole: () => (!isReset() || view.focus ? resetZoom() : reset()),
  followCrumb: ({box}) => box && zoomTo(box),
  load() {
    finishMoving();
    loadState();
    layOut();
    refresh();
  },
  stackToCopy() {
    const box = (tipState.holder && tipState.holder.steps && tipState.holder) || view.focus || view.zoom;
    return {text: stackText(box, weighing, view.invert), name: box.label.name};
  },
  keys: [
    ['click, Enter', 'zoom into a box; open a folded run; a box above zooms out'],
    ['arrow keys', 'walk from box to box'],
    ['/', 'search as you type, plain text or /regex/; n and N: next and previous match'],
    ['i', 'invert: callees first'],
    ['r', 'collapse recursion'],
    ['h', 'hide library frames'],
  ],
  actions: {
    'i': () => toggle('invert'),
    'r': () => toggle('collapse'),
    'h': () => toggle('hide'),
    'Backspace': () => zoomTo(view.zoom.parent || view.zoom),
  },
});
answerPage({light: showLit});
describeWhole();
loadState();
startSheet();
