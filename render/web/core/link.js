// A picture in the frame of a page (`memviz view`): messages from the page, and to it.
const isFramed = window.parent !== window;

// An allocation by its name: "b7f064c000000_0".
export const sayAllocation = (name) => isFramed && window.parent.postMessage({memviz: {name}}, '*');

// Calls `search` with the text searched for in the page.
export function listenToPage(search) {
  if (!isFramed) return;
  window.addEventListener('message', ({source, data}) => {
    if (source === window.parent && data && typeof data.memvizSearch === 'string') search(data.memvizSearch);
  });
}
