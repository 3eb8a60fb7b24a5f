/** What a runtime must never say: words and traces that are JavaScript's, and its own internal errors. */

/** What only JavaScript says. */
const LEAKED =
  /\n\s+at .+(?:\.[cm]?[jt]s|<anonymous>|\(native)[:)]|node:internal|\/src\/\w+\/|\/dist\/\w+|internal error|is not a function|(?<!type \w+ )is not iterable|of undefined|of null \(|Cannot read propert|Maximum call stack|\[object \w+\]|InternalError|Cannot mix BigInt|is not defined\b(?! or imported| in )|undefined is|Invalid array length|Invalid string length|is not a constructor|Cannot convert undefined|Cannot set propert|UnhandledPromise|ERR_[A-Z]{3,}/;

/** What leaked, as it stands in what was said; what the input itself contains may also be said. */
export function leakIn(said: string, value: string): string | undefined {
  for (const match of said.matchAll(new RegExp(LEAKED, "g"))) {
    const leak = match[0];
    if (!value.includes(leak.trim())) return leak.trim();
  }
  return undefined;
}
