// A typed query -> the matches, each marked in `hit`. The picture provides what is searched.
import {matcher, problemOf} from './matcher.js';
import {formatCount} from './numbers.js';

const nothing = () => false;
const followers = [];
export const search = {query: '', matches: [], current: -1, problem: '', test: nothing};

// `find` takes a test of frames and levels and returns what matches.
export function searchFor(query, find) {
  for (const match of search.matches) match.hit = false;
  Object.assign(search, {query, matches: [], current: -1, problem: '', test: nothing});
  try {
    if (query) search.test = matcher(query);
    if (query) search.matches = find(search.test);
  } catch (error) {
    Object.assign(search, {problem: problemOf(error), test: nothing});
  }
  for (const match of search.matches) match.hit = true;
  for (const follow of followers) follow(query, search.test);
}

// Calls `follow` with the words and the test of each search: for a second drawing, whose matches are not stepped
// through.
export const whenSearched = (follow) => followers.push(follow);

// Moves to the match after or before the current one and returns it; nothing if there is none.
export function stepToMatch(step) {
  const count = search.matches.length;
  if (!count) return null;
  search.current = search.current < 0 ? (step > 0 ? 0 : count - 1) : (search.current + step + count) % count;
  return search.matches[search.current];
}

// Returns the words of the controls about the search; `describe` gives those of matches, after "3 of " if one of them
// is the current one.
export function searchWords(describe) {
  if (search.problem || !search.query) return search.problem;
  if (!search.matches.length) return 'no match';
  return describe(search.current < 0 ? '' : `${formatCount(search.current + 1)} of `);
}
