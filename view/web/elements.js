// Elements of the page: existing ones, and new ones.
/** @type {(id: string) => any} */
export const byId = (id) => document.getElementById(id);

export function element(name, attributes, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

// A new one for each question costs a layout; node, where tests import this, has none.
const DARK = globalThis.matchMedia?.('(prefers-color-scheme: dark)');
export const isDark = () => DARK.matches;

// A canvas with as many pixels as its area of the screen, and its size in the units of the page.
export function fitted(canvas) {
  const {width, height} = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
  const wide = Math.max(1, Math.round(width * ratio)), high = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, {width: wide, height: high});
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return {context, width, height};
}

// A cached drawing below something that moves: each paint() copies it, and redraws it only after forget() or at another
// size.
export function restingDrawing(canvas, draw) {
  const copy = document.createElement('canvas');
  let isDrawn = false;
  return {
    forget: () => (isDrawn = false),
    paint() {
      const paper = fitted(canvas);
      if (!isDrawn || copy.width !== canvas.width || copy.height !== canvas.height) {
        Object.assign(copy, {width: canvas.width, height: canvas.height});
        const context = copy.getContext('2d');
        context.setTransform(paper.context.getTransform());
        draw({...paper, context});
        isDrawn = true;
      }
      paper.context.drawImage(copy, 0, 0, paper.width, paper.height);
      return paper;
    },
  };
}

// Calls `draw` at most once per frame, however often it is requested.
export function oncePerFrame(draw) {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      draw();
    });
  };
}
