// The attributes of elements of the file -> values; and setters for attributes.
export const number = (element, name) => Number(element.getAttribute(name) || 0);
export const text = (element, name) => element.getAttribute(name) || '';

export function setAttributes(element, attributes) {
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  return element;
}

// The browser's own tooltip would cover ours, so its text moves into the model.
export function takeTitle(element) {
  const title = element.querySelector('title');
  if (!title) return '';
  title.remove();
  return title.textContent;
}
