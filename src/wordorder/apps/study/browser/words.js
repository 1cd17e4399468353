// The texts of the page, in the language of the study; the server writes them into the page.

/** @type {Record<string, string>} */
let chosen = {};

/** @param {Record<string, string>} words */
export function useWords(words) {
  chosen = words;
}

/**
 * Return a text of the page with `{name}` replaced.
 * @param {string} name
 * @param {Record<string, string | number>} values
 */
export function word(name, values = {}) {
  const text = chosen[name] ?? name;
  return text.replace(/\{(\w+)\}/gu, (whole, key) => (key in values ? String(values[key]) : whole));
}
