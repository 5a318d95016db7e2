// The figures of the selected range, from the mark to the playhead: what was allocated, freed and left in it.
import {byId, element} from './elements.js';
import {askJson, latestOnly} from './engine.js';
import {change, hasDevice, rangeNow, showRange, view, watch, whereNow} from './model.js';
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

export function zoomToRange() {
  const {first, last} = rangeNow();
  if (view.other !== null && last > first) showRange(first, last);
}

export function startRange() {
  const holder = byId('range'), words = element('span', {});
  const zoom = rangeButton('zoom in', 'show only this range (z)', zoomToRange);
  const clear = rangeButton('clear', 'select nothing (Esc)', () => change({other: null}));
  holder.append(words, ' ', zoom, ' ', clear);
  const show = latestOnly(async () => {
    const isSelected = hasDevice() && view.other !== null && view.other !== view.state;
    holder.hidden = !isSelected;
    byId('curve-hint').hidden = isSelected;
    if (isSelected) words.textContent = rangeWords(await askJson({ask: 'range', ...whereNow(), ...rangeNow()}));
  });
  watch(['file', 'device', 'state', 'other'], () => show({}));
}
