// The boxes of the file -> other trees of the same bytes: callers instead of callees, recursion collapsed, library
// frames hidden. Stacks that the file merged into one box stay merged.
import {haystackOf} from '../core/matcher.js';
import {countOf} from '../core/numbers.js';
import {linked} from './model.js';
import {isNothing} from './weighing.js';

const NARROWEST_SHARE = 0.2 / 1144, MOST_ROWS = 1000, TALL_ROWS = 60, SHORTEST_RUN = 3, LONGEST_RUN = 256;
const HIDDEN = {key: 'h', label: {name: '<no frame of your own>', place: '', note: ''}, paint: 'nostack',
                heading: '<no frame of your own>', isFrame: false};
const SMALLER = {key: 's', paint: 'smaller', isFrame: false, isSmaller: true};

// Returns the stacks that end in each box: its bytes without those of the boxes below it.
function stacksOf(boxes, weighing) {
  const stacks = [], steps = [];
  for (const box of boxes) {
    steps[box.index] = box.parent ? steps[box.parent.index].concat(box.steps) : box.steps;
    const own = weighing.of(box);
    for (const child of box.children) weighing.add(own, weighing.of(child), -1);
    if (isNothing(own)) continue;
    const levels = steps[box.index].filter((step) => step.isGroup).length;
    stacks.push({...own, levels, steps: steps[box.index], stacks: box.stacks, isSqueezed: Boolean(box.mark)});
  }
  return stacks;
}

const sameSteps = (steps, i, j, length, key) => {
  for (let k = 0; k < length; ++k) if (!steps[i + k].isFrame || key(steps[i + k]) !== key(steps[j + k])) return false;
  return true;
};

// Keeps the innermost call of a function that calls itself; a cycle of several functions counts if its lines are the
// same.
function withoutRecursion(steps) {
  const kept = [];
  for (const step of steps) {
    kept.push(step);
    for (let period = 1; period <= 8 && 2 * period <= kept.length; ++period) {
      const key = period === 1 ? (frame) => frame.functionKey : (frame) => frame.key;
      const last = kept.length - period;
      if (!sameSteps(kept, last - period, last, period, key)) continue;
      kept.splice(last - period, period);
      break;
    }
  }
  return kept;
}

function transformed(stack, options) {
  const levels = stack.steps.slice(0, stack.levels);
  let rest = stack.steps.slice(stack.levels);
  if (options.collapse) rest = withoutRecursion(rest);
  if (options.hide) {
    const own = rest.filter((step) => !step.isFrame || step.isOwn);
    rest = own.length || !rest.length ? own : [HIDDEN];
  }
  if (options.invert) rest.reverse();
  return {...stack, steps: levels.concat(rest)};
}

class TreeBuilder {
  constructor(stacks, {weighing, units, foldsAll}) {
    Object.assign(this, {stacks, weighing, foldsAll, leastUnits: units * NARROWEST_SHARE});
    this.boxes = [];
    this.rows = 0;
  }

  build() {
    const waiting = [{stacks: this.stacks, depth: 0, level: 0, x: 0}];
    while (waiting.length) {
      const place = waiting.pop();
      const box = place.merged ? this.mergedBox(place) : this.boxOf(place);
      box.index = box.end = this.boxes.length;
      this.boxes.push(box);
      this.rows = Math.max(this.rows, box.level + 1);
      if (!place.merged && !box.isSqueezed) waiting.push(...this.below(box, place).reverse());
    }
    return linked(this.boxes);
  }

  // Returns the next step, if all of these stacks have the same.
  commonStep(stacks, depth) {
    const step = stacks[0].steps[depth];
    return step && stacks.every((stack) => stack.steps[depth] && stack.steps[depth].key === step.key) ? step : null;
  }

  boxOf(place) {
    const canFold = (step) => step && step.isFrame && (this.foldsAll || !step.isOwn);
    const steps = [place.stacks[0].steps[place.depth]];
    while (canFold(steps[0]) && steps.length < LONGEST_RUN) {
      const next = this.commonStep(place.stacks, place.depth + steps.length);
      if (!canFold(next)) break;
      steps.push(next);
    }
    if (steps.length < SHORTEST_RUN) steps.length = 1;
    place.depth += steps.length;
    const sum = this.sumOf(place.stacks);
    const leads = place.stacks.some((stack) => stack.steps.length > place.depth);
    const named = steps[leads ? steps.length - 1 : 0];
    const label = {...steps[0].label, note: this.weighing.noteOf(sum)};
    if (steps[0].isSmaller) label.name = `<smaller: ${countOf(sum.stacks, 'stack')}>`;
    if (steps.length > 1) {
      label.name = `⋯ ${countOf(steps.length, 'frame')}`;
      label.place = (leads ? 'to ' : 'from ') + named.label.name.split('::').slice(-2).join('::');
      label.brief = '⋯ ' + steps.length;
    }
    return this.finished(place, sum, steps, label, named.paint);
  }

  mergedBox(place) {
    const sum = this.sumOf(place.stacks);
    const label = {name: `<smaller: ${countOf(sum.stacks, 'stack')}>`, place: '', note: this.weighing.noteOf(sum)};
    return this.finished(place, sum, [{...SMALLER, label, heading: label.name}], label, 'smaller');
  }

  sumOf(stacks) {
    const sum = {...this.weighing.nothing(), stacks: 0};
    for (const stack of stacks) this.weighing.add(sum, stack).stacks += stack.stacks;
    return sum;
  }

  finished(place, sum, steps, label, paint) {
    const isSqueezed = place.stacks.every((stack) => stack.isSqueezed) && place.depth >= place.stacks[0].steps.length;
    if (isSqueezed) label.note = ''; // its name includes the bytes: the width does not show them
    return {...sum, element: null, steps, paint: this.weighing.paintOf(sum, paint), label, level: place.level, x: place.x,
            width: sum.units, blocks: this.weighing.blocksOf(sum), run: steps.length > 1 ? steps : [], parts: null,
            parent: null, children: [], hit: false, isSqueezed};
  }

  // Returns children widest first, then squeezed ones, then one box for all that are too narrow.
  below(box, place) {
    const byStep = new Map();
    for (const stack of place.stacks) {
      const step = stack.steps[place.depth];
      if (!step) continue;
      if (!byStep.has(step.key)) byStep.set(step.key, {stacks: [], bytes: 0, units: 0, name: haystackOf(step), isSqueezed: true});
      const child = byStep.get(step.key);
      child.stacks.push(stack);
      child.bytes += stack.bytes;
      child.units += stack.units;
      child.isSqueezed = child.isSqueezed && stack.isSqueezed;
    }
    const children = [...byStep.values()].sort((a, b) =>
      a.isSqueezed - b.isSqueezed || b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
    const isLastRow = box.level + 2 >= MOST_ROWS;
    const isDrawn = (child) => !isLastRow && child.units >= this.leastUnits;
    const drawn = children.filter(isDrawn);
    const rest = children.filter((child) => !isDrawn(child)).flatMap((child) => child.stacks);
    if (rest.length) drawn.push({stacks: rest, units: this.sumOf(rest).units, merged: true});
    let x = box.x;
    return drawn.map((child) => {
      const next = {stacks: child.stacks, merged: child.merged, depth: place.depth, level: box.level + 1, x};
      x += child.units;
      return next;
    });
  }
}

// `options`: which of invert, collapse and hide; `units`: the width of the whole.
export function derivedTree(boxes, options, weighing, units) {
  const stacks = stacksOf(boxes, weighing).map((stack) => transformed(stack, options));
  const builder = new TreeBuilder(stacks, {weighing, units, foldsAll: false}), tree = builder.build();
  return builder.rows > TALL_ROWS ? new TreeBuilder(stacks, {weighing, units, foldsAll: true}).build() : tree;
}
