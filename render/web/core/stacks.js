// A stack -> lines of a tooltip: the user's frames first, with frames between and within them folded.
import {countOf} from './numbers.js';

const WORDS = {t: 'torch', l: 'other Python', c: 'C++'};

function foldedRun(run) {
  if (run.length === 1) return `  ${run[0].name}`;
  const whose = [...new Set(run.map(({origin}) => WORDS[origin]))].join(' and ');
  return `  … ${countOf(run.length, 'frame')} of ${whose}`;
}

// The frames that are not folded: the user's, else those of Python, else that of the function that names the stack.
function leadingFrames(stack, name) {
  const named = stack.find((frame) => `${frame.name} `.startsWith(`${name} `)) || stack[0];
  const ranked = [({origin}) => origin === 'u', ({origin}) => origin !== 'c', (frame) => frame === named];
  return stack.filter(ranked.find((test) => stack.some(test)));
}

// `stack`: {name, origin} of each frame, innermost first; `name`: of the function that represents it.
export function foldedStack(stack, name) {
  if (!stack.length) return [];
  const leading = new Set(leadingFrames(stack, name)), first = stack.findIndex((frame) => leading.has(frame));
  const lines = [];
  let run = [];
  for (const frame of stack.slice(first)) {
    if (!leading.has(frame)) {
      run.push(frame);
      continue;
    }
    if (run.length) lines.push(foldedRun(run));
    run = [];
    lines.push(frame.name);
  }
  if (run.length) lines.push(foldedRun(run));
  if (first > 0) lines.push(`then called: ${stack[first - 1].name}`);
  if (first > 1) lines.push(`  … and ${countOf(first - 1, 'frame')} inside it`);
  return lines;
}
