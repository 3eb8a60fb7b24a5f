/** How deep a JSON text nests, before anybody builds a value of it that nobody can walk. */
export { maxDepth as maxJsonDepth } from "./plain-json.ts";

import { maxDepth } from "./plain-json.ts";

const quote = 0x22;
const leftBracket = 0x5b;
const backslash = 0x5c;
const rightBracket = 0x5d;
const leftBrace = 0x7b;
const rightBrace = 0x7d;

/** Whether a JSON text nests deeper than values may, or than `max`; without recursion. Brackets in texts do not count. */
export function jsonNestsTooDeep(text: string, max: number = maxDepth): boolean {
  if (text.length <= max) return false;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inText) {
      if (char === backslash) at++;
      else if (char === quote) inText = false;
    } else if (char === quote) inText = true;
    else if (char === leftBracket || char === leftBrace) {
      if (++depth > max) return true;
    } else if (char === rightBracket || char === rightBrace) depth--;
  }
  return false;
}
