// The page and its elements: how every picture's script reads and makes them.
const SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
const svg = document.currentScript.ownerSVGElement;
const controls = svg.querySelector('#controls');

const number = (element, name) => Number(element.getAttribute(name) || 0);
const text = (element, name) => element.getAttribute(name) || '';

function make(name, attributes, content) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (content !== undefined) element.textContent = content;
  return element;
}

function html(name, attributes = {}, ...content) {
  const element = document.createElementNS(HTML, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  element.append(...content);
  return element;
}

const button = (id, label, title) => html('button', {id, class: 'panel', type: 'button', title}, label);

// The browser's own tooltip would cover ours: its text moves into the model.
function takeTitle(element) {
  const title = element.querySelector('title');
  if (!title) return '';
  title.remove();
  return title.textContent;
}

// The view in the URL, so that a link shows what its sender saw.
function setFragment(fragment) {
  if (fragment === location.hash.slice(1)) return;
  try {
    history.replaceState(null, '', fragment ? '#' + fragment : location.pathname + location.search);
  } catch (error) {
    // Some browsers forbid it for files, or so many calls at once; the picture works without.
  }
}
