// The tables: the holders of memory at the playhead, by line, kind or function; callers and callees of a function.
import {byId, element} from './elements.js';
import {latestOnly} from './engine.js';
import {lightNothing, lightSet, lightsWithin, markLit, wordsOf} from './lit.js';
import {deviceNow, hasDevice, rangeNow, whereNow} from './model.js';
import {searchFor} from './search.js';
import {formatBytes, formatCount, formatPercent} from '../../render/web/core/numbers.js';

const MOST_ROWS = 500;
const TABLES = ['line', 'kind', 'function'];
const COLUMNS = [
  {key: 'name', label: 'line', show: wordsOf},
  {key: 'bytes', label: 'bytes', show: (row) => formatBytes(row.bytes)},
  {key: 'share', label: 'share', show: (row, all) => formatPercent(row.bytes, all), by: 'bytes'},
  {key: 'self', label: 'asked itself', show: (row) => formatBytes(row.self), only: 'function'},
  {key: 'count', label: 'allocations', show: (row) => formatCount(row.count)},
  {key: 'lifetime', label: 'mean life, events', show: (row) => formatCount(row.lifetime), needsEvents: true},
];

function sortedRows(rows, {by, isAscending}) {
  const order = (left, right) => (typeof left[by] === 'string' ? left[by].localeCompare(right[by]) : left[by] - right[by]);
  return [...rows].sort((left, right) => (isAscending ? order(left, right) : order(right, left)));
}

function heading(column, sorting, onSort) {
  const key = column.by || column.key, button = element('button', {type: 'button', class: 'plain'}, column.label);
  button.addEventListener('click', () => onSort({by: key, isAscending: sorting.by === key ? !sorting.isAscending : key === 'name'}));
  const direction = sorting.by === key ? (sorting.isAscending ? 'ascending' : 'descending') : 'none';
  return element('th', {scope: 'col', 'aria-sort': direction}, button);
}

const KEY_TARGETS = {ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling'};

// Tab leads to the first row, the arrow keys from there to the others.
function onRowKey(event, onEnter) {
  const line = event.currentTarget, next = line[KEY_TARGETS[event.key]];
  if (event.key === 'Enter') onEnter();
  else if (next) next.focus();
  else return;
  event.preventDefault();
}

function rowOf(row, columns, {all, onRow}) {
  const cells = columns.map((column) => element('td', {class: column.key === 'name' ? 'label' : 'number'}, column.show(row, all)));
  const line = element('tr', {tabindex: '-1', title: wordsOf(row), 'data-frame': row.frame, 'data-name': row.name, 'data-place': row.place}, ...cells);
  line.addEventListener('click', () => onRow(row));
  line.addEventListener('keydown', (event) => onRowKey(event, () => onRow(row)));
  return line;
}

// `about`: {of, all, sorting, onSort, onRow}.
function tableElement(/** @type {Page} */ page, rows, about) {
  const columns = COLUMNS.filter(({only, needsEvents}) => (!only || only === about.of) && (!needsEvents || deviceNow(page).events));
  const body = sortedRows(rows, about.sorting).slice(0, MOST_ROWS).map((row) => rowOf(row, columns, about));
  if (body.length) body[0].tabIndex = 0;
  const head = columns.map((column) => heading(column, about.sorting, about.onSort));
  return element('table', {class: 'rows'}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body));
}

// The keyboard's focus goes to the row or heading with the same words, or to the first row.
function replaceKeepingFocus(/** @type {Page} */ page, place, parts) {
  const focused = /** @type {HTMLElement} */ (document.activeElement), hadFocus = place.contains(focused), words = focused.title || focused.textContent;
  place.replaceChildren(...parts);
  if (!hadFocus) return;
  /** @type {HTMLElement[]} */
  const targets = [...place.querySelectorAll('tbody tr, thead button')];
  const first = place.querySelector('tbody tr');
  const next = targets.find((one) => (one.title || one.textContent) === words) || first;
  if (next) next.focus({preventScroll: true});
  else lightNothing(page);
}

export function startTables(/** @type {Page} */ page) {
  const place = byId('table');
  let of = 'line', chosen = null, sorting = {by: 'bytes', isAscending: false};
  let drawnOf = of; // the table that is in the page while the answer for another one is awaited
  const requestFor = (by) => ({ask: 'lines', ...whereNow(page), of: page.view.lives, ...rangeNow(page), state: page.view.state, ...by});
  const requestNow = () => requestFor(chosen ? {by: 'sandwich', frame: chosen.frame} : {by: of});
  const show = latestOnly(async () => {
    if (page.view.tab !== 'table' || !hasDevice(page)) return;
    const {file} = page.view, wanted = chosen, now = of, found = await page.askJson(requestNow());
    if (page.view.file !== file || chosen !== wanted || of !== now) return;
    drawnOf = now;
    const about = {of: now, all: found.bytes, sorting, onSort, onRow};
    replaceKeepingFocus(page, place, wanted ? sandwich(wanted, found, about) : [tableElement(page, found.rows, about)]);
    markRows();
  });
  const open = (row) => {
    chosen = row;
    show({});
  };
  const onRow = (row) => (drawnOf === 'line' ? searchFor(page, wordsOf(row)) : drawnOf === 'function' && of === 'function' && open(row));
  function onSort(wanted) {
    sorting = wanted;
    show({});
  }
  function sandwich({name}, {callers, callees}, about) {
    const back = element('button', {type: 'button'}, 'all functions');
    back.addEventListener('click', () => open(null));
    return [
      back,
      element('h3', {}, `Callers of ${name}`), tableElement(page, callers, about),
      element('h3', {}, `What ${name} calls`), tableElement(page, callees, about),
    ];
  }
  // One allocation has one line and one kind, but several functions.
  const isLitRow = ({dataset}, {life, words}) => (life && drawnOf !== 'function' ? life[drawnOf] === wordsOf(dataset) : words.has(wordsOf(dataset)));
  const markRows = () => markLit(page, place.querySelectorAll('tbody tr'), isLitRow);
  function light({dataset}) {
    const {name, place: where, frame} = dataset;
    if (drawnOf === 'function') lightSet(page, {of: drawnOf, frame: Number(frame)}, [wordsOf(dataset)]);
    else lightSet(page, {of: drawnOf, name, place: where}, [wordsOf(dataset)]);
  }
  function choose(one) {
    of = one;
    for (const other of TABLES) byId(`by-${other}`).setAttribute('aria-pressed', other === of);
    open(null);
  }
  page.figures.table = () => page.askText(requestNow());
  for (const one of TABLES) byId(`by-${one}`).addEventListener('click', () => choose(one));
  lightsWithin(page, place, 'tbody tr', light);
  page.watch(['file'], () => (chosen = null)); // its frames have other numbers
  page.watch(['file', 'device', 'state', 'tab', 'lives'], () => show({}));
  page.watch(['other', 'first', 'last'], () => page.view.lives !== 'live' && show({})); // the range
  page.watch(['lit', 'pinned'], markRows);
}
