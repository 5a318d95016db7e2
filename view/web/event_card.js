// The card of the event at the playhead: its place, its texts, its whole stack, and the life of its allocation.
import {byId, element} from './elements.js';
import {latestOnly} from './engine.js';
import {deviceNow, hasDevice, isHere, jumpTo, whereNow} from './model.js';
import {frameList, stackElement} from './stack.js';
import {exactBytes, formatBytes, formatCount, formatDuration} from '../../render/web/core/numbers.js';

const CARD_REST_MS = 30; // of the playhead: while it is dragged the figures and cells come first
const ACTION_WORDS = {
  alloc: 'allocated', free_requested: 'free requested', free_completed: 'freed', segment_alloc: 'segment allocated', segment_free: 'segment freed',
  segment_map: 'memory mapped', segment_unmap: 'memory unmapped', oom: 'out of memory', snapshot: 'snapshot taken', annotate: 'annotated',
};

const cardRow = (name, ...content) => element('tr', {}, element('th', {scope: 'row'}, name), element('td', {}, ...content));

function link(label, title, follow) {
  const made = element('button', {type: 'button', class: 'plain', title}, label);
  made.addEventListener('click', follow);
  return made;
}

const toEvent = (/** @type {Page} */ page, event) => link(`event ${formatCount(event)}`, 'go there', () => jumpTo(page, event + 1));

function bytesRow({action, bytes, free_bytes: free, live_bytes: live, reserved_bytes: reserved}) {
  if (action !== 'oom') return [cardRow('bytes', exactBytes(bytes))];
  return [cardRow('asked for', exactBytes(bytes)), cardRow('free on the device', exactBytes(free)), cardRow('in use', `${formatBytes(live)} requested, ${formatBytes(reserved)} reserved`)];
}

function placeRows(/** @type {Page} */ page, {address, name, life, segment, pool, stream}) {
  const pin = name && link(name, 'pin this allocation', () => page.change({life}));
  return [
    ...(address ? [cardRow('address', address, ...(pin ? [' ', pin] : []))] : []),
    ...(segment ? [cardRow('segment', `${segment.address}, ${formatBytes(segment.bytes)}`)] : []),
    ...(pool ? [cardRow('pool', pool)] : []),
    cardRow('stream', stream === '0' ? '0 (default)' : stream),
  ];
}

// Another event of the same allocation, with its stack.
function endRow(/** @type {Page} */ page, name, end, other) {
  if (!end) return [];
  if (other && end.line === other.line) return [cardRow(name, toEvent(page, end.event))];
  return [cardRow(name, toEvent(page, end.event), ' ', element('details', {}, element('summary', {}, end.line || 'no stack of yours'), stackElement(end.stack)))];
}

function lifeRows(/** @type {Page} */ page, card, life) {
  if (!life) return [];
  const lived = life.first_us !== undefined && life.last_us !== undefined ? `, ${formatDuration(life.last_us - life.first_us)}` : '';
  const length = `${formatCount(Math.max(0, life.last - life.first))} events${lived}`;
  return [
    ...endRow(page, 'allocated by', card.allocated),
    ...(life.first ? [] : [cardRow('allocated', 'before the recording')]),
    ...endRow(page, 'free requested by', card.free_requested),
    ...endRow(page, card.free_requested ? 'freed' : 'freed by', card.freed, card.free_requested),
    cardRow('life', life.is_freed ? length : 'not freed in this recording'),
    cardRow('kind', life.evidence === 'none' ? life.kind : `${life.kind} (by ${life.evidence})`),
    ...(life.keeper ? [cardRow('keeper', life.keeper)] : []),
  ];
}

function stackParts({stack, line, forward, action}) {
  const title = `${action === 'oom' ? 'The request that failed' : 'Stack'}${line && !stack.some((frame) => frame.origin === 'user') ? `: ${line}` : ''}`;
  return [element('h3', {}, title), stackElement(stack), ...(forward.length ? [element('h3', {}, 'Forward pass whose gradient this is'), frameList(forward)] : [])];
}

function cardParts(/** @type {Page} */ page, card, life) {
  const time = card.us === undefined ? '' : `, ${formatDuration(card.us)}`;
  return [
    element('header', {}, element('strong', {}, `Event ${formatCount(card.event)}: ${ACTION_WORDS[card.action] || card.action}`), element('span', {class: 'dim'}, `${formatBytes(card.bytes)}${time}`)),
    ...stackParts(card),
    element('table', {}, ...bytesRow(card), ...placeRows(page, card), ...card.texts.map(({name, text}) => cardRow(name, text)), ...lifeRows(page, card, life)),
  ];
}

export function startEventCard(/** @type {Page} */ page) {
  const holder = byId('event-card');
  const show = latestOnly(async () => {
    const hasEvent = hasDevice(page) && deviceNow(page).events > 0 && page.view.state > 0;
    holder.hidden = !hasEvent;
    if (!hasEvent) return;
    const where = whereNow(page), {state} = page.view, card = await page.askJson({ask: 'event', ...where, event: state - 1});
    const life = card.life === undefined ? null : await page.askJson({ask: 'life', ...where, life: card.life});
    if (page.view.state !== state || !isHere(page, where)) return; // the playhead has moved on
    holder.classList.toggle('error', card.action === 'oom');
    holder.replaceChildren(...cardParts(page, card, life));
  });
  let rest = 0;
  page.watch(['file', 'device', 'state'], () => {
    clearTimeout(rest);
    rest = setTimeout(() => show({}), CARD_REST_MS);
  });
}
