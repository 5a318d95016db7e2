// Canvases on which each place has an allocation: the pointer lights it and shows what it is.
import {lightLife, lightNothing} from './lit.js';
import {hidePageTip, lifeWords, showPageTip} from './tip.js';

// `lifeOf(event)`: the index of the allocation at a place; null: none. Returns what does the same without a pointer.
export function lightsUnder(/** @type {Page} */ page, canvas, lifeOf) {
  let place = null, hovered = null;
  function leave() {
    if (place === null) return;
    place = hovered = null;
    hidePageTip(canvas);
    lightNothing(page);
  }
  function showTip() {
    const {lit} = page.view;
    if (place && lit && lit.life && lit.life.life === hovered) showPageTip(lifeWords(lit.life), place, canvas);
  }
  function show(life, at) {
    place = at;
    hovered = life;
    lightLife(page, life);
    showTip();
  }
  canvas.addEventListener('pointermove', (event) => {
    const life = event.buttons ? null : lifeOf(event);
    if (life === null) leave();
    else show(life, {x: event.clientX, y: event.clientY});
  });
  canvas.addEventListener('pointerleave', leave);
  canvas.addEventListener('pointerdown', leave);
  // Another file or device has other allocations at this place.
  function forget() {
    if (place) hidePageTip(canvas);
    place = hovered = null;
  }
  page.watch(['lit'], () => (place && !page.view.lit ? hidePageTip(canvas) : showTip()));
  page.watch(['file', 'device'], forget);
  return {show, leave};
}
