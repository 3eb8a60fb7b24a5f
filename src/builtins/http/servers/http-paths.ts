/**
 * Paths of requests, folded as browsers fold them, so that no handler ever sees a `..`: those who make a file name of a path
 * would leave their folder with it.
 */

/** `.` and `..`, also percent-encoded. */
const dot = /^(?:\.|%2e)$/i;
const dots = /^(?:\.|%2e){2}$/i;

/**
 * The path without `.` and `..`; `undefined` for one that holds what decodes to `..` between slashes of either kind, or a zero
 * byte: nobody asks so by accident.
 */
export function foldedPath(path: string): string | undefined {
  const segments = path.split("/");
  const kept: string[] = [];
  for (const [at, segment] of segments.entries()) {
    const last = at === segments.length - 1;
    if (dots.test(segment)) kept.pop();
    else if (!dot.test(segment)) {
      if (climbs(segment)) return undefined;
      kept.push(segment);
      continue;
    }
    if (last) kept.push("");
    if (kept.length === 0) kept.push("");
  }
  const folded = kept.join("/");
  return folded.startsWith("/") ? folded : `/${folded}`;
}

/** What a segment decodes to, once and again: a handler may decode what it gets. */
function climbs(segment: string): boolean {
  let text = segment;
  for (let round = 0; round < 3; round++) {
    if (text.includes("\0") || text.split(/[\\/]/).some((part) => part === "..")) return true;
    const decoded = decodedOnce(text);
    if (decoded === text) return false;
    text = decoded;
  }
  return false;
}

const decodedOnce = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
