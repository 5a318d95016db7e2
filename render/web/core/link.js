// A picture in the frame of a page (`memviz view`): what the page says to it, and what it says to the page.
const isFramed = window.parent !== window;

// An allocation by its name: "b7f064c000000_0".
export const sayAllocation = (name) => isFramed && window.parent.postMessage({memviz: {name}}, '*');

// Calls `search` with what is searched for in the page.
export function listenToPage(search) {
  if (!isFramed) return;
  window.addEventListener('message', ({source, data}) => {
    if (source === window.parent && data && typeof data.memvizSearch === 'string') search(data.memvizSearch);
  });
}
