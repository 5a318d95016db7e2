// The bytes that elements of the page hold as text, which view/html/text_in_html.cpp writes.

const MOST = 91, BITS_OF_TWO = 13, BITS_OF_ONE = 6, WITHOUT = '&<>';

const numberOf = new Uint8Array(128);
for (let code = 33, number = 0; code < 127; ++code) if (!WITHOUT.includes(String.fromCharCode(code))) numberOf[code] = number++;

// Returns the bytes of such a text.
export function bytesOfText(text) {
  const codes = new TextEncoder().encode(text), isOdd = codes.length % 2;
  const bytes = new Uint8Array(Math.floor(((codes.length - isOdd) / 2 * BITS_OF_TWO + isOdd * BITS_OF_ONE) / 8));
  let bits = 0, count = 0, size = 0; // the last `count` of `bits` are those of the next byte
  for (let i = 0; size < bytes.length; i += 2) {
    const isTwo = i + 1 < codes.length;
    bits = isTwo ? bits << BITS_OF_TWO | (numberOf[codes[i]] * MOST + numberOf[codes[i + 1]]) : bits << BITS_OF_ONE | numberOf[codes[i]];
    for (count += isTwo ? BITS_OF_TWO : BITS_OF_ONE; count >= 8 && size < bytes.length; bytes[size++] = bits >> count) count -= 8;
  }
  return bytes;
}

// Takes the bytes in an element out of the page.
export function carriedBytes(holder) {
  const bytes = bytesOfText(holder.textContent.trim());
  holder.remove();
  return bytes;
}

export const carriedBlob = (holder) => new Blob([carriedBytes(holder)]);
