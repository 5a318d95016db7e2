// The board adapts to the width of its section, and the page below moves with its height.
import {number} from '../core/attributes.js';
import {layouts, settle, topOf, whenSettled} from '../core/sheet.js';
import {pagePoint} from '../core/tip.js';
import {draw, layout, pieceUnder} from './drawing.js';
import {board, boardGeometry} from './picture.js';

let boardSection = null;
const growthOfBoard = () => layout.height - number(board, 'data-height');

layouts.board = (section, room) => {
  boardSection = section;
  Object.assign(boardGeometry, {left: room.left, width: room.width});
  draw();
  board.setAttribute('transform', `translate(${room.left} ${number(board, 'data-y')})`);
  return growthOfBoard();
};
whenSettled(() => (boardGeometry.top = topOf(board.parentNode)));

// Draws what the view needs, once the page is laid out.
export function redraw() {
  if (!boardSection) return;
  draw();
  boardSection.growth = growthOfBoard();
  settle();
}

// A line for each place of another device: a click opens it.
export function openPlace(place, isOpen = true) {
  place.isClosed = !isOpen;
  redraw();
}
board.addEventListener('click', ({target: {place}}) => place && openPlace(place, place.isClosed));

export function boardItemAt(event) {
  const piece = pieceUnder(pagePoint(event));
  return piece && {item: piece, holder: piece};
}
