// A typed query -> a test of steps: a frame, a level, or a reason why there is no stack.

// Returns the text of a step that a search examines.
export function haystackOf(step) {
  if (step.haystack === undefined) step.haystack = step.label.name + ' ' + step.label.place + (step.isFrame ? '\n' + step.heading : '');
  return step.haystack;
}

function lowerHaystackOf(step) {
  if (step.lowerHaystack === undefined) step.lowerHaystack = haystackOf(step).toLowerCase();
  return step.lowerHaystack;
}

// A browser cannot interrupt a regular expression, and some take too long. Those are refused, each text is short, and
// the total time is limited.
const MOST_REPEATS = 3, MOST_LETTERS = 300, MOST_MS = 400;

// Returns why an expression may be slow, or ''.
function slownessOf(source) {
  const plain = source.replace(/\\[^1-9k]/g, 'x').replace(/\[[^\]]*\]/g, 'x');
  if (/\\[1-9k]/.test(plain)) return 'too slow: it refers back to a group';
  const groups = [];
  let repeats = 0, open = {repeats: 0, choices: 0};
  for (let i = 0; i < plain.length; ++i) {
    const isRepeated = /[*+{]/.test(plain[i + 1] || '');
    if (plain[i] === '(') {
      groups.push(open);
      open = {repeats: 0, choices: 0};
      if (plain[i + 1] === '?') ++i; // of (?: and the like
    } else if (plain[i] === ')') {
      const inner = open;
      open = groups.pop() || {repeats: 0, choices: 0};
      open.repeats += inner.repeats;
      if (isRepeated && (inner.repeats || inner.choices)) return 'too slow: it repeats what repeats or chooses';
    } else if (plain[i] === '|') {
      ++open.choices;
    } else if (/[*+?{]/.test(plain[i]) && !/[*+?}]/.test(plain[i - 1] || '')) {
      ++open.repeats;
      if (++repeats > MOST_REPEATS) return `too slow: it repeats more than ${MOST_REPEATS} times`;
    }
  }
  return '';
}

class SlowExpression extends Error {}

// Returns the message for an expression that cannot be used for a search.
export const problemOf = (error) => (error instanceof SlowExpression ? error.message : 'not a valid expression');

function expressionTest(source) {
  const expression = new RegExp(source, 'iu');
  const slowness = slownessOf(source);
  if (slowness) throw new SlowExpression(slowness);
  const start = performance.now();
  return (step) => {
    if (performance.now() - start > MOST_MS) throw new SlowExpression('stopped: the expression is too slow');
    return expression.test(haystackOf(step).slice(0, MOST_LETTERS));
  };
}

// Plain text, or a regular expression between slashes, ignoring case. A step is examined once, however many boxes have
// it.
export function matcher(query) {
  const known = new Map();
  let test;
  if (query.length > 2 && query.startsWith('/') && query.endsWith('/')) {
    test = expressionTest(query.slice(1, -1));
  } else {
    const wanted = query.toLowerCase();
    test = (step) => lowerHaystackOf(step).includes(wanted);
  }
  return (step) => {
    if (!known.has(step)) known.set(step, test(step));
    return known.get(step);
  };
}
