import assert from 'node:assert/strict';
import test from 'node:test';
import {matcher, problemOf} from '../../render/web/core/matcher.js';
import {search, searchFor, searchWords, stepToMatch} from '../../render/web/core/search.js';

const frame = (name, place, path) => ({label: {name, place}, heading: `${name}\n${path}`, isFrame: true});
const forward = frame('forward', 'model.py:41', '/home/me/model.py:41');
const backward = frame('Backward', 'engine.cpp:7', '/src/engine.cpp:7');
const group = {label: {name: 'stream 0', place: ''}, heading: 'not looked at', isFrame: false};

const problem = (query) => {
  try {
    matcher(query)(forward);
  } catch (error) {
    return problemOf(error);
  }
  return '';
};

test('plain text is found in names, places and paths, whatever the case', () => {
  for (const query of ['forward', 'FORWARD', 'model.py:41', '/home/me']) assert.ok(matcher(query)(forward), query);
  assert.ok(!matcher('ward$')(forward));
  assert.ok(!matcher('looked')(group));
});

test('an expression is between slashes', () => {
  assert.ok(matcher('/^forw.rd/')(forward));
  assert.ok(matcher('/back/')(backward));
  assert.ok(!matcher('//')(forward)); // text
  assert.equal(problem('/(/'), 'not a valid expression');
});

test('expressions that may take longer than anybody waits are refused', () => {
  assert.match(problem('/(a+)+b/'), /too slow: it repeats what repeats/);
  assert.match(problem('/(a|aa)+b/'), /too slow/);
  assert.match(problem('/a*b*c*d*/'), /too slow: it repeats more than 3 times/);
  assert.match(problem('/(a)\\1/'), /refers back/);
  assert.equal(problem('/a*b*c*/'), '');
  assert.equal(problem('/[*+]{2}/'), '');
});

test('a step is looked at once', () => {
  let looks = 0;
  const step = {heading: '', isFrame: false, get label() { ++looks; return forward.label; }};
  const isMatch = matcher('forward');
  assert.ok(isMatch(step) && isMatch(step));
  assert.equal(looks, 2); // name and place
});

test('matches say so themselves, until the next search', () => {
  const all = [forward, backward].map((step) => ({step, hit: false}));
  const find = (isMatch) => all.filter(({step}) => isMatch(step));
  searchFor('ward', find);
  assert.deepEqual(all.map(({hit}) => hit), [true, true]);
  searchFor('back', find);
  assert.deepEqual(all.map(({hit}) => hit), [false, true]);
  searchFor('/(/', find);
  assert.deepEqual([search.matches.length, search.problem, search.test(forward)], [0, 'not a valid expression', false]);
  assert.equal(searchWords(() => ''), 'not a valid expression');
  searchFor('', find);
  assert.equal(searchWords(() => ''), '');
  searchFor('nowhere', find);
  assert.equal(searchWords(() => ''), 'no match');
  assert.equal(stepToMatch(1), null);
});

test('next and previous go around', () => {
  const all = [{}, {}, {}];
  const steps = (...directions) => {
    searchFor('x', () => all);
    return directions.map((direction) => all.indexOf(stepToMatch(direction)));
  };
  assert.deepEqual(steps(1, 1, 1, 1), [0, 1, 2, 0]);
  assert.deepEqual(steps(-1, -1, 1), [2, 1, 2]);
  assert.equal(searchWords((place) => place), '3 of ');
});
