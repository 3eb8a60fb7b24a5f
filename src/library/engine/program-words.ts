/** What a program writes for what could be done: flags of the command line are options, commands functions of `h`. */
import { flagName } from "../../host/command/flags.ts";
import type { CallerWords } from "../../process/index.ts";
import { forkKinds, harnKinds, resumeKinds } from "../option-tables.ts";

/** Flags that are options of another name; the rest are called as their options are. */
const otherNames: readonly (readonly [string, string])[] = [
  ["--llm-mock", "mock"],
  ["--no-record", "store: false"],
];
const options: ReadonlyMap<string, string> = new Map([
  ...Object.keys({ ...harnKinds, ...resumeKinds, ...forkKinds }).map((key) => [flagName(key), key] as const),
  ...otherNames,
]);

/** Commands with a function that does the same. Programs have the others, too: `npx harn` (docs/library.md). */
const calls: readonly (readonly [RegExp, string])[] = [
  [/^runs list$/, "h.runs.list()"],
  [/^runs delete ([\w.-]+)$/, 'h.runs.remove("$1")'],
  [/^fork ([\w.-]+) --at (\w+)$/, 'h.fork("$1", {at: $2})'],
  [/^replay ([\w.-]+)$/, 'h.replay("$1")'],
  [/^run --resume ([\w.-]+)$/, 'h.resume("$1")'],
  [/^run --resume ([\w.-]+) FILE$/, 'h.resume("$1", {script})'],
];

/** `keyVariable`: which the program's `apiKey` has set. */
export const programWords = (keyVariable: string | undefined): CallerWords => ({
  flag: (name) => `\`${options.get(name) ?? name}\``,
  giving: (flag, value) => `\`${options.get(flag) ?? flag}: ${JSON.stringify(value)}\``,
  has: (name) => options.has(name),
  command: (words) => {
    const [pattern, call] = calls.find(([one]) => one.test(words)) ?? [];
    return pattern === undefined ? `harn ${words}` : words.replace(pattern, call ?? "");
  },
  variable: (name) => (name === keyVariable ? "`apiKey`" : name),
  storeFolder: () => "`store`",
  nobody: () => "with `store: false` no question is kept until somebody answers it",
  keys: (variables) => [...variables, "`apiKey`"].join(" or "),
});
