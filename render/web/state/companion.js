// The board below a flame graph: tooltips, stacks to copy, the matches of the graph's search, and clicks that search.
import {findRow, listenToDrawing} from '../core/controls.js';
import {whenSearched} from '../core/search.js';
import {matchesOf} from './matches.js';
import {board, copyOf, model, titleOfPiece} from './picture.js';
import {boardItemAt, redraw} from './section.js';
import {nameOf} from './words.js';

for (const cell of model.cells) for (const piece of cell.pieces) piece.toCopy = () => copyOf(piece);

let found = [];
whenSearched((query, test) => {
  for (const piece of found) piece.hit = false;
  found = query ? matchesOf(query, test, model) : [];
  for (const piece of found) piece.hit = true;
  board.classList.toggle('searching', found.length > 0);
  redraw();
});

listenToDrawing({
  drawing: board, itemAt: boardItemAt, titleOf: titleOfPiece,
  isMoving: () => false,
  activate: (piece) => piece.kind === 'block' && findRow(nameOf(piece)),
});
