// The pinned allocation: when and by which lines it was allocated and freed, and the other lives of its address.
import {byId, element} from './elements.js';
import {latestOnly} from './engine.js';
import {isHere, jumpTo, whereNow} from './model.js';
import {stackElement} from './stack.js';
import {exactBytes, formatBytes, formatCount, formatDuration} from '../../render/web/core/numbers.js';

const stateButton = (/** @type {Page} */ page, label, state, title) => {
  const made = element('button', {type: 'button', class: 'plain', title}, label);
  made.addEventListener('click', () => jumpTo(page, state));
  return made;
};

const born = (/** @type {Page} */ page, life) => (life.first > 0 ? stateButton(page, `event ${formatCount(life.first - 1)}`, life.first, 'go there') : 'before the recording');
const freed = (/** @type {Page} */ page, life) => (life.is_freed ? stateButton(page, `event ${formatCount(life.last - 1)}`, life.last, 'go there') : 'not in this recording');

function row(name, ...content) {
  return element('tr', {}, element('th', {scope: 'row'}, name), element('td', {}, ...content));
}

// The whole stack of the event that allocated it; of an older allocation the frames that its block has.
async function stackOf(/** @type {Page} */ page, where, life) {
  if (life.first > 0) return (await page.askJson({ask: 'event', ...where, event: life.first - 1})).stack;
  return life.stack.map((frame) => ({...frame, origin: frame.own ? 'user' : 'library'}));
}

/** @param {import('./types.js').Life} life */
function others(/** @type {Page} */ page, life) {
  const list = element('ul', {class: 'plain-list'});
  for (const one of life.others) {
    const end = one.is_freed ? formatCount(one.last - 1) : 'the end';
    const words = `${one.name}  ${formatBytes(one.bytes)}  events ${one.first > 0 ? formatCount(one.first - 1) : 'before 0'} to ${end}`;
    const button = element('button', {type: 'button', class: one.life === life.life ? 'plain strong' : 'plain'}, words);
    button.addEventListener('click', () => {
      page.change({life: one.life});
      jumpTo(page, one.first);
    });
    list.append(element('li', {}, button));
  }
  return list;
}

// Shows the card of the pinned allocation.
async function showPinned(/** @type {Page} */ page, card) {
  const where = whereNow(page), {life: wanted} = page.view;
  card.hidden = wanted === null || card.hidden;
  if (wanted === null) return;
  const life = await page.askJson({ask: 'life', ...where, life: wanted}), stack = life && (await stackOf(page, where, life));
  if (!life || page.view.life !== wanted || !isHere(page, where)) return; // unpinned, or another one pinned, meanwhile
  const close = element('button', {type: 'button', title: 'let go (Esc)'}, 'close');
  close.addEventListener('click', () => page.change({life: null}));
  const lived = life.first_us !== undefined && life.last_us !== undefined ? `, ${formatDuration(life.last_us - life.first_us)}` : '';
  const isLive = life.first <= page.view.state && page.view.state < life.last;
  card.replaceChildren(
    element('header', {}, element('strong', {}, life.name), close),
    element('table', {},
      row('bytes', exactBytes(life.bytes)),
      row('line', life.line),
      row('kind', life.evidence === 'none' ? life.kind : `${life.kind} (by ${life.evidence})`),
      ...(life.keeper ? [row('keeper', life.keeper)] : []),
      row('born', born(page, life)),
      row('freed', freed(page, life), lived),
      row('at the playhead', isLive ? 'live' : 'not live'),
      ...(life.pool ? [row('pool', life.pool)] : []),
      ...(life.stream ? [row('stream', life.stream)] : []),
      ...life.texts.map((words) => row('says', words)),
      row('stack', stackElement(stack)),
      row('its address', others(page, life))));
  card.hidden = false;
}

export function startPinned(/** @type {Page} */ page) {
  const card = byId('pinned');
  const show = latestOnly(() => showPinned(page, card));
  page.watch(['life', 'file', 'device', 'state'], () => show({}));
}
