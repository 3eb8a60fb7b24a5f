/**
 * The engine of the regex builtins: `re2js`, loaded when a script first needs it, with compiled patterns kept by the run's Runtime. Adds
 * what RE2 has not: the flag `x`, and replacements with `$name`.
 */
import { stateKey, type Task } from "../../interp/index.ts";
import { regexSize, thrown, tooLargeRegex } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";

/** A pattern above this size is only used on texts up to `maxWork` divided by its size. */
const largeSize = 2000;
const maxWork = 2e9;

export interface RegexMatch {
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Groups from 1; `undefined` for one that took no part. */
  readonly groups: readonly (string | undefined)[];
}

const keptPatterns = 256;
const compiledPatterns = stateKey<Map<string, CompiledRegex>>("regex cache", () => new Map());

/** The compiled pattern, from the cache when it was used before. Throws the script error for a bad one. */
export function compileRegex(task: Task, pattern: string, flags?: Argument): CompiledRegex {
  const letters = flags === undefined || flags === null ? "" : textOf(flags);
  const cache = task.runtime.state(compiledPatterns);
  const key = `${letters}/${pattern}`;
  let compiled = cache.get(key);
  if (compiled === undefined) {
    compiled = compilePattern(task, pattern, letters);
    // The oldest goes first; Map keeps insertion order.
    if (cache.size >= keptPatterns) cache.delete(cache.keys().next().value as string);
    cache.set(key, compiled);
  }
  return compiled;
}

function compilePattern(task: Task, pattern: string, letters: string) {
  const { RE2JS } = task.runtime.host.libraries.re2js();
  let bits = 0;
  let source = pattern;
  for (const letter of letters) {
    if (letter === "i") bits |= RE2JS.CASE_INSENSITIVE;
    else if (letter === "m") bits |= RE2JS.MULTILINE;
    else if (letter === "s") bits |= RE2JS.DOTALL;
    else if (letter === "x") source = withoutComments(pattern);
    else throw thrown(`Invalid regex: unsupported regex flag '${letter}', expected one of i/m/s/x`);
  }
  const large = tooLargeRegex(source);
  if (large !== undefined) throw thrown(`Invalid regex: ${large}`);
  try {
    const engine = RE2JS.compile(source, bits);
    return {
      /** Instructions, about. */
      size: regexSize(source),
      engine,
      groupCount: engine.groupCount(),
      /** Group number by name. */
      names: new Map(Object.entries(engine.namedGroups())),
    };
  } catch (error) {
    throw thrown(`Invalid regex: ${description(error)}`);
  }
}

export type CompiledRegex = Readonly<ReturnType<typeof compilePattern>>;

function description(error: unknown): string {
  const { message } = error as { message?: unknown };
  return typeof message === "string" ? message.replace(/^error parsing regexp: /, "") : String(error);
}

/** A pattern of the flag `x`: white space and `#` comments count only when escaped or in a class. */
function withoutComments(pattern: string): string {
  let result = "";
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] as string;
    if (char === "\\") result += char + (pattern[++i] ?? "");
    else if (inClass || char === "[") {
      inClass = char !== "]";
      result += char;
    } else if (char === "#") {
      while (i < pattern.length && pattern[i] !== "\n") i += 1;
    } else if (!/\s/.test(char)) result += char;
  }
  return result;
}

/** Matching can't be broken off, so what could take minutes is not begun. */
export function checkWork({ size }: CompiledRegex, text: string): void {
  if (size > largeSize && size * text.length > maxWork)
    throw thrown(
      `regex: the pattern (about ${Math.round(size)} instructions) is too large for a text of ${text.length} characters`,
    );
}

/** All matches from left to right, never overlapping. */
export function* matches(regex: CompiledRegex, text: string): IterableIterator<RegexMatch> {
  checkWork(regex, text);
  const matcher = regex.engine.matcher(text);
  while (matcher.find()) {
    const groups: (string | undefined)[] = [];
    for (let group = 1; group <= regex.groupCount; group++) groups.push(matcher.group(group) ?? undefined);
    const start = matcher.start();
    const end = matcher.end();
    yield { start, end, text: text.slice(start, end), groups };
  }
}

const reference = /\$(?:(\$)|\{([^}]*)\}|([0-9A-Za-z_]+))/g;

/** A replacement template filled from a match; a group that is unknown or took no part is empty. */
export function expandReplacement(
  template: string,
  match: RegexMatch,
  names: ReadonlyMap<string, number>,
): string {
  if (!template.includes("$")) return template;
  return template.replace(reference, (_all, dollar?: string, braced?: string, bare?: string) => {
    if (dollar !== undefined) return "$";
    const name = braced ?? bare ?? "";
    const index = /^\d+$/.test(name) ? Number(name) : names.get(name);
    if (index === undefined) return "";
    return index === 0 ? match.text : (match.groups[index - 1] ?? "");
  });
}
