// The events of the device that match a filter, as a list that follows the playhead, and steps from one to the next.
import {byId, element} from './elements.js';
import {inTurn, latestOnly} from './engine.js';
import {lightFound, lightsWithin, markLit} from './lit.js';
import {goTo, hasDevice, jumpTo, whereNow} from './model.js';
import {countOf, formatBytes, formatCount, formatDuration} from '../../render/web/core/numbers.js';

const ROW_HEIGHT = 20, MARGIN = 20, MOST_HEIGHT = 8_000_000; // the maximum height of an element in browsers
const MOST_SAVED = 100_000, SAVED_AT_ONCE = 1000;

// The events per pixel of the list, if there are more than an element can be high.
const scaleOf = (all) => Math.max(1, (all * ROW_HEIGHT) / MOST_HEIGHT);
const filterNow = () => byId('event-filter').value.trim();
const requestOf = (/** @type {Page} */ page, members) => ({ask: 'events', ...whereNow(page), filter: filterNow(), ...members});

// The events that match the filter, up to a number that a page can hold.
async function eventsAsJson(/** @type {Page} */ page) {
  const rows = [];
  for (;;) {
    const {all, rows: more} = await page.askJson(requestOf(page, {from: rows.length, count: SAVED_AT_ONCE}));
    rows.push(...more);
    if (!more.length || rows.length >= Math.min(MOST_SAVED, all)) return JSON.stringify({filter: filterNow(), all, rows});
  }
}

// Moves the playhead to the next event that matches the filter, or to the one before.
async function goToFiltered(/** @type {Page} */ page, direction) {
  const {state} = page.view, {all, place} = await page.askJson(requestOf(page, {state, count: 0}));
  const from = Math.max(0, place - 1), {rows} = await page.askJson(requestOf(page, {from, count: 3}));
  const here = state - 1, events = rows.map((row) => row.event);
  const next = direction > 0 ? events.find((event) => event > here) : events.filter((event) => event < here).at(-1);
  const isStill = page.view.state === state; // not moved by another key meanwhile
  if (all && isStill && next !== undefined) goTo(page, next + 1);
}

function rowElement(/** @type {Page} */ page, row) {
  const isHere = row.event === page.view.state - 1, time = row.us === undefined ? '' : formatDuration(row.us);
  const words = [formatCount(row.event), row.action, formatBytes(row.bytes), row.address, row.stream === '0' ? '' : `stream ${row.stream}`, time, row.line];
  const cells = words.map((word) => element('span', {role: 'cell'}, word));
  return element('div', {class: isHere ? 'event here' : 'event', role: 'row', 'data-event': row.event, 'data-line': row.line, ...(isHere ? {'aria-current': 'true'} : {})}, ...cells);
}

// Returns what steps to the next event that matches the filter, and to the one before.
export function startEventsList(/** @type {Page} */ page) {
  const list = byId('event-list'), space = byId('event-space'), count = byId('event-count');
  let followsPlayhead = false;

  async function showRows() {
    const follows = followsPlayhead;
    followsPlayhead = false; // a change while this one waits applies to the next
    const most = Math.ceil(list.clientHeight / ROW_HEIGHT) + 2 * MARGIN;
    const {all, place} = await page.askJson(requestOf(page, {state: page.view.state, count: 0}));
    const scale = scaleOf(all);
    space.style.height = `${(all * ROW_HEIGHT) / scale}px`;
    if (follows) scrollTo((place * ROW_HEIGHT) / scale);
    const top = Math.floor((list.scrollTop * scale) / ROW_HEIGHT);
    const from = Math.max(0, Math.min(top - MARGIN, all - most));
    const {rows} = await page.askJson(requestOf(page, {from, count: most}));
    count.textContent = filterNow() ? `${countOf(all, 'event')} of all` : countOf(all, 'event');
    space.replaceChildren(...rows.map((row) => rowElement(page, row)));
    markRows();
    [...space.children].forEach((line, i) => (line.style.top = `${list.scrollTop + (from + i - top) * ROW_HEIGHT}px`));
  }

  // Both events of one allocation are lit, or all events of a line.
  const isLitRow = ({dataset}, {life, words}) => (life ? [life.first, life.last].includes(Number(dataset.event) + 1) : words.has(dataset.line));
  const markRows = () => markLit(page, space.children, isLitRow);
  const lightEvent = ({dataset}) => lightFound(page, `event ${dataset.event}`, async (where) => {
    const card = await page.askJson({ask: 'event', ...where, event: Number(dataset.event)});
    return card.life === undefined ? null : page.askJson({ask: 'life', ...where, life: card.life});
  });

  // Leaves the list where it is while the event is in view, so that a click does not move what is clicked.
  function scrollTo(y) {
    if (y >= list.scrollTop && y + ROW_HEIGHT <= list.scrollTop + list.clientHeight) return;
    list.scrollTop = Math.max(0, y - list.clientHeight / 2);
  }

  const show = latestOnly(async () => {
    if (page.view.tab !== 'events' || !hasDevice(page)) return;
    try {
      await showRows();
    } catch (error) {
      count.textContent = error.message;
    }
  });
  function follow() {
    followsPlayhead = true;
    show({});
  }

  page.figures.events = () => eventsAsJson(page);
  page.watch(['file', 'device', 'state', 'tab'], follow);
  page.watch(['lit', 'pinned'], markRows);
  lightsWithin(page, space, '.event', lightEvent);
  list.addEventListener('scroll', () => show({}), {passive: true});
  byId('event-filter').addEventListener('input', follow);
  space.addEventListener('click', (event) => {
    const line = event.target.closest('.event');
    if (line) jumpTo(page, Number(line.dataset.event) + 1);
  });
  return inTurn((direction) => goToFiltered(page, direction));
}
