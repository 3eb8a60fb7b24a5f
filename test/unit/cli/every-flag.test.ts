/**
 * Every command and flag of the real table, within this process: a misspelt flag, one without its value, one with a value
 * that it can't have, and what is not there. Each is told in words, with an exit code that says so; nothing is done.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, Option } from "commander";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { commands } from "../../../src/cli/commands/tree.ts";
import { main } from "../../../src/cli/main.ts";
import { explain } from "../../../src/diagnostics/index.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("every-flag");

interface Leaf {
  readonly path: readonly string[];
  readonly command: Command;
}

function leavesOf(command: Command, path: readonly string[] = []): Leaf[] {
  const below = command.commands
    .filter((one) => !one.name().endsWith("-worker"))
    .flatMap((one) => leavesOf(one, [...path, one.name()]));
  return below.length === 0
    ? [{ path, command }]
    : [...(runsItself(command) ? [{ path, command }] : []), ...below];
}

/** `serve` has commands below it and serves by itself. */
const runsItself = (command: Command): boolean => command.registeredArguments.length > 0;

const leaves = leavesOf(commands([], () => {}));
const nameOf = ({ path }: Leaf): string => path.join(" ");
const flagOf = ({ short, long }: Option): string => long ?? (short as string);

/** `harn ARGS` within this process. */
async function said(...args: readonly string[]): Promise<{ code: number; text: string }> {
  const { exitCode } = process;
  let text = "";
  const write = (piece: unknown): boolean => {
    text += String(piece);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(write as never),
    vi.spyOn(process.stderr, "write").mockImplementation(write as never),
    // The end of a program is not the end of the tests.
    vi.spyOn(process, "exit").mockImplementation((() => undefined) as never),
  ];
  try {
    await main(args);
    return { code: Number(process.exitCode), text };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = exitCode;
  }
}

/** The error ends in its code, before what can be done; `harn explain` knows what it means and what to do. */
function isCoded(text: string): void {
  const code =
    /^(?:harn|error): .*(?:\n(?! {2}).+)* \((HARN-[A-Z]{3}-\d{3})\)(?:\n {2}.*)*\n$/m.exec(text)?.[1] ?? "";
  const known = explain(code);
  expect(known?.text, text).toMatch(/^[A-Z`]/);
  expect(known?.advice, `${code} says nothing of what to do`).toMatch(/[a-z]/);
}

/** What they name is made, or is one of some words. */
const makesWhatItNames: ReadonlySet<string> = new Set([
  "init",
  "completions",
  "serve token add",
  "skill key generate",
]);

const leaked = /internal error|\n\s+at .+:\d+|\[object |undefined|NaN/;

const program = `import "std/eval"
eval_pack small {
  dataset: [{id: "a", input: "x", target: "x"}]
  solver: { sample, _trial -> sample.input }
  scorers: [exact()]
}
`;

beforeAll(async () => {
  vi.stubEnv("HARN_STATE_DIR", join(folder, "state"));
  vi.spyOn(process, "cwd").mockReturnValue(folder);
  mkdirSync(join(folder, "skill"));
  for (const [name, text] of Object.entries({
    "main.harn": 'write_file("out.txt", "x")\nprintln("run")\n',
    "pack.harn": program,
    "talk.harn": 'println("talk")\n',
  }))
    writeFileSync(join(folder, name), text);
  for (const args of [
    ["run", join(folder, "main.harn")],
    ["eval", "run", join(folder, "pack.harn"), "--set", "set", "--quiet"],
    ["session", "new", "talk", join(folder, "talk.harn")],
  ]) {
    const { code, text } = await said(...args);
    expect(code, text).toBe(0);
  }
});

/** What is there, for a command whose flag is the only mistake. */
const targets: Readonly<Record<string, readonly string[]>> = {
  run: [join(folder, "main.harn")],
  "eval run": [join(folder, "pack.harn")],
  "eval check": [join(folder, "pack.harn")],
  "eval fork": ["set:small/default/a.1"],
  "eval minimise": ["set:small/default/a.1"],
  fork: ["last", "--at", "1"],
  "eval label": ["set", "--scorer", "exact", "--out", join(folder, "labels.csv")],
  "session send": ["talk", "hello"],
  torture: [join(folder, "main.harn")],
  bench: [join(folder, "main.harn")],
  "daemon run": [join(folder, "main.harn")],
};
const thereIs: Readonly<Record<string, string>> = {
  run: "last",
  set: "set",
  sets: "set",
  a: "set",
  name: "talk",
};

const targetsOf = ({ command, path }: Leaf): readonly string[] =>
  targets[path.join(" ")] ??
  command.registeredArguments.filter((one) => one.required).map((one) => thereIs[one.name()] ?? "missing");

/** A value that is read as something other than a name or a text. */
const typed =
  /<(n|count|calls|k|j|m|ms|mb|duration|time|days|moment|how|what|which|format|off|usd|age|provider=rule|role=model|key=values|name=value|name=folder)>/;

const misspelt = (flag: string): string => `${flag.slice(0, -2)}${flag.at(-1)}${flag.at(-2)}x`;

describe.each(leaves.map((leaf) => [nameOf(leaf), leaf] as const))("harn %s", (_name, leaf) => {
  const { command, path } = leaf;
  const withValue = command.options.filter((option) => option.required);

  it("tells a flag that is misspelt, and what was meant", async () => {
    // What must be there is looked for first.
    const mandatory = command.options.filter((one) => one.mandatory);
    const inputValue = mandatory.flatMap((one) => [flagOf(one), one.argChoices?.[0] ?? "x"]);
    for (const flag of command.options.map(flagOf)) {
      if (!flag.startsWith("--") || flag.length < 7) continue;
      const { code, text } = await said(...path, ...inputValue, misspelt(flag));
      expect(text, flag).toMatch(/unknown option '--.*' \(HARN-CLI-001\)\n {2}\(Did you mean (one of )?--/);
      expect(code, text).toBe(2);
      isCoded(text);
    }
    const { code, text } = await said(...path, ...inputValue, "--nothing-like-it");
    isCoded(text);
    expect({ code, told: text.includes("unknown option '--nothing-like-it'") }, text).toEqual({
      code: 2,
      told: true,
    });
  });

  if (withValue.length > 0)
    it("tells a flag whose value is missing, also where another flag follows", async () => {
      for (const flag of withValue.map(flagOf)) {
        const last = await said(...path, flag);
        expect(last, last.text).toMatchObject({ code: 2, text: expect.stringContaining("argument missing") });
        isCoded(last.text);
        const replayed = await said(...path, flag, flag);
        expect(replayed.code, replayed.text).toBe(2);
        expect(replayed.text).toContain(flag);
        isCoded(replayed.text);
        expect(replayed.text).not.toMatch(leaked);
      }
    });

  const values = withValue.filter((option) => typed.test(option.flags));
  if (values.length > 0)
    it("tells a value that its flag can't have", async () => {
      for (const flag of values.map(flagOf)) {
        const { code, text } = await said(...path, ...targetsOf(leaf), flag, "zzz");
        expect(code, `${flag}: ${text}`).toBe(2);
        expect(text, flag).toContain("zzz");
        isCoded(text);
        expect(text, flag).toContain(flag);
        expect(text, flag).not.toMatch(leaked);
      }
    });

  const needed = command.registeredArguments.filter((one) => one.required);
  if (needed.length > 0)
    it("tells an argument that is missing", async () => {
      const { code, text } = await said(...path);
      expect(code, text).toBe(2);
      expect(text).toMatch(/missing required argument|required option/);
      isCoded(text);
    });

  if (command.registeredArguments.length > 0 && !makesWhatItNames.has(path.join(" ")))
    it("tells what is not there", async () => {
      const mandatory = command.options.filter((one) => one.mandatory);
      const more = mandatory.flatMap((one) => [flagOf(one), one.argChoices?.[0] ?? "x"]);
      const { code, text } = await said(
        ...path,
        ...command.registeredArguments.map((one) => one.argChoices?.[0] ?? "missing.harn"),
        ...more,
      );
      expect(code, text).not.toBe(0);
      expect(text).not.toMatch(leaked);
      isCoded(text);
    });

  if (command.registeredArguments.every((one) => !one.variadic))
    it("tells an argument too many", async () => {
      const max = command.registeredArguments.map((one) => one.argChoices?.[0] ?? "missing");
      const { code, text } = await said(...path, ...max, "more");
      expect(code, text).toBe(2);
      expect(text).toMatch(/too many arguments|required option/);
      isCoded(text);
    });
});
