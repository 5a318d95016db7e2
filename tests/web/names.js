// A module's text -> the names that it declares, imports and uses. No parser, but enough for the plain style of
// render/web/: a name that is declared anywhere in a module counts as declared in all of it.

const KEYWORDS = new Set(('async await break case catch class const constructor continue default delete do else export extends false '
  + 'finally for from function if import in instanceof let new null of return static super switch this throw true try typeof '
  + 'undefined var void while yield').split(' '));

// Strings, comments and regular expressions are not code; expressions in ${} of a template are.
export function codeOf(text) {
  let code = '', i = 0;
  const templates = []; // for each open ${, how many braces are open in it
  const skipTemplate = () => {
    for (; i < text.length && text[i] !== '`'; ++i) {
      if (text[i] === '\\') ++i;
      else if (text.startsWith('${', i)) {
        templates.push(0);
        code += ' ( ';
        i += 2;
        return;
      }
    }
    ++i;
    code += ' 0 ';
  };
  while (i < text.length) {
    const rest = text.slice(i, i + 400);
    const skipped = /^(\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/.exec(rest);
    const regex = text[i] === '/' && /[=(,:;!&|?{}\n>]\s*$/.test(code.slice(-20)) && /^\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[a-z]*/.exec(rest);
    if (skipped || regex) {
      i += (skipped || regex)[0].length;
      code += skipped && skipped[0].startsWith('/') ? ' ' : ' 0 ';
    } else if (text[i] === '`') {
      ++i;
      skipTemplate();
    } else if (templates.length && text[i] === '}' && templates.at(-1) === 0) {
      templates.pop();
      code += ' ) ';
      ++i;
      skipTemplate();
    } else {
      if (templates.length && text[i] === '{') ++templates[templates.length - 1];
      if (templates.length && text[i] === '}') --templates[templates.length - 1];
      code += text[i++];
    }
  }
  return code;
}

const NAME = /[A-Za-z_$][\w$]*/g;
const namesIn = (code) => code.match(NAME) || [];

// {a, b: [c], d = 1} and the like: the names that it binds.
function boundNames(pattern) {
  return namesIn(pattern.replace(/[\w$]+\s*:/g, ' ').replace(/=[^,{}[\]()]*/g, ' '));
}

// The text up to the bracket that closes the one at `begin`.
function bracketed(code, begin) {
  let depth = 0;
  for (let i = begin; i < code.length; ++i) {
    if ('([{'.includes(code[i])) ++depth;
    else if (')]}'.includes(code[i]) && --depth === 0) return code.slice(begin + 1, i);
  }
  return code.slice(begin + 1);
}

export function declaredNames(code) {
  const found = new Set();
  const add = (names) => names.forEach((name) => found.add(name));
  for (const match of code.matchAll(/\b(?:const|let|class|function)\s+([A-Za-z_$][\w$]*)/g)) add([match[1]]);
  for (const match of code.matchAll(/\b(?:const|let)\s+(?=[{[])/g)) add(boundNames(bracketed(code, match.index + match[0].length)));
  for (const match of code.matchAll(/\b(?:const|let)\s[^;]*/g)) add([...match[0].matchAll(/,\s*([A-Za-z_$][\w$]*)\s*=(?!=)/g)].map((one) => one[1]));
  for (const match of code.matchAll(/([A-Za-z_$][\w$]*)\s*=>/g)) add([match[1]]);
  // Parameters are in brackets before => or {.
  for (let i = code.indexOf('('); i >= 0; i = code.indexOf('(', i + 1)) {
    const inside = bracketed(code, i), after = code.slice(i + inside.length + 2, i + inside.length + 8);
    const before = code.slice(Math.max(0, i - 40), i);
    const isCondition = /\b(if|for|while|switch)\s*$/.test(before);
    if (/^\s*=>/.test(after) || (/^\s*\{/.test(after) && !isCondition)) add(boundNames(inside));
  }
  return found;
}

export function importsOf(text) {
  return [...text.matchAll(/^import (?:\{([^}]*)\} from )?'([^']*)';$/gm)].map(([, names, from]) => ({names: namesIn(names || ''), from}));
}

// Returns the names that a module uses and neither declares nor imports.
export function freeNames(text) {
  const code = codeOf(text.replace(/^import .*$/gm, ''));
  const known = new Set([...declaredNames(code), ...importsOf(text).flatMap(({names}) => names)]);
  const used = code.replace(/\.\.\./g, ' ').replace(/\??\.\s*[A-Za-z_$][\w$]*/g, ' ').replace(/([{,]\s*)[A-Za-z_$][\w$]*\s*:/g, '$1')
    // Methods of classes and of objects.
    .replace(/^( *)(static )?(async )?[A-Za-z_$][\w$]*(?=\([^\n]*\) \{$)/gm, (whole) => (/^ *(if|for|while|switch|catch)$/.test(whole) ? ' ' : ' '))
    .replace(/\b\d[\w.]*/g, ' ');
  return [...new Set(namesIn(used))].filter((name) => !known.has(name) && !KEYWORDS.has(name));
}

export const unusedImports = (text) => {
  const rest = codeOf(text.replace(/^import .*$/gm, ''));
  const used = new Set(namesIn(rest));
  return importsOf(text).flatMap(({names}) => names).filter((name) => !used.has(name));
};
