// A piece -> its name, its tooltip, and its stack as text to copy.
import {frameText} from '../core/frames.js';
import {countOf, exactBytes, formatBytes, formatCount, formatDuration, formatPercent} from '../core/numbers.js';
import {foldedStack} from '../core/stacks.js';
import {hexOf, traceName} from './model.js';

export function nameOf(piece) {
  if (piece.kind === 'hole') return 'free';
  if (piece.kind === 'unaccounted') return 'covered by no block';
  if (piece.kind === 'smaller') return `<smaller: ${countOf(piece.blocks, 'block')}, ${countOf(piece.holes, 'hole')}>`;
  return `${piece.entry.label.name} ${piece.entry.label.place}`.trim();
}

function segmentText({address, bytes, used, count, isExpandable, place}) {
  const alike = count > 1 ? `, one of ${formatCount(count)} that look the same` : '';
  return `in segment ${address}, ${formatBytes(bytes)}${isExpandable ? ', expandable' : ''}, ${formatPercent(used, bytes)} in use${alike}\n${place.name}`;
}

const foldable = ({label, isOwn, paint}) => ({name: `${label.name} ${label.place}`.trim(), origin: isOwn ? 'u' : paint[0]});

// Returns the lines of a stack that fit, as in the tooltips of timelines.
function stackLines(stack, name, room) {
  const lines = foldedStack(stack.map(foldable), name);
  if (lines.length <= room) return lines;
  return [...lines.slice(0, room - 1), `… and ${countOf(lines.length - room + 1, 'more line')}; c copies the stack`];
}

// Returns when a block was allocated, and how long it has lived at the moment of its device.
function birthText({event, ageUs, cell}) {
  if (event < 0) return 'no event of its allocation is recorded';
  const events = cell.place.event - event;
  const ago = events > 0 ? [countOf(events, 'event')] : [];
  if (ageUs >= 0) ago.push(formatDuration(ageUs));
  return `allocated at event ${formatCount(event)}` + (ago.length ? `, ${ago.join(' and ')} before this moment` : '');
}

// Returns the text of a tooltip; `stack`: the frames, innermost first.
export function pieceTitle(piece, stack, mostLines) {
  if (piece.title !== undefined) return piece.title;
  const lines = [nameOf(piece), `${exactBytes(piece.bytes)} at 0x${hexOf(piece)}${piece.kind === 'block' ? `, ${traceName(piece)} in the trace` : ''}`];
  if (piece.kind === 'smaller') lines.push(`${formatBytes(piece.used)} in use, ${formatBytes(piece.bytes - piece.used)} free; too small to tell apart here`);
  if (piece.kind === 'block') {
    lines.push(`${exactBytes(piece.bytes - piece.rounding)} requested` + (piece.rounding ? `, ${exactBytes(piece.rounding)} rounding` : ''));
    if (piece.entry.kinds) lines.push(piece.entry.kinds);
    lines.push(piece.isPending ? 'awaiting free (active_pending_free)' : 'in use (active_allocated)');
    lines.push(birthText(piece), ...piece.notes);
  }
  lines.push(segmentText(piece.cell));
  return (piece.title = lines.concat(stackLines(stack, piece.entry ? piece.entry.label.name : '', mostLines - lines.length - 1)).join('\n'));
}

export function pieceStackText(piece, stack) {
  return [nameOf(piece), `${exactBytes(piece.bytes)} at 0x${hexOf(piece)}`, segmentText(piece.cell), ...stack.map(frameText)].join('\n') + '\n';
}
