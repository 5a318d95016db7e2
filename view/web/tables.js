// The tables: the holders of memory at the playhead, by line, kind or function; callers and callees of a function.
import {byId, element} from './elements.js';
import {askJson, askText, latestOnly} from './engine.js';
import {deviceNow, hasDevice, rangeNow, view, watch, whereNow} from './model.js';
import {figures} from './pictures.js';
import {searchFor} from './search.js';
import {formatBytes, formatCount, formatPercent} from '../../render/web/core/numbers.js';

const sorting = {by: 'bytes', isAscending: false};
let chosenFunction = null, tableOf = 'line';
const livesNow = () => ({of: view.lives, ...rangeNow(), state: view.state});

const COLUMNS = [
  {key: 'name', label: 'line', show: (row) => `${row.name} ${row.place}`},
  {key: 'bytes', label: 'bytes', show: (row) => formatBytes(row.bytes)},
  {key: 'share', label: 'share', show: (row, all) => formatPercent(row.bytes, all), by: 'bytes'},
  {key: 'self', label: 'asked itself', show: (row) => formatBytes(row.self), only: 'function'},
  {key: 'count', label: 'allocations', show: (row) => formatCount(row.count)},
  {key: 'lifetime', label: 'mean life, events', show: (row) => formatCount(row.lifetime), needsEvents: true},
];

function sorted(rows) {
  const {by, isAscending} = sorting;
  const order = (left, right) => (typeof left[by] === 'string' ? left[by].localeCompare(right[by]) : left[by] - right[by]);
  return [...rows].sort((left, right) => (isAscending ? order(left, right) : order(right, left)));
}

function heading(column) {
  const button = element('button', {type: 'button', class: 'plain'}, column.label);
  const key = column.by || column.key;
  button.addEventListener('click', () => {
    Object.assign(sorting, {by: key, isAscending: sorting.by === key ? !sorting.isAscending : key === 'name'});
    showTable({});
  });
  const direction = sorting.by === key ? (sorting.isAscending ? 'ascending' : 'descending') : 'none';
  return element('th', {scope: 'col', 'aria-sort': direction}, button);
}

function tableElement(rows, all, onRow) {
  const columns = COLUMNS.filter(({only, needsEvents}) => (!only || only === tableOf) && (!needsEvents || deviceNow().events));
  const body = sorted(rows).slice(0, 500).map((row) => {
    const cells = columns.map((column) => element('td', {class: column.key === 'name' ? 'label' : 'number'}, column.show(row, all)));
    const line = element('tr', {tabindex: '0', title: `${row.name} ${row.place}`}, ...cells);
    line.addEventListener('click', () => onRow(row));
    line.addEventListener('keydown', (event) => event.key === 'Enter' && onRow(row));
    return line;
  });
  return element('table', {class: 'rows'}, element('thead', {}, element('tr', {}, ...columns.map(heading))), element('tbody', {}, ...body));
}

const linesNow = (by) => ({ask: 'lines', ...whereNow(), ...livesNow(), ...by});
const callersNow = () => linesNow({by: 'sandwich', frame: chosenFunction.frame});

async function sandwich(frame, all) {
  const found = await askJson(callersNow());
  const open = (row) => {
    chosenFunction = row;
    showTable({});
  };
  return [
    element('h3', {}, `Callers of ${frame.name}`), tableElement(found.callers, all, open),
    element('h3', {}, `What ${frame.name} calls`), tableElement(found.callees, all, open),
  ];
}

const showTable = latestOnly(async () => {
  if (view.tab !== 'table' || !hasDevice()) return;
  const {rows, bytes} = await askJson(linesNow({by: tableOf}));
  const place = byId('table');
  if (tableOf === 'function' && chosenFunction) {
    const back = element('button', {type: 'button'}, 'all functions');
    back.addEventListener('click', () => {
      chosenFunction = null;
      showTable({});
    });
    place.replaceChildren(back, ...(await sandwich(chosenFunction, bytes)));
    return;
  }
  const open = (row) => {
    if (tableOf === 'line') searchFor(`${row.name} ${row.place}`.trim());
    if (tableOf !== 'function') return;
    chosenFunction = row;
    showTable({});
  };
  place.replaceChildren(tableElement(rows, bytes, open));
});

export function startTables() {
  figures.table = () => askText(chosenFunction ? callersNow() : linesNow({by: tableOf}));
  for (const one of ['line', 'kind', 'function'])
    byId(`by-${one}`).addEventListener('click', () => {
      tableOf = one;
      chosenFunction = null;
      for (const other of ['line', 'kind', 'function']) byId(`by-${other}`).setAttribute('aria-pressed', other === one);
      showTable({});
    });
  watch(['file', 'device', 'state', 'other', 'tab', 'lives', 'first', 'last'], () => showTable({}));
}
