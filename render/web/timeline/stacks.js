// The stack of a band -> lines of its tooltip: the user's frames first, with frames between and within them folded.
import {countOf} from '../core/numbers.js';

const WORDS = {t: 'torch', l: 'other Python', c: 'C++'};

function foldedRun(run) {
  if (run.length === 1) return `  ${run[0].name}`;
  const whose = [...new Set(run.map(({origin}) => WORDS[origin]))].join(' and ');
  return `  … ${countOf(run.length, 'frame')} of ${whose}`;
}

// `stack`: {name, origin} of each frame, innermost first; a stack without the user's frames is unchanged.
export function foldedStack(stack) {
  const first = stack.findIndex(({origin}) => origin === 'u');
  if (first < 0) return stack.map(({name}) => name);
  const lines = [];
  let run = [];
  for (const frame of stack.slice(first)) {
    if (frame.origin !== 'u') {
      run.push(frame);
      continue;
    }
    if (run.length) lines.push(foldedRun(run));
    run = [];
    lines.push(frame.name);
  }
  if (run.length) lines.push(foldedRun(run));
  const within = stack.slice(0, first);
  if (within.length) lines.push(`called from there: ${within[within.length - 1].name}` + (within.length > 1 ? `, and ${countOf(within.length - 1, 'frame')} within it` : ''));
  return lines;
}
