// The frames of all stacks; a box or a block refers to them by index in this list. The second line of a heading is the
// path.
import {text} from './attributes.js';

export const readFrames = (elements) => Array.from(elements, (frame, index) => ({
  key: 'f' + index,
  // The text of the line, if known, is indented below the path.
  label: {name: text(frame, 'n'), place: text(frame, 'p'), note: '', source: (/\n {4}(.*)/.exec(frame.textContent) || [])[1]},
  paint: text(frame, 'c'),
  heading: frame.textContent,
  isFrame: true,
  // The frame is marked if lines have colours.
  isOwn: text(frame, 'c') === 'user' || text(frame, 'o') === '1',
  // A recursion repeats a function, whatever the line.
  functionKey: frame.textContent.split('\n')[0] + '\n' + text(frame, 'p').replace(/:\d+$/, ''),
}));

// Returns a frame on one line.
export const frameText = (frame) => frame.heading.replaceAll('\n', '  ');
