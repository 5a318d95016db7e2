// Presses, drags and the wheel on a canvas of the curve.
const LEAST_DRAG = 4;
const ENDS = ['pointerup', 'pointercancel', 'lostpointercapture'];

const shareIn = (target, {clientX}) => {
  const {left, width} = target.getBoundingClientRect();
  return Math.max(0, Math.min(1, (clientX - left) / width));
};

// Calls `begin(share, event)` at a press, which returns {move(share, event), end(), click()}: what a drag does, what its
// end does, and what a press that does not move does.
export function onDrag(target, begin) {
  target.addEventListener('pointerdown', (down) => {
    if (down.button !== 0) return;
    target.setPointerCapture(down.pointerId);
    const {move = () => {}, end = () => {}, click = () => {}} = begin(shareIn(target, down), down);
    let isDragged = false;
    const follow = (event) => {
      isDragged = isDragged || Math.max(Math.abs(event.clientX - down.clientX), Math.abs(event.clientY - down.clientY)) >= LEAST_DRAG;
      if (isDragged) move(shareIn(target, event), event);
    };
    const finish = ({type}) => {
      target.removeEventListener('pointermove', follow);
      for (const name of ENDS) target.removeEventListener(name, finish);
      if (isDragged) end();
      else if (type === 'pointerup') click();
    };
    target.addEventListener('pointermove', follow);
    for (const name of ENDS) target.addEventListener(name, finish);
  });
}

// The wheel: `zoom(factor, share)`, with Ctrl `zoomBytes(factor, event)`, or `move(share of the width)`.
export function onWheel(target, {zoom, zoomBytes, move}) {
  target.addEventListener('wheel', (event) => {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) zoomBytes(event.deltaY > 0 ? 1.25 : 0.8, event);
    else if (Math.abs(event.deltaX) <= Math.abs(event.deltaY)) zoom(event.deltaY > 0 ? 1.25 : 0.8, shareIn(target, event));
    else move(event.deltaX / target.clientWidth);
  }, {passive: false});
}
