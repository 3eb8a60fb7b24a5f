/** Patterns of schemas, on the linear-time engine: they come from models and users. */
import { type Runtime, stateKey } from "../../interp/index.ts";
import { thrown, tooLargeRegex } from "../../values/index.ts";

/** True or false, or what is wrong with the pattern. */
export type PatternMatcher = (pattern: string, text: string) => boolean | string;

interface Searcher {
  matcher(text: string): { find(): boolean; group(): string | null };
}

const searchers = stateKey<Map<string, Searcher | string>>("schema patterns", () => new Map());
const kept = 256;

/** Everything in a text that a pattern fits, at most a thousand times; what is wrong with the pattern is thrown. */
export function findAll(runtime: Runtime, pattern: string, text: string): string[] {
  const searcher = searcherOf(runtime, pattern);
  if (typeof searcher === "string") throw thrown(`bad pattern ${JSON.stringify(pattern)}: ${searcher}`);
  const found: string[] = [];
  const matcher = searcher.matcher(text);
  while (found.length < maxFound && matcher.find()) found.push(matcher.group() ?? "");
  return found.filter((part) => part !== "");
}

const maxFound = 1000;

/** Unanchored search with the regex engine of a runtime; compiled patterns are kept there. */
export function patternMatcher(runtime: Runtime): PatternMatcher {
  return (pattern, text) => {
    const searcher = searcherOf(runtime, pattern);
    return typeof searcher === "string" ? searcher : searcher.matcher(text).find();
  };
}

function searcherOf(runtime: Runtime, pattern: string): Searcher | string {
  const cache = runtime.state(searchers);
  let searcher = cache.get(pattern);
  if (searcher === undefined) {
    searcher = compileSchemaPattern(runtime, pattern);
    if (cache.size >= kept) cache.delete(cache.keys().next().value as string);
    cache.set(pattern, searcher);
  }
  return searcher;
}

function compileSchemaPattern(runtime: Runtime, pattern: string): Searcher | string {
  const large = tooLargeRegex(pattern);
  if (large !== undefined) return large;
  try {
    return runtime.host.libraries.re2js().RE2JS.compile(pattern);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
