// The text about the keeper of a block -> with the block's own items: "preds[3]" for "preds[*]". Blocks share the text.

// `reference`: "5:3:n7" is text 5, whose first `[*]` stands for item 3, and the second for the item named by text 7. If
// the path is cut short, or a name has brackets of its own, it stays as it is.
export function textWithItems(reference, texts) {
  const [number, ...items] = reference.split(':');
  const text = texts[Number(number)];
  if (!items.length) return text;
  const [path, ...rest] = text.split('\n');
  const parts = path.split('[*]');
  if (parts.length !== items.length + 1) return text;
  const names = items.map((item) => (item[0] === 'n' ? texts[Number(item.slice(1))] : item));
  return [parts.reduce((all, part, i) => `${all}[${names[i - 1]}]${part}`), ...rest].join('\n');
}
