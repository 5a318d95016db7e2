// The tooltip of the page: the allocation under the pointer.
import {byId} from './elements.js';
import {formatBytes, formatCount} from '../../render/web/core/numbers.js';

const MOST_FRAMES = 12;
const eventOf = (state) => (state > 0 ? `event ${formatCount(state - 1)}` : 'before the recording');
const spanOf = (life) => `from ${eventOf(life.first)} to ${life.is_freed ? eventOf(life.last) : 'the end'}`;

// Its line, size, kind and life, and its stack, the program's own frames first.
/** @param {import('./types.js').Life} life */
export function lifeWords(life) {
  const own = life.stack.filter((frame) => frame.own), rest = life.stack.filter((frame) => !frame.own);
  const lines = [...own, ...rest].slice(0, MOST_FRAMES).map((frame) => `${frame.name} ${frame.place}`);
  const line = lines[0] === life.line ? [] : [life.line];
  return [`${formatBytes(life.bytes)} · ${life.kind} · ${life.name}`, spanOf(life), ...line, ...lines].join('\n');
}

// The part of the page whose tip is shown: another part does not hide it.
let shownBy = null;
export function hidePageTip(owner) {
  if (shownBy === owner) byId('tip').hidden = true;
}
// A pinned tip's text can be selected.
export const pinPageTip = (isPinned) => byId('tip').classList.toggle('pinned', isPinned);

export function showPageTip(words, {x, y}, owner) {
  const tip = byId('tip');
  shownBy = owner;
  if (tip.textContent !== words) tip.textContent = words;
  tip.hidden = false;
  const {width, height} = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18}px`;
}
