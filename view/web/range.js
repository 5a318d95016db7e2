// The figures of the selected range, from the mark to the playhead: what was allocated, freed and left in it.
import {byId, element} from './elements.js';
import {latestOnly} from './engine.js';
import {hasDevice, rangeNow, showRange, whereNow} from './model.js';
import {countOf, formatBytes, formatCount, formatDuration} from '../../render/web/core/numbers.js';

const sumWords = (name, {bytes, count}) => `${name} ${formatBytes(bytes)} in ${formatCount(count)}`;
const placeWords = (state) => (state ? formatCount(state - 1) : 'the start');

function rangeWords({first, last, us, allocated, freed, left}) {
  const time = us === undefined ? '' : `, ${formatDuration(us)}`;
  return `From ${placeWords(first)} to ${placeWords(last)} (${countOf(last - first, 'event')}${time}): ${sumWords('allocated', allocated)}, ${sumWords('freed', freed)}, ${sumWords('left', left)}`;
}

function rangeButton(label, title, follow) {
  const made = element('button', {type: 'button', class: 'plain', title}, label);
  made.addEventListener('click', follow);
  return made;
}

export function zoomToRange(/** @type {Page} */ page) {
  const {first, last} = rangeNow(page);
  if (page.view.other !== null && last > first) showRange(page, first, last);
}

export function startRange(/** @type {Page} */ page) {
  const holder = byId('range'), words = element('span', {});
  const zoom = rangeButton('zoom in', 'show only this range (z)', () => zoomToRange(page));
  const clear = rangeButton('clear', 'select nothing (Esc)', () => page.change({other: null}));
  holder.append(words, ' ', zoom, ' ', clear);
  const show = latestOnly(async () => {
    const isSelected = hasDevice(page) && page.view.other !== null && page.view.other !== page.view.state;
    holder.hidden = !isSelected;
    byId('curve-hint').hidden = isSelected;
    if (isSelected) words.textContent = rangeWords(await page.askJson({ask: 'range', ...whereNow(page), ...rangeNow(page)}));
  });
  page.watch(['file', 'device', 'state', 'other'], () => show({}));
}
