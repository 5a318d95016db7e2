// The picture's own element and its surroundings, and new elements.
import {setAttributes} from './attributes.js';

const SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
const script = document.currentScript;
// The page that draws the picture in itself, see pictures.js of `memviz view`; null: the picture is alone.
export const page = script.page || null;
export const svg = page ? page.svg : script.ownerSVGElement;
export const root = svg.getRootNode();
// Hears the keys: in a page no more than the picture itself, because its root will have others.
export const keyboard = page ? svg : root;

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
