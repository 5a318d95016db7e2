// Boxes that are lit because the page lights their stacks, and the stacks that the page lights for a box.
import {wordsOfLabel} from '../core/text.js';
import {boxes, view} from './picture.js';

let litInPage = null;

// Returns the stream that a level stands for; '': it stands for something else.
const streamOf = ({isGroup, label}) => (isGroup && /^stream (.+)$/.exec(label.name) || [])[1] || '';

// Returns the number of frames of `path` that a box and those above it are, the outermost first; -1: they are others,
// or of another stream.
function framesUntil(box, before, {path, stream}) {
  let count = before;
  for (const step of box.steps) {
    if (count < 0) continue;
    const own = streamOf(step);
    if (own && stream && own !== stream) count = -1;
    else if (step.isFrame) count = path[count] === wordsOfLabel(step.label) ? count + 1 : -1;
  }
  return count;
}

const isOfWords = (box, words) => box.steps.some((step) => step.isFrame && words.has(wordsOfLabel(step.label)));

// Decides for each box whether it is lit.
function decideLit() {
  const {path = [], stream = '', words = []} = litInPage || {}, wanted = new Set(words), counts = new Map();
  const ordered = {path: view.invert ? [...path].reverse() : path, stream};
  for (const box of boxes) {
    const count = framesUntil(box, box.parent ? counts.get(box.parent) : 0, ordered);
    counts.set(box, count);
    box.isLit = (count > 0 && box.steps.at(-1).isFrame) || isOfWords(box, wanted);
  }
}

export function lightBoxes(lit) {
  litInPage = lit;
  decideLit();
}
export const lightAgain = () => litInPage && decideLit();

export function pointedOfBox(box) {
  const steps = [];
  for (let one = box; one; one = one.parent) steps.unshift(...one.steps);
  const frames = steps.filter((step) => step.isFrame).map((step) => wordsOfLabel(step.label));
  if (!frames.length) return null;
  return {frames, isStack: !view.invert && !view.collapse && !view.hide, stream: steps.map(streamOf).find(Boolean) || ''};
}
