/** Regular expressions (builtins.md §2.5), in linear time: patterns come from models and users. */
import { defineBuiltins } from "../../table/index.ts";
import { characterPosition, Dict, List, type Value } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { compileRegex, expandReplacement, matches } from "./regex-engine.ts";

function replaceMatches(task: Parameters<typeof compileRegex>[0], args: readonly Argument[]): Value {
  const [pattern, replacement, subject, flags] = args;
  if (pattern === undefined || replacement === undefined || subject === undefined) return null;
  const regex = compileRegex(task, textOf(pattern), flags);
  const whole = textOf(subject);
  const template = textOf(replacement);
  let result = "";
  let end = 0;
  for (const match of matches(regex, whole)) {
    result += whole.slice(end, match.start) + expandReplacement(template, match, regex.names);
    end = match.end;
  }
  return result + whole.slice(end);
}

const replaceDeclaration = {
  doc: "Every match replaced. The replacement understands `$1`, `${name}`, `$name` and `$$`.",
  sig: "(pattern: string, replacement: string, text: any, flags?: string) -> string?",
  effect: "pure" as const,
};

export const regex = defineBuiltins("regex", {
  regex_match: {
    doc: "The texts of all matches; nil when there is none.",
    sig: "(pattern: string, text: any, flags?: string) -> list<string>?",
    effect: "pure",
    example: 'regex_match("\\\\d+", "a1b22")  // [1, 22]',
    run: (task, pattern: Argument, subject: Argument, flags: Argument) => {
      if (pattern === undefined || subject === undefined) return null;
      const whole = textOf(subject);
      const found: Value[] = [];
      for (const match of matches(compileRegex(task, textOf(pattern), flags), whole)) {
        found.push(match.text);
      }
      return found.length === 0 ? null : new List(found);
    },
  },
  regex_replace: {
    ...replaceDeclaration,
    example: 'regex_replace("(\\\\w)-(\\\\w)", "$2-$1", "a-b")  // b-a',
    run: (task, ...args: Argument[]) => replaceMatches(task, args),
  },
  regex_replace_all: {
    ...replaceDeclaration,
    example: 'regex_replace_all("b+", "x", "abba")  // axa',
    run: (task, ...args: Argument[]) => replaceMatches(task, args),
  },
  regex_captures: {
    doc: "A dict per match: `match`, `groups`, each named group that took part, `start`, `end`, `line`.",
    sig: "(pattern: string, text: any, flags?: string) -> list<dict>",
    effect: "pure",
    example: 'regex_captures("(?P<k>\\\\w)=(\\\\d)", "a=1")[0].k  // a',
    run: (task, pattern: Argument, subject: Argument, flags: Argument) => {
      if (pattern === undefined || subject === undefined) return new List([]);
      const compiled = compileRegex(task, textOf(pattern), flags);
      return captures(compiled, textOf(subject));
    },
  },
  regex_split: {
    doc: "The parts between matches. The text comes first.",
    sig: "(text: any, pattern: string, flags?: string) -> list<string>?",
    effect: "pure",
    example: 'regex_split("a1b22c", "\\\\d+")  // [a, b, c]',
    run: (task, subject: Argument, pattern: Argument, flags: Argument) => {
      if (pattern === undefined || subject === undefined) return null;
      const whole = textOf(subject);
      const parts: Value[] = [];
      let end = 0;
      for (const match of matches(compileRegex(task, textOf(pattern), flags), whole)) {
        parts.push(whole.slice(end, match.start));
        end = match.end;
      }
      parts.push(whole.slice(end));
      return new List(parts);
    },
  },
});

function captures(compiled: ReturnType<typeof compileRegex>, whole: string): List {
  let line = 1;
  let counted = 0;
  const found: Value[] = [];
  for (const match of matches(compiled, whole)) {
    for (; counted < match.start; counted++) if (whole.charCodeAt(counted) === 10) line += 1;
    const entries = new Map<string, Value>([
      ["match", match.text],
      ["groups", new List(match.groups.map((group) => group ?? null))],
      ["start", characterPosition(whole, match.start)],
      ["end", characterPosition(whole, match.end)],
      ["line", line],
    ]);
    for (const [name, index] of compiled.names) {
      const group = match.groups[index - 1];
      if (group !== undefined) entries.set(name, group);
    }
    found.push(Dict.from(entries));
  }
  return new List(found);
}
