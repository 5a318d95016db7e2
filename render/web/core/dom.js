// The picture's own element, and new ones.
import {setAttributes} from './attributes.js';

const SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
export const svg = document.currentScript.ownerSVGElement;

export function make(name, attributes, content) {
  const element = setAttributes(document.createElementNS(SVG, name), attributes);
  if (content !== undefined) element.textContent = content;
  return element;
}

export function html(name, attributes, ...content) {
  const element = setAttributes(document.createElementNS(HTML, name), attributes);
  element.append(...content);
  return element;
}
