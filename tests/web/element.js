// Elements without a document: as much of them as the models of pictures read.
export class FakeElement {
  constructor(name, attributes = {}, ...content) {
    this.localName = name;
    this.attributes = {...attributes};
    this.content = content;
    for (const child of this.children) child.parentNode = this;
  }

  get children() {
    return this.content.filter((part) => part instanceof FakeElement);
  }

  get textContent() {
    return this.content.map((part) => (part instanceof FakeElement ? part.textContent : part)).join('');
  }

  get classList() {
    const classes = (this.attributes.class || '').split(' ');
    return {contains: (name) => classes.includes(name)};
  }

  getAttribute(name) {
    return name in this.attributes ? String(this.attributes[name]) : null;
  }

  hasAttribute(name) {
    return name in this.attributes;
  }

  remove() {
    this.parentNode.content = this.parentNode.content.filter((part) => part !== this);
  }

  // Finds "name", ".class", and ".class > name".
  querySelectorAll(selector) {
    const [first, second] = selector.split(' > ');
    const fits = (one) => (first.startsWith('.') ? one.classList.contains(first.slice(1)) : one.localName === first);
    const found = this.children.flatMap((child) => [...(fits(child) ? [child] : []), ...child.querySelectorAll(first)]);
    return second ? found.flatMap((one) => one.children.filter((child) => child.localName === second)) : found;
  }

  querySelector(selector) {
    return this.querySelectorAll(selector)[0] || null;
  }
}

export const element = (name, attributes, ...content) => new FakeElement(name, attributes, ...content);
