// The controls above a drawing that every picture has: HTML, so that they work as buttons and fields for everyone.
import {number, setAttributes, text} from './attributes.js';
import {html, make, page, svg} from './dom.js';
import {layouts} from './sheet.js';

const CONTROLS_HEIGHT = 28; // in the file

export const controls = svg.querySelector('#controls');
export const toolbar = html('div', {id: 'toolbar', role: 'toolbar', 'aria-label': 'view'});
export const searchInput = html('input', {id: 'search', class: 'panel', type: 'search'});
export const status = html('span', {id: 'status', class: 'dim', role: 'status', 'aria-live': 'polite'});
const holder = controls.appendChild(make('foreignObject', {y: number(controls, 'data-y')}));
holder.append(toolbar);

// Leaves out the controls that a page has for all its pictures.
export const unlessInPage = (...parts) => (page ? [] : parts);
export const button = (id, label, title) => html('button', {id, class: 'panel', type: 'button', title}, label);
export const crumb = (label, attributes) => html('button', {class: 'crumb', type: 'button', ...attributes}, label);

// On a phone the controls take several lines.
layouts.controls = (section, room) => {
  setAttributes(holder, {x: room.left, width: room.width});
  const height = toolbar.offsetHeight;
  holder.setAttribute('height', height);
  return Math.max(0, height - CONTROLS_HEIGHT);
};

// A line of a list leads to the item that it names: `find` takes the words to search for.
export function listenToRows(find) {
  for (const row of svg.querySelectorAll('.row')) {
    setAttributes(row, {tabindex: '0', role: 'button'});
    const follow = () => find(text(row, 'data-find'));
    row.addEventListener('click', follow);
    row.addEventListener('keydown', (event) => event.key === 'Enter' && follow());
  }
}

export const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;
