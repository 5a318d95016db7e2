// The tables: the holders of memory at the playhead, by line, kind or function; callers and callees of a function; and
// the events.
import {searchFor} from './controls.js';
import {byId, element} from './elements.js';
import {askJson, askText, latestOnly} from './engine.js';
import {deviceNow, goTo, hasDevice, view, watch, whereNow} from './model.js';
import {figures} from './pictures.js';
import {countOf, formatBytes, formatCount, formatDuration, formatPercent} from '../../render/web/core/numbers.js';

const sorting = {by: 'bytes', isAscending: false};
let chosenFunction = null, tableOf = 'line';
const livesNow = () => ({of: view.lives, first: view.first, last: view.last, state: view.state});

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

const ROW_HEIGHT = 20, MARGIN = 20, MOST_HEIGHT = 8_000_000; // the maximum height of an element in browsers
const list = byId('event-list'), space = byId('event-space');
let found = null, isJump = false;

// The events per pixel of the list, if there are more than an element can be high.
const scaleOf = (all) => Math.max(1, (all * ROW_HEIGHT) / MOST_HEIGHT);

const filterNow = () => byId('event-filter').value.trim();

// The events that match the filter, up to a number that a page can hold.
async function eventsAsJson() {
  const MOST = 100_000, AT_ONCE = 1000, rows = [], request = {ask: 'events', ...whereNow(), filter: filterNow(), count: AT_ONCE};
  for (;;) {
    const page = await askJson({...request, from: rows.length});
    rows.push(...page.rows);
    if (!page.rows.length || rows.length >= Math.min(MOST, page.all)) return JSON.stringify({filter: request.filter, all: page.all, rows});
  }
}

const showEvents = latestOnly(async () => {
  if (view.tab !== 'events' || !hasDevice()) return;
  const jumps = isJump, filter = filterNow();
  isJump = false; // a jump requested while this one waits applies to the next
  const count = Math.ceil(list.clientHeight / ROW_HEIGHT) + 2 * MARGIN;
  const request = {ask: 'events', ...whereNow(), filter, state: view.state, count};
  try {
    found = await askJson({...request, from: 0, count: 0});
  } catch (error) {
    byId('event-count').textContent = error.message;
    return;
  }
  const scale = scaleOf(found.all);
  space.style.height = `${(found.all * ROW_HEIGHT) / scale}px`;
  if (jumps) list.scrollTop = Math.max(0, (found.place * ROW_HEIGHT) / scale - list.clientHeight / 2);
  const top = Math.floor((list.scrollTop * scale) / ROW_HEIGHT);
  const from = Math.max(0, Math.min(top - MARGIN, found.all - count));
  found = await askJson({...request, from});
  byId('event-count').textContent = filter ? `${countOf(found.all, 'event')} of all` : countOf(found.all, 'event');
  space.replaceChildren(...found.rows.map((row, i) => {
    const isHere = row.event === view.state - 1;
    const time = row.us === undefined ? '' : formatDuration(row.us);
    const words = [formatCount(row.event), row.action, formatBytes(row.bytes), row.address, row.stream === '0' ? '' : `stream ${row.stream}`, time, row.line];
    const line = element('div', {class: isHere ? 'event here' : 'event', role: 'row', 'data-event': row.event}, ...words.map((word) => element('span', {role: 'cell'}, word)));
    line.style.top = `${list.scrollTop + (from + i - top) * ROW_HEIGHT}px`;
    return line;
  }));
});

// Scrolls to the event at the playhead.
function jump() {
  isJump = true;
  showEvents({});
}

export function startTables() {
  figures.table = () => askText(chosenFunction ? callersNow() : linesNow({by: tableOf}));
  figures.events = eventsAsJson;
  for (const one of ['line', 'kind', 'function'])
    byId(`by-${one}`).addEventListener('click', () => {
      tableOf = one;
      chosenFunction = null;
      for (const other of ['line', 'kind', 'function']) byId(`by-${other}`).setAttribute('aria-pressed', other === one);
      showTable({});
    });
  watch(['file', 'device', 'state', 'tab', 'lives', 'first', 'last'], () => showTable({}));
  watch(['file', 'device', 'state', 'tab'], jump);
  list.addEventListener('scroll', () => showEvents({}), {passive: true});
  byId('event-filter').addEventListener('input', jump);
  space.addEventListener('click', (event) => {
    const line = event.target.closest('.event');
    if (line) goTo(Number(line.dataset.event) + 1);
  });
}
