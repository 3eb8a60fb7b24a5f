/**
 * What the library promises to programs in TypeScript, tried with the installed package: they are killed in a tool, looked at and stopped
 * from outside, fifty in one. The first page of docs/library.md and what the docs import are in `cli/package-docs.test.ts`.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cleanEnvironment } from "../../support/command-environment.ts";
import { inPackage, installPackage } from "../../support/packed-package.ts";
import { projectRoot } from "../../support/project.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("acceptance");

/** An agent that pays, with a tool that may be called again or with one that may not. The first time it dies when the money is gone. */
const pays = `
import { appendFileSync } from "node:fs";
import { harn, tool } from "harn";
import { z } from "zod";

const [order, name = "", question = ""] = process.argv.slice(2);
const paying = <const N extends string>(name: N, idempotent: boolean) =>
  tool({
    name,
    description: "Pays.",
    input: z.object({ euros: z.number() }),
    output: z.string(),
    idempotent,
    execute: ({ euros }, { run, idempotencyKey: key, attempt }) => {
      appendFileSync("paid.jsonl", JSON.stringify({ run, key, attempt }) + "\\n");
      if (order === "start") process.kill(process.pid, "SIGKILL");
      return \`paid \${euros}\`;
    },
  });
const tools = [paying("pay", false), paying("pay_once", true)];
await using h = harn({
  tools,
  mock: [
    { tool_calls: [{ name: name === "once" ? "pay_once" : "pay", arguments: { euros: 5 } }] },
    { text: "It is paid." },
  ],
});
if (question !== "") await h.runs.answer(name, question, order);
const run = order === "start" ? h.agent({ prompt: "Pay 5 euros.", name }) : h.resume<{ text: string }>(name);
const { status, output, questions } = await run.done;
console.log(JSON.stringify({ status, text: output?.text, questions }));
`;

/** A run that only its end ends, and after it another one. */
const lives = `
import { setTimeout as pause } from "node:timers/promises";
import { harn, tool } from "harn";
import { z } from "zod";

const wait = tool({
  name: "wait",
  description: "Waits.",
  input: z.object({}),
  execute: async (_input, { signal }) => {
    console.log("waits");
    await pause(600_000, undefined, { signal });
  },
});
await using h = harn({ tools: [wait], mock: [{ tool_calls: [{ name: "wait", arguments: {} }] }] });
const { status, error } = await h.agent({ prompt: "Wait for it.", name: "lives" }).done;
console.log(JSON.stringify({ status, code: error?.code }));
console.log(await h.run<number>({ text: "return 7" }));
`;

const fifty = `
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { harn, tool } from "harn";
import { z } from "zod";

const before = process.getActiveResourcesInfo();
const all = Array.from({ length: 50 }, (_, at) => {
  const who = tool({
    name: "who",
    description: "Says who.",
    input: z.object({ asked: z.number() }),
    execute: async ({ asked }) => {
      await pause(at % 7);
      return { at, asked };
    },
  });
  const mock = [{ tool_calls: [{ name: "who", arguments: { asked: at } }] }, { text: \`I am \${at}.\` }];
  return harn({ store: at % 2 === 0 ? "memory" : false, env: { AT: String(at) }, tools: [who], mock });
});
const done = await Promise.all(
  all.map(async (h, at) => {
    const told: unknown[] = [];
    const run = h.agent({ prompt: "Who?" });
    for await (const event of run) if (event.type === "tool.end") told.push(JSON.parse(String(event.data.result)));
    const text = 'return [host_call("tool.who", {asked: 0}), env("AT")]';
    const [{ answer }, script] = await Promise.all([run, h.run({ text })]);
    return { told, answer, script, at };
  }),
);
for (const { told, answer, script, at } of done) {
  assert.equal(answer, \`I am \${at}.\`);
  assert.deepEqual(told, [{ at, asked: at }]);
  assert.deepEqual(script, [{ at, asked: 0 }, String(at)]);
}
await Promise.all(all.map((h) => h.close()));
// What would keep the process, or outlive it.
await new Promise(setImmediate);
assert.deepEqual(process.getActiveResourcesInfo(), before);
assert.deepEqual(process.eventNames().filter((name) => String(name).startsWith("SIG")), []);
`;

const wrong = `
import { tool } from "harn";
import { z } from "zod";

const City = z.object({
  name: z.string(),
  population: z.number(),
  tags: z.array(z.string()),
  where: z.object({ lat: z.number(), lon: z.number() }),
});
export const city = tool({
  name: "city",
  description: "Looks a city up.",
  input: z.object({ name: z.string() }),
  output: City,
  execute: async ({ name }) => ({ name, population: "many", tags: [], where: { lat: 1, lon: 2 } }),
});
`;

const programs = { pays, lives, fifty };

beforeAll(async () => {
  await installPackage(folder, ["zod", "@types/node", "undici-types"]);
  writeFileSync(join(folder, "harn.toml"), "");
  for (const [name, text] of Object.entries({ ...programs, wrong }))
    writeFileSync(join(folder, `${name}.ts`), text);
});

const node = (args: readonly string[], cwd = folder) =>
  spawnSync(process.execPath, args, { cwd, env: cleanEnvironment({}), encoding: "utf8", timeout: 120_000 });
const harn = (...args: string[]): string => inPackage("node_modules/.bin/harn", args, folder);
const parsed = <T>(lines: string): T[] =>
  lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);

describe.each([
  ["TypeScript 5.9", "dev/typescript-5/node_modules/typescript/bin/tsc"],
  ["TypeScript 7", "node_modules/typescript/bin/tsc"],
])("under %s", (_name, compiler) => {
  const options = "--noEmit --strict --skipLibCheck --pretty false --module nodenext --target es2024".split(
    " ",
  );

  it("a tool that gives the wrong type is one short error, which names the property; the programs here are clean", () => {
    const names = [...Object.keys(programs), "wrong"].map((name) => `${name}.ts`);
    const { stdout } = node([join(projectRoot, compiler), ...options, "--types", "node", ...names]);
    const at = wrong.split("\n").findIndex((line) => line.startsWith("  execute")) + 1;
    expect(stdout.trimEnd().split("\n")).toEqual([
      expect.stringMatching(new RegExp(`^wrong\\.ts\\(${at},3\\): error .*see \`population\``)),
    ]);
    expect(stdout.length).toBeLessThan(300);
  });
});

describe("a program that is killed when a tool has done its work, and that is not recorded yet", () => {
  interface Payment {
    readonly run: string;
    readonly key: string;
    readonly attempt: number;
  }
  interface End {
    readonly status: string;
    readonly text?: string;
    readonly questions?: readonly { readonly id: string }[];
  }
  const paid = (run: string): Payment[] =>
    parsed<Payment>(readFileSync(join(folder, "paid.jsonl"), "utf8")).filter((entry) => entry.run === run);
  const startedAgain = (...args: string[]): End | undefined =>
    parsed<End>(inPackage(process.execPath, ["pays.ts", ...args], folder))[0];
  const well = { status: "done", text: "It is paid." };

  /** Dies in the tool, that has been called once. */
  function killed(run: string): Payment {
    const { signal, stdout, stderr } = node(["pays.ts", "start", run]);
    expect([signal, stdout, stderr]).toEqual(["SIGKILL", "", ""]);
    const [first, ...more] = paid(run);
    expect([first, more]).toEqual([
      { run, key: expect.stringMatching(new RegExp(`^${run}#.+#\\d+$`)), attempt: 1 },
      [],
    ]);
    return first as Payment;
  }

  it("calls one that is idempotent again, with the same key", () => {
    const first = killed("once");
    expect(startedAgain("resume", "once")).toEqual(well);
    expect(paid("once")).toEqual([first, { ...first, attempt: 2 }]);
  });

  it.each(["redo", "skip"])("asks about any other; %s", (answer) => {
    const run = `to-${answer}`;
    const first = killed(run);
    const waiting = startedAgain("resume", run);
    expect(waiting).toMatchObject({
      status: "waiting",
      questions: [
        {
          kind: "doubt",
          prompt: expect.stringContaining("tool.pay"),
          arguments: { euros: 5 },
          choices: ["redo", "skip", "fail"],
        },
      ],
    });
    expect(paid(run)).toEqual([first]);

    expect(startedAgain(answer, run, waiting?.questions?.[0]?.id ?? "")).toEqual(well);
    const [, ...again] = paid(run);
    expect(again.map(({ key }) => key)).toEqual(answer === "redo" ? [first.key] : []);
    // It went on twice, and called it once more.
    for (const { attempt } of again) expect(attempt).toBe(2);
  });
});

it("a run in a program is seen and stopped by the command line; the program goes on", async () => {
  const child = spawn(process.execPath, ["lives.ts"], { cwd: folder, env: cleanEnvironment({}) });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  try {
    await Promise.race([ended, expect.poll(() => stdout).toBe("waits\n")]);
    expect(parsed(harn("runs", "list", "--json", "--limit", "1"))).toMatchObject([
      { run: "lives", state: "running" },
    ]);
    const seen = parsed(harn("view", "--json", "lives")) as {
      readonly type: string;
      readonly data: unknown;
    }[];
    expect(seen.find(({ type }) => type === "tool.start")).toMatchObject({ data: { name: "wait" } });
    expect(seen.map(({ type }) => type)).not.toContain("run.end");
    expect(harn("runs", "stop", "lives")).toMatch(/^lives is /);
    expect(await ended).toBe(0);
    expect(stdout).toBe('waits\n{"status":"stopped","code":"HARN-LIB-003"}\n7\n');
    expect(stderr).toBe("");
  } finally {
    child.kill("SIGKILL");
  }
});

it("fifty in one program, with tools of one name: no cross-talk, nothing printed, nothing left", () => {
  const own = join(folder, "fifty");
  const temporary = join(own, "temporary");
  mkdirSync(temporary, { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, ["../fifty.ts"], {
    cwd: own,
    env: cleanEnvironment({ TMPDIR: temporary }),
    encoding: "utf8",
    timeout: 120_000,
  });
  expect([status, stdout, stderr]).toEqual([0, "", ""]);
  expect(existsSync(join(own, ".harn"))).toBe(false);
});
