// A stack as lists of frames: the program's own first, then all of them, with each run of C++ as one line to open.
import {element} from './elements.js';
import {countOf} from '../../render/web/core/numbers.js';

const isOwn = (frame) => frame.origin === 'user';

const frameItem = (frame) => element('li', {class: isOwn(frame) ? 'own' : '', title: frame.file}, `${frame.name} `, element('span', {class: 'dim'}, frame.place));
export const frameList = (frames) => element('ol', {class: 'stack'}, ...frames.map(frameItem));

function folded(summary, list, isOpen = false) {
  return element('details', isOpen ? {open: ''} : {}, element('summary', {}, summary), list);
}

// Splits frames where C++ begins and ends.
function runsOf(frames) {
  const runs = [];
  for (const frame of frames) {
    const isCpp = frame.origin === 'cpp', last = runs.at(-1);
    if (last && last.isCpp === isCpp) last.frames.push(frame);
    else runs.push({isCpp, frames: [frame]});
  }
  return runs;
}

const runItems = ({isCpp, frames}) => (isCpp && frames.length > 1 ? [element('li', {class: 'run'}, folded(`${countOf(frames.length, 'frame')} of C++`, frameList(frames)))] : frames.map(frameItem));

export function stackElement(frames) {
  if (!frames.length) return element('p', {class: 'dim'}, 'no stack recorded');
  const own = frames.filter(isOwn);
  if (own.length === frames.length) return frameList(frames);
  const runs = runsOf(frames);
  if (runs.every((run) => run.isCpp)) return folded(`${countOf(frames.length, 'frame')}, innermost first`, frameList(frames));
  const whole = element('ol', {class: 'stack'}, ...runs.flatMap(runItems));
  const summary = `whole stack, innermost first: ${countOf(frames.length, 'frame')}`;
  return element('div', {}, ...(own.length ? [frameList(own)] : []), folded(summary, whole, !own.length));
}
