/** Patterns of hooks (agents.md §8.5): a glob on the tool's name, `tool.name == "x"`, `tool.name =~ "regex"`, `kind == "…"`. */
import type { Runtime } from "../../interp/index.ts";
import { patternMatcher } from "../../model/index.ts";
import { at, refusal } from "../../table/index.ts";
import { nameMatches } from "../../values/index.ts";

/** Whether a hook is about this tool. */
export type HookPattern = (runtime: Runtime, name: string, kind: string | null) => boolean;

const comparison = /^\s*(tool\.name|kind)\s*(==|=~|!=)\s*"((?:[^"\\]|\\.)*)"\s*$/;

/** Reads a pattern; throws what is wrong with an expression. */
export function parseHookPattern(text: string, caller: string): HookPattern {
  const found = comparison.exec(text);
  if (found === null) {
    if (/==|=~|!=/.test(text))
      throw refusal(at(caller, "pattern"), 'a glob, tool.name == "…", tool.name =~ "…" or kind == "…"', text);
    return (_runtime, name) => nameMatches(text, name);
  }
  const [, subject, operator, quoted] = found as unknown as [string, string, string, string];
  const wanted = quoted.replace(/\\(["\\])/g, "$1");
  return (runtime, name, kind) => {
    const value = subject === "kind" ? (kind ?? "") : name;
    if (operator === "=~") return patternMatcher(runtime)(wanted, value) === true;
    return (value === wanted) === (operator === "==");
  };
}
