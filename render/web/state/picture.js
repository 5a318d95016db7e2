// The segments of the file, and the part of them in view. A picture has one board.
import {svg} from '../core/dom.js';
import {readFrames} from '../core/frames.js';
import {MOST_LINES} from '../core/tip.js';
import {framesOf, readBoard} from './model.js';
import {nameOf, pieceStackText, pieceTitle} from './words.js';

export const board = svg.querySelector('#board');
export const model = readBoard(svg.querySelector('#board-data'), readFrames(svg.querySelectorAll('#board-frames > f')));
export const boardGeometry = {left: 0, top: 0, width: 0};
export const boardView = {zoom: null, focus: null}; // zoom: {cell, begin, end}

export const stackOf = (piece) => framesOf(piece, model.stackNodes);
export const titleOfPiece = (piece) => pieceTitle(piece, piece.title === undefined ? stackOf(piece) : [], MOST_LINES);
export const copyOf = (piece) => ({text: pieceStackText(piece, stackOf(piece)), name: nameOf(piece)});
