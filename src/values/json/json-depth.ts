/** How deep a JSON text nests, before anybody builds a value of it that nobody can walk. */
export { maxDepth as maxJsonDepth } from "./plain-json.ts";

import { maxDepth } from "./plain-json.ts";

/** Whether a JSON text nests deeper than values may, or than `most`; without recursion. Brackets in texts do not count. */
export function jsonNestsTooDeep(text: string, most: number = maxDepth): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inText) {
      if (char === "\\") at++;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === "[" || char === "{") {
      if (++depth > most) return true;
    } else if (char === "]" || char === "}") depth--;
  }
  return false;
}
