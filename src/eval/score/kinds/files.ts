/** Scorers of what a trial left in its sandbox: files, everything that changed, the tests of the task. */
import { readTexts, runCommandLine } from "../../../agent/checks/index.ts";
import { at, row } from "../../../table/index.ts";
import {
  type Callable,
  Dict,
  display,
  isJsonObject,
  type Json,
  jsonParse,
  List,
  numberValue,
  runtimeError,
  ScriptError,
  toJson,
  type Value,
} from "../../../values/index.ts";
import { scoringContext } from "../../plan/index.ts";
import {
  expectedRow,
  expectedValue,
  type ScorerArguments,
  type ScorerInput,
  scorerKind,
  unscored,
  verdict,
} from "../scorer-kind.ts";
import { copyIn } from "./copy-in.ts";

// ── files ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface LeftFile {
  /** Null: it is gone. */
  readonly digest: string | null;
  /** Undefined: it is not kept as text. */
  readonly text: string | undefined;
}

/** What the trial made, changed or removed, by path. */
function leftFiles({ outcome }: ScorerInput): ReadonlyMap<string, LeftFile> {
  const files = outcome.get("files") ?? null;
  if (!(files instanceof List)) throw runtimeError("there are no files: the task has no `sandbox`");
  return new Map(
    files.toArray().flatMap((one): [string, LeftFile][] => {
      if (!(one instanceof Dict)) return [];
      const [digest, text] = [one.get("digest") ?? null, one.get("text")];
      return [
        [
          display(one.get("path") ?? null),
          {
            digest: typeof digest === "string" ? digest : null,
            text: typeof text === "string" ? text : undefined,
          },
        ],
      ];
    }),
  );
}

/** The text of a file at the end; null when there is none. What did not change still lies in the sandbox. */
async function endText(input: ScorerInput, path: string): Promise<string | null> {
  const left = leftFiles(input).get(path);
  if (left?.digest === null) return null;
  if (left?.text !== undefined) return left.text;
  if (input.task.runtime.state(scoringContext).sandbox === null)
    throw left === undefined
      ? runtimeError(`${path} did not change, and there is no sandbox to look at it`)
      : notKept(path);
  const [found] = await readTexts(input.task, [path]);
  return found === undefined ? null : found.text;
}

const notKept = (path: string) =>
  runtimeError(`${path} was not kept as a text: \`sandbox.keep\` must allow it, up to 1 MB a file`);

/** Under the base of what trials name: without `./`. */
const plainPath = (path: string): string => path.replace(/^(?:\.\/)+/u, "");

const fileRows = () => ({
  path: row
    .text("The file, relative to the sandbox.")
    .where(
      "a path inside of the sandbox",
      (path) => plainPath(path) !== "" && !/^\/|(?:^|\/)\.\.(?:\/|$)/u.test(path),
    )
    .to(plainPath)
    .required(),
  expected: expectedRow("Its text, or `fn(sample)`; the sample's `target` unless given."),
});

const fileIs = scorerKind(fileRows, {
  needs: ["files"],
  async score(input) {
    const { path } = input.args;
    const expected = display(await expectedValue(input));
    const text = await endText(input, path);
    if (text === null) return verdict(false, { why: `there is no file ${path}` });
    const why = text === expected ? "" : input.tools.diff(input.task, expected, text, path);
    return verdict(text === expected, { why });
  },
});

const diffRows = () => ({
  expected: row.handle<Dict | Callable>(
    "dict | closure",
    "Texts by path of all files that change (nil: it is gone), or `fn(sample)`; the sample's `target` unless given.",
  ),
});

const diffIs = scorerKind(diffRows, {
  needs: ["files"],
  async score(input) {
    const expected = row.dict(null).read(await expectedValue(input), at("diff_is", "expected"));
    const left = leftFiles(input);
    const whys: string[] = [];
    for (const [name, value] of expected.entries()) {
      const path = plainPath(name);
      const file = left.get(path);
      const isGone = file?.digest === null;
      if (file === undefined) whys.push(`${path} did not change`);
      else if (value === null) whys.push(...(isGone ? [] : [`${path} is still there`]));
      else if (isGone) whys.push(`${path} was removed`);
      else if (file.text === undefined) throw notKept(path);
      else if (file.text !== display(value))
        whys.push(input.tools.diff(input.task, display(value), file.text, path));
    }
    const wanted = new Set(expected.keys().map(plainPath));
    for (const [path, { digest }] of left)
      if (!wanted.has(path)) whys.push(`${path} was ${digest === null ? "removed" : "changed"}, too`);
    return verdict(whys.length === 0, { why: whys.join("\n") });
  },
});

// ── tests ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Of scorers that a reward is read for. */
export const rewardRows = () => ({
  required: row.bool("Without a reward, in time, it fails in place of being unscored.", false),
  threshold: row.number("From where it passes; 1."),
});
type RewardInput = ScorerInput<ScorerArguments<typeof rewardRows>>;

const testRows = () => ({
  command: row.filled("What runs in the sandbox; exit code 0 passes.").required(),
  copy: row
    .text("A folder or file beside the script that is put there first, in the place of what lies there.")
    .to((path) => plainPath(path).replace(/\/+$/u, ""))
    .where(
      "a path beside the script",
      (path) => path !== "" && !path.startsWith("/") && !path.split("/").includes(".."),
    ),
  reward: row.text("A file with the value: a number, or JSON with `reward` or numbers by name."),
  junit: row.text("A JUnit file: the value is the share of cases that passed."),
  timeout: row.duration("How long it may run.", 120_000).usually("120s"),
  ...rewardRows(),
});

const tests = scorerKind(testRows, {
  needs: ["files"],
  async score(input) {
    const { task } = input;
    const { command, copy, timeout: ms, reward, junit } = input.args;
    if (task.runtime.state(scoringContext).sandbox === null)
      return missing(input, "there is no sandbox, or not all of its files were kept");
    if (copy !== null) {
      const { sandbox } = task.runtime.state(scoringContext);
      // Under the name that it has beside the script.
      await copyIn(task, { who: "tests", from: copy, to: `${sandbox}/${copy}` });
    }
    const { status, output, timedOut } = await runCommandLine(task, command, "tests", { timeoutMs: ms });
    if (timedOut) return missing(input, `\`${command}\` did not end in ${ms / 1000} s`);
    if (status === 127 || status === 126 || status === null)
      return missing(input, `\`${command}\` could not be started: ${lastLines(output)}`);
    if (reward !== null) return await rewardOf(input, reward);
    if (junit !== null) return await casesOf(input, junit);
    return verdict(status === 0, {
      why: `\`${command}\` ended with status ${display(status)}:\n${lastLines(output)}`,
    });
  },
});

export const lastLines = (text: string): string => text.split("\n").slice(-20).join("\n");

/** Nothing says how good it is: unscored, unless it has to be there. */
export const missing = ({ args }: RewardInput, why: string): Dict =>
  args.required ? verdict(false, { why }) : unscored(why);

/** The value that a file holds: a number, or JSON with `reward` or numbers by name. */
export async function rewardOf(input: RewardInput, path: string): Promise<Dict> {
  const [found] = await readTexts(input.task, [path]);
  if (found === undefined) return missing(input, `there is no ${path}`);
  if (!path.endsWith(".json")) {
    const value = Number(found.text.trim());
    return found.text.trim() === "" || !Number.isFinite(value)
      ? missing(input, `${path} holds no number`)
      : scored(input, value, {});
  }
  const json = parsed(found.text);
  if (!isJsonObject(json)) return missing(input, `${path} is not a JSON object`);
  if (typeof json.reward === "number") return scored(input, json.reward, {});
  const parts = Object.entries(json).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number",
  );
  if (parts.length === 0) return missing(input, `${path} holds no number`);
  const mean = parts.reduce((sum, [, value]) => sum + value, 0) / parts.length;
  return scored(input, mean, Object.fromEntries(parts));
}

function parsed(text: string): Json {
  try {
    return toJson(jsonParse(text));
  } catch (error) {
    if (error instanceof ScriptError) return null;
    throw error;
  }
}

async function casesOf(input: RewardInput, path: string): Promise<Value> {
  const [found] = await readTexts(input.task, [path]);
  if (found === undefined) return missing(input, `there is no ${path}`);
  // Whole cases, and those that end where they begin.
  const cases = found.text.match(/<testcase\b[^>]*?(?:\/>|>.*?<\/testcase>)/gsu) ?? [];
  const counted = cases.filter((text) => !/<skipped\b/u.test(text));
  if (counted.length === 0) return missing(input, `${path} has no test case`);
  const passed = counted.filter((text) => !/<(?:failure|error)\b/u.test(text)).length;
  return scored(input, passed / counted.length, {}, `${passed} of ${counted.length} cases passed`);
}

function scored(
  { args }: RewardInput,
  value: number,
  parts: Readonly<Record<string, number>>,
  why = `the reward is ${value}`,
): Dict {
  const pass = value >= (args.threshold ?? 1);
  return verdict(pass, { why, parts }).with("value", numberValue(value));
}

export const fileScorers = { file_is: fileIs, diff_is: diffIs, tests } as const;
