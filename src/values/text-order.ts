/** Order of strings by code point, which differs from JavaScript's order by UTF-16 unit when surrogates meet U+E000–U+FFFF. */

/** Negative, zero or positive, as `Array.sort` wants it. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates stand for code points above U+FFFF, so they sort after every other unit.
    if (x >= 0xd800 && y >= 0xd800) {
      x = x >= 0xe000 ? x - 0x800 : x + 0x2000;
      y = y >= 0xe000 ? y - 0x800 : y + 0x2000;
    }
    return x - y;
  }
  return a.length - b.length;
}

/** From here on UTF-16 order and code-point order may differ. */
const HIGH_UNIT = /[\ud800-\uffff]/;

/** Sorts strings in place by code point. JavaScript's own order does where no string has a high unit. */
export function sortTexts(texts: string[]): string[] {
  return texts.some((text) => HIGH_UNIT.test(text)) ? texts.sort(compareText) : texts.sort();
}
