type Page = import('./types.js').Page;
