// The part of the axis in view -> another: {begin, end}, always inside the panel's range.
const LEAST_STATES = 8;

// Returns the view from `begin` to `end`, clamped to the range and to a minimum length.
export function viewOf(panel, begin, end) {
  const all = panel.end - panel.begin;
  const length = Math.min(all, Math.max(all / 1e6, panel.isTime ? 1 : LEAST_STATES, end - begin));
  const first = Math.min(Math.max(begin, panel.begin), panel.end - length);
  return {begin: first, end: first + length};
}

// Charts that share an axis show the same part of it.
export const sharesAxis = (one, other) => one.axisWords === other.axisWords && one.begin === other.begin && one.end === other.end;

// `at`: the position on the axis that keeps its place.
export const zoomed = ({begin, end}, factor, at) => ({begin: at - (at - begin) * factor, end: at + (end - at) * factor});

export function moved({begin, end}, share) {
  const step = (end - begin) * share;
  return {begin: begin + step, end: end + step};
}

export const middleOf = ({begin, end}) => (begin + end) / 2;
