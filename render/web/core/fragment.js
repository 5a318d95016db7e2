// The view in the fragment of the URL, so that a link shows what its sender saw.
export const readFragment = () => new URLSearchParams(location.hash.slice(1));

export function setFragment(state) {
  const fragment = state.toString();
  if (fragment === location.hash.slice(1)) return;
  try {
    history.replaceState(null, '', fragment ? '#' + fragment : location.pathname + location.search);
  } catch (error) {
    // Some browsers forbid it for files, or limit the number of calls; the picture works without.
  }
}
