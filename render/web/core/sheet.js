// Sections of the page -> their positions for the width of the window. Every top-level part of the file with data-flow
// is a section; parts between sections are scaled as one drawing. See page.hpp.
import {number, setAttributes} from './attributes.js';
import {html, make, page, root, svg} from './dom.js';

const IN_FILE = {width: number(svg, 'width'), height: number(svg, 'height'), margin: 24};
const LEAST_WIDTH = 300, PHONE_WIDTH = 600, PHONE_MARGIN = 12, PHONE_COLUMNS = 780, COLUMN_GAP = 28, MOST_TEXT = 1300;
const DRAWINGS = ['graph', 'board', 'chart'];
// Without it a phone's browser lays the page out for 980 pixels and makes it smaller. HTML's parser would end the picture
// at it, so it is not in the file.
const VIEWPORT = {name: 'viewport', content: 'width=device-width'};
const HEADLESS_TOP = 2, HEADLESS_MARGIN = 2;
const NOT_DRAWN = ['style', 'script', 'title', 'meta', 'defs', 'metadata'];
// The page of `memviz view` has headline and answer itself.
const isWithoutHead = page && !page.hasHead;
const pageGround = svg.querySelector('#page');
let sections = [];
const toTell = [];

// By the name of a flow, the function that lays out its sections for another width: (section, room) => by how many
// pixels it is taller than in the file.
export const layouts = {};
export const pageSize = {width: IN_FILE.width, height: IN_FILE.height};

// The canvas that measures the width of text in its actual font.
const ruler = html('canvas').getContext('2d');
export function measure(element) {
  const {fontStyle, fontWeight, fontSize, fontFamily} = getComputedStyle(element);
  const font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
  return (string) => {
    ruler.font = font;
    return ruler.measureText(string).width;
  };
}

export const drawnWidth = (element) => element.getBBox().width;
export const moveBy = (element, x, y) => element.setAttribute('transform', `translate(${x.toFixed(2)} ${y.toFixed(2)})`);

// Makes a section of each element between sections.
function wrapLoose(parent) {
  let wrapper = null;
  for (const element of [...parent.children]) {
    if (element === pageGround || element.id === 'tip' || NOT_DRAWN.includes(element.localName)) continue;
    if (element.hasAttribute('data-flow') || element.id === 'below') {
      wrapper = null;
      continue;
    }
    if (!wrapper) {
      wrapper = make('g');
      wrapper.setAttribute('data-flow', 'scaled');
      element.before(wrapper);
    }
    wrapper.append(element);
  }
}

function findSections() {
  const below = svg.querySelector('#below');
  wrapLoose(svg);
  if (below) wrapLoose(below);
  const found = [...svg.querySelectorAll(':scope > [data-flow], :scope > #below > [data-flow]')];
  for (const element of found)
    if (!element.hasAttribute('data-y')) element.setAttribute('data-y', element.getBBox().y);
  sections = found.map((element) => ({element, flow: element.getAttribute('data-flow'), top: number(element, 'data-y'),
                                            isDetail: element.hasAttribute('data-detail'),
                                            isColumn: element.hasAttribute('data-column'), growth: 0,
                                            height: element.hasAttribute('data-column') ? element.getBBox().height : 0}));
  sections.sort((a, b) => a.top - b.top);
}

// Sections that are side by side in the file, as one line of the page.
function linesOfPage() {
  const found = [];
  for (const section of sections) {
    const last = found[found.length - 1];
    if (last && section.isColumn && last[0].isColumn && last[0].top === section.top) last.push(section);
    else found.push([section]);
  }
  return found;
}

function roomOf(line, i) {
  const margin = isWithoutHead ? HEADLESS_MARGIN : pageSize.width < PHONE_WIDTH ? PHONE_MARGIN : IN_FILE.margin;
  const whole = pageSize.width - 2 * margin;
  if (line.length < 2 || pageSize.width < PHONE_COLUMNS) return {left: margin, width: whole, text: Math.min(whole, MOST_TEXT)};
  const width = (whole - COLUMN_GAP * (line.length - 1)) / line.length;
  return {left: margin + i * (width + COLUMN_GAP), width, text: width};
}

// On a phone details come after the drawing, or after the first list of a picture without one; within the page of
// `memviz view` all that is above the controls does.
function inReadingOrder(lines) {
  if (pageSize.width >= PHONE_WIDTH && !isWithoutHead) return lines;
  const first = isWithoutHead ? lines.findIndex(([{flow}]) => flow === 'controls') : -1;
  const isLater = (line, i) => line[0].isDetail || i < first;
  const details = lines.filter(isLater), others = lines.filter((line, i) => !isLater(line, i));
  const isMain = (flows) => others.findIndex(([{flow}]) => flows.includes(flow));
  others.splice((isMain(DRAWINGS) < 0 ? isMain(['rows']) : isMain(DRAWINGS)) + 1 || others.length, 0, ...details);
  return others;
}

// Stacks the sections by their heights.
export function settle() {
  const lines = linesOfPage();
  lines.forEach((line, k) => (line.height = (lines[k + 1] ? lines[k + 1][0].top : IN_FILE.height) - line[0].top));
  let y = isWithoutHead ? HEADLESS_TOP : lines.length ? lines[0][0].top : IN_FILE.height;
  for (const line of inReadingOrder(lines)) {
    const isStacked = line.length > 1 && pageSize.width < PHONE_COLUMNS;
    const gap = line.height - Math.max(...line.map((section) => section.height));
    let below = y;
    for (const section of line) {
      section.shift = below - section.top;
      if (section.place) section.place(section.shift);
      else moveBy(section.element, 0, section.shift);
      if (isStacked) below += section.height + gap + section.growth;
    }
    y = isStacked ? below : y + line.height + Math.max(...line.map((section) => section.growth));
  }
  pageSize.height = Math.ceil(y);
  setAttributes(svg, {...pageSize, viewBox: `0 0 ${pageSize.width} ${pageSize.height}`});
  setAttributes(pageGround, pageSize);
  for (const told of toTell) told();
}

layouts.scaled = (section, room) => {
  const scale = room.width / (IN_FILE.width - 2 * IN_FILE.margin);
  const {height} = section.box || (section.box = section.element.getBBox());
  section.place = (shift) => section.element.setAttribute('transform',
    `translate(${room.left - IN_FILE.margin * scale} ${section.top * (1 - scale) + shift}) scale(${scale})`);
  return height * (scale - 1);
};

layouts.rule = (section, room) => {
  section.element.setAttribute('d', `M${room.left} ${section.top}h${room.width}`);
  return 0;
};

const isShown = () => svg.querySelector('text').getBoundingClientRect().width > 0;
const surroundings = svg.parentElement || root.host || svg;
const availableWidth = () => Math.max(LEAST_WIDTH, surroundings.clientWidth || window.innerWidth);

// Returns the top of a section on the page.
export function topOf(element) {
  const section = sections.find((one) => one.element === element);
  return section ? section.top + section.shift : number(element, 'data-y');
}

function layOutPage() {
  pageSize.width = availableWidth();
  svg.classList.toggle('phone', pageSize.width < PHONE_WIDTH);
  for (const line of linesOfPage())
    line.forEach((section, i) => (section.growth = (layouts[section.flow] || layouts.scaled)(section, roomOf(line, i))));
  settle();
}

let isAsked = false;
function onResize() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    if (isShown() && availableWidth() !== pageSize.width) layOutPage();
  });
}

// A picture that the browser has not laid out yet, or hides, has texts of width 0: the sheet begins when there is
// something to measure. A hidden frame gets no animation frames until it becomes visible; a page may draw another picture meanwhile.
export function startSheet() {
  if (document.documentElement === svg && !svg.querySelector('meta')) svg.append(html('meta', VIEWPORT));
  svg.classList.add('scripted');
  const narrowHead = svg.querySelector('.narrow');
  if (narrowHead) narrowHead.remove();
  if (!isShown()) return void (svg.isConnected && requestAnimationFrame(startSheet));
  findSections();
  layOutPage();
  // A scroll bar that this causes takes room.
  if (availableWidth() !== pageSize.width) layOutPage();
  if (page) page.picture.resize = onResize;
  else window.addEventListener('resize', onResize);
}

// Calls `told` whenever sections have moved.
export const whenSettled = (told) => toTell.push(told);
export const isPhone = () => availableWidth() < PHONE_WIDTH;
