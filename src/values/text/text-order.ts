/** Order of strings by code point, which differs from JavaScript's order by UTF-16 unit when surrogates meet U+E000–U+FFFF. */

/** From here on the two orders may differ. */
const HIGH_UNIT = /[\ud800-\uffff]/;
/** So many units are compared by hand before asking the engine, which is faster only on long common beginnings. */
const NEAR = 8;

/** Negative, zero or positive, as `Array.sort` wants it. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const n = Math.min(a.length, b.length);
  const near = Math.min(n, NEAR);
  for (let i = 0; i < near; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointOrder(x) - codePointOrder(y);
  }
  if (n <= NEAR) return a.length - b.length;
  if (!HIGH_UNIT.test(a) || !HIGH_UNIT.test(b)) return a < b ? -1 : 1;
  for (let i = near; i < n; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointOrder(x) - codePointOrder(y);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above U+FFFF, so they sort after every other unit. */
function codePointOrder(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/** Sorts strings in place by code point. JavaScript's own order does where no string has a high unit. */
export function sortTexts(texts: string[]): string[] {
  return texts.some((text) => HIGH_UNIT.test(text)) ? texts.sort(compareTexts) : texts.sort();
}
