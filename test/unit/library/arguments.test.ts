/** What programs give to functions: each argument is looked at, and what is wrong with it names the function and the argument. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { HarnError, harn } from "../../../src/library/index.ts";
import type { Harn, Run, Runs } from "../../../src/library/types.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("arguments");
const h = harn({ cwd: folder, store: join(folder, "state"), env: {} });
const none = harn({ cwd: folder, store: false, env: {} });
afterAll(() => Promise.all([h.close(), none.close()]));
const made = h.flow("made", async () => 1);
const ended = h.run({ text: "return 1" }, { name: "ended" });

type AnyFunction = (...args: unknown[]) => unknown;

/** Throws, at once or later, whatever way the function tells it. */
async function outcome(given: unknown): Promise<unknown> {
  if (typeof given === "object" && given !== null && Symbol.asyncIterator in given && !("then" in given))
    for await (const each of given as AsyncIterable<unknown>) return each;
  return await given;
}

async function failure(work: () => unknown): Promise<HarnError> {
  try {
    await outcome(work());
  } catch (error) {
    expect(error).toBeInstanceOf(HarnError);
    return error as HarnError;
  }
  throw new Error("it did not fail");
}

/** An argument, by what it is called in messages, and which of the odd values are right for it. */
type Argument = readonly [called: RegExp, right: readonly unknown[]];

const odd: readonly unknown[] = [undefined, 5, {}, ""];
const run: Argument = [/the run is/, []];
const options: Argument = [/the options are|`at` is missing/, [undefined, {}]];
const anything: Argument = [/./, odd];

/** By the name that messages have: what is right otherwise, and its arguments. */
interface Method {
  readonly of: object;
  readonly right: readonly unknown[];
  readonly args: readonly Argument[];
}
const methods: {
  readonly [K in
    | `h.${keyof Harn & string}`
    | `h.runs.${keyof Runs}`
    | `run.${keyof Run<1> & string}`]?: Method;
} = {
  "h.run": { of: h, right: [{ text: "1" }], args: [[/the script/, []], options] },
  "h.agent": { of: h, right: [{ prompt: "p" }], args: [[/the options are|`prompt` is missing/, []]] },
  "h.flow": {
    of: h,
    right: ["name", () => 1],
    args: [
      [/name of a flow/, []],
      [/needs a function/, []],
    ],
  },
  "h.resume": { of: h, right: ["ended"], args: [run, options] },
  "h.replay": { of: h, right: ["ended"], args: [[/the run/, []], options] },
  "h.fork": { of: h, right: ["ended", { at: 1 }], args: [run, [/the options are|`at` is missing/, []]] },
  "h.runs.list": { of: h.runs, right: [], args: [options] },
  "h.runs.get": { of: h.runs, right: ["ended"], args: [run] },
  "h.runs.events": { of: h.runs, right: ["ended"], args: [run, [/the number/, [undefined, 5]]] },
  "h.runs.questions": { of: h.runs, right: ["ended"], args: [run] },
  "h.runs.answer": { of: h.runs, right: ["ended", "q", 1], args: [run, [/the question is/, []], anything] },
  "h.runs.export": { of: h.runs, right: ["ended", "a.run"], args: [run, [/the file is/, []]] },
  "h.runs.import": { of: h.runs, right: ["a.run"], args: [[/the file is/, []]] },
  "h.runs.remove": { of: h.runs, right: ["ended"], args: [run] },
  "run.answer": { of: ended, right: ["q", 1], args: [[/the question is/, []], anything] },
  "run.stop": { of: ended, right: [], args: [[/the reason is/, [undefined, ""]]] },
};

/** They take nothing, or what promises take. */
const others = new Set([
  "h.close",
  "run.then",
  "run.catch",
  "run.finally",
  "run.constructor",
  "h.constructor",
]);

it("is said of all functions", () => {
  const functionsOf = (of: object): string[] =>
    [...Object.getOwnPropertyNames(Object.getPrototypeOf(of)), ...Object.keys(of)].filter((name) => {
      const { value } =
        Object.getOwnPropertyDescriptor(Object.getPrototypeOf(of), name) ??
        Object.getOwnPropertyDescriptor(of, name) ??
        {};
      return typeof value === "function";
    });
  const internal = /^h\.(begin|engine|mustBeOpen|mustStore|lazyRuns|end)$|^run\.ask$/;
  const all = [
    ...functionsOf(h).map((name) => `h.${name}`),
    ...Object.keys(h.runs).map((name) => `h.runs.${name}`),
    ...functionsOf(ended).map((name) => `run.${name}`),
  ].filter((name) => !others.has(name) && !internal.test(name));
  expect(all.sort()).toEqual(Object.keys(methods).sort());
});

describe.each(Object.entries(methods) as [string, Method][])("%s", (called, { of, right, args }) => {
  const fn = (of as { readonly [name: string]: AnyFunction })[
    called.split(".").at(-1) as string
  ] as AnyFunction;
  const cases = args.flatMap(([words, fits], at) =>
    odd
      .filter(
        (value) =>
          !fits.includes(value) &&
          !(
            fits.length > 1 &&
            JSON.stringify(value) === "{}" &&
            fits.some((one) => JSON.stringify(one) === "{}")
          ),
      )
      .map((value) => [at, value, words] as const),
  );
  it.each(cases)("argument %d: %j", async (at, value, words) => {
    await ended;
    const given = right.slice();
    for (let one = given.length; one < at; one++) given[one] = undefined;
    given[at] = value;
    const { code, message } = await failure(() => Reflect.apply(fn, of, given));
    expect([code, message]).toEqual([
      expect.stringMatching(/^HARN-LIB-0(01|21)$/),
      expect.stringMatching(words),
    ]);
    expect(message.startsWith(`${called}: `)).toBe(true);
    expect(message).not.toMatch(/\ba undefined\b|\[object|SQLITE|bind/);
  });
});

it("a flow's own function, too", async () => {
  for (const value of [5, "", null]) {
    const { code, message } = await failure(() => (made as AnyFunction)(1, value));
    expect([code, message]).toEqual(["HARN-LIB-001", expect.stringMatching(/^flow `made`: the options are/)]);
  }
});

it("a script as its text, part by part", async () => {
  const messages = [
    { text: "1", name: 5 },
    { text: "1", nme: "a" },
    { text: 5 },
    { name: "a" },
    { text: "1", name: "" },
  ];
  const told: string[] = [];
  for (const source of messages) told.push((await failure(() => h.run(source as never))).message);
  expect(told).toEqual([
    "h.run: the script: `name` is 5, expected a text that is not empty",
    "h.run: the script: there is no option `nme`, did you mean `name`?",
    "h.run: the script: `text` is 5, expected a text",
    "h.run: the script: `text` is missing: a text",
    "h.run: the script: `name` is an empty text, expected a text that is not empty",
  ]);
  expect(await h.run({ text: "" })).toBe(null);
});

it("a file that is not there, or no file, and none is written unasked", async () => {
  await ended;
  for (const [file, why] of [
    ["nothing.run", "cannot read nothing.run: no such file or folder"],
    [".", "cannot read .: it is a folder"],
  ] as const)
    expect(await failure(() => h.runs.import(file))).toMatchObject({ code: "HARN-CLI-032", message: why });
  await failure(() => h.runs.export("ended", undefined as never));
  expect(readdirSync(folder)).toEqual(["state"]);
});

it("a run that is not there, also before there is any", async () => {
  await using bare = harn({ cwd: folder, store: "memory", env: {} });
  const { runs } = bare;
  const calls: readonly (() => unknown)[] = [
    () => runs.answer("x", "y", 1),
    () => runs.export("x", join(folder, "x.run")),
    () => runs.remove("x"),
    () => runs.questions("x"),
    () => runs.events("x"),
    () => runs.list({ after: "x" }),
    () => bare.fork("x", { at: 1 }),
    () => bare.resume("x"),
    () => bare.replay("x"),
  ];
  const told = async (): Promise<readonly string[]> => {
    const texts: string[] = [];
    for (const work of calls) {
      const { code, message } = await failure(work);
      texts.push(`${code} ${message.split("\n")[0]}`);
    }
    return texts;
  };
  const all = calls.map(() => "HARN-CLI-005 there is no run x");
  expect(await told()).toEqual(all);
  await bare.run({ text: "return 1" }, { name: "other" });
  expect(await told()).toEqual(all);
});

it("without a store nothing is written into that of the project", async () => {
  const project = join(folder, "project");
  const { mkdirSync, writeFileSync } = await import("node:fs");
  mkdirSync(project);
  writeFileSync(join(project, "harn.toml"), "");
  await using kept = harn({ cwd: project, env: {} });
  await kept.run({ text: "sleep(1ms)\nreturn 1" }, { name: "r" });
  await kept.runs.export("r", join(project, "r.run"));
  await using off = harn({ cwd: project, store: false, env: {} });
  const calls: readonly (readonly [string, () => unknown])[] = [
    ["h.fork", () => off.fork("r", { at: 1 })],
    ["h.resume", () => off.resume("r")],
    ["h.runs.import", () => off.runs.import(join(project, "r.run"))],
    ["h.runs.answer", () => off.runs.answer("r", "q", 1)],
    ["h.runs.remove", () => off.runs.remove("r")],
  ];
  for (const [called, work] of calls) {
    const { code, message } = await failure(work);
    expect([code, message]).toEqual(["HARN-LIB-001", expect.stringMatching(/`store: false`/)]);
    expect(message.startsWith(called)).toBe(true);
  }
  expect((await kept.runs.list()).map(({ run: name }) => name)).toEqual(["r"]);
  expect(await off.replay("r")).toBe(1);
});
