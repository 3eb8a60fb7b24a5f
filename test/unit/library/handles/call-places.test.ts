/**
 * Every public function of the package that is called wrongly says where it was called: the first frame is the caller's, and what Node
 * prints of an error that nobody catches names none of our files. On what is built, whose names are short.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { entryPoints } from "../../../../scripts/entries.ts";
import { cleanEnvironment } from "../../../support/command-environment.ts";
import { installPackage } from "../../../support/packed-package.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder("call-places");
beforeAll(() => installPackage(folder));

/** Calls that fail with a `HarnError`, by what is called. */
const calls: Readonly<Record<string, string>> = {
  "index harn": "harn({ modle: 1 })",
  "index tool": "tool({ nme: 1 })",
  "testing testHarn": "testHarn({ modle: 1 })",
  "testing replayOf": "replayOf('none.json')",
  "testing killAtEachRecord": "killAtEachRecord(5)",
  "testing killAtEachRecord options": "killAtEachRecord(() => 1, 5)",
  "testing killAtEachRecord async": "killAtEachRecord(async (h) => await h.run({ text: 'return 1' }))",
  "tools serveTools": "serveTools(5)",
  "web eventStream": "eventStream(5)",
  "web eventStream format": "eventStream(h.run({ text: 'return 1' }), { format: 'aisdk' })",
  "web aiSdkChunks": "aiSdkChunks({})",
  "ai-sdk harnHarness": "harnHarness()",
  "ai-sdk harnHarness options": "harnHarness(h, { maxIteration: 1 })",
  "server createServer": "createServer({ agent: 1 })",
  "h run": "h.run({ text: 'throw 1' })",
  "h agent": "h.agent({ promt: 1 })",
  "h flow": "h.flow('f')",
  "h resume": "h.resume('nobody')",
  "h replay": "h.replay('nobody')",
  "h fork": "h.fork('nobody', { at: 1 })",
  "runs list": "h.runs.list({ limt: 1 })",
  "runs get": "h.runs.get(5)",
  "runs events": "h.runs.events('nobody').next()",
  "runs questions": "h.runs.questions('nobody')",
  "runs answer": "h.runs.answer('nobody', 'q', 1)",
  "runs export": "h.runs.export('nobody', 'file')",
  "runs import": "h.runs.import('none.json')",
  "runs remove": "h.runs.remove('nobody')",
  "run answer": "(await over()).answer('q', 1)",
};

/**
 * No `HarnError` of theirs, or none that depends on what they are given. `harn/client` rejects with the server's problems, and `harn/core` is the
 * inside.
 */
const others: ReadonlySet<string> = new Set([
  ...["index float", "index HarnError", "ai-sdk noSandbox", "h close", "run stop"],
]);

const begin = `
${["index", "testing", "tools", "web", "ai-sdk", "server"].map((name) => `import * as of_${name.replace("-", "_")} from "${name === "index" ? "harn" : `harn/${name}`}";`).join("\n")}
const entries = { index: of_index, testing: of_testing, tools: of_tools, web: of_web, "ai-sdk": of_ai_sdk, server: of_server };
const { harn, tool } = of_index;
const { testHarn, replayOf, killAtEachRecord } = of_testing;
const { serveTools } = of_tools;
const { eventStream, aiSdkChunks } = of_web;
const { harnHarness } = of_ai_sdk;
const { createServer } = of_server;
const h = harn({ store: "memory", env: {} });
const over = async () => { const run = h.run({ text: "return 1" }); await run; return { answer: (...of) => run.answer(...of) }; };
`;

function program(text: string) {
  const file = join(folder, "calls.mjs");
  writeFileSync(file, `${begin}\n${text}`);
  return spawnSync(process.execPath, [file], {
    cwd: folder,
    env: cleanEnvironment({ TMPDIR: folder }),
    encoding: "utf8",
  });
}

describe("the packed package", () => {
  it("has no function that is not called here", () => {
    const { stdout } = program(`
const named = Object.entries(entries).flatMap(([entry, of]) => Object.keys(of).map((name) => entry + " " + name));
const methods = (of) => Object.getOwnPropertyNames(of).filter((name) => name !== "constructor");
named.push(...["run", "agent", "flow", "resume", "replay", "fork", "close"].filter((name) => typeof h[name] === "function").map((name) => "h " + name));
named.push(...methods(h.runs).map((name) => "runs " + name), "run answer", "run stop");
console.log(JSON.stringify(named));
await h.close();`);
    const named = JSON.parse(stdout) as string[];
    const called = new Set(Object.keys(calls).map((call) => call.split(" ").slice(0, 2).join(" ")));
    expect([...entryPoints().keys()].sort()).toEqual(
      ["index", "testing", "tools", "web", "ai-sdk", "server", "client", "core"].sort(),
    );
    expect(named.filter((name) => !called.has(name) && !others.has(name))).toEqual([]);
  });

  it("names the caller first", () => {
    const { stdout, stderr } = program(`
const found = {};
${Object.entries(calls)
  .map(
    ([name, call]) =>
      `try { await (async function ofProgram() { return await (${call}); })(); found[${JSON.stringify(name)}] = ["nothing"]; } catch (error) { found[${JSON.stringify(name)}] = [error.constructor.name, error.stack.slice(error.stack.search(/\\n    at /)).split("\\n")[1]]; }`,
  )
  .join("\n")}
console.log(JSON.stringify(found));
await h.close();`);
    expect(stderr).toBe("");
    for (const [name, [kind, frame]] of Object.entries(JSON.parse(stdout) as Record<string, string[]>)) {
      expect(kind, name).toBe("HarnError");
      expect(frame, name).toMatch(/calls\.mjs/);
    }
  });

  it.each(["harn({ modle: 1 })", "await h.run({ text: 'throw 1' })", "await h.runs.get(5)", "tool({})"])(
    "uncaught, `%s` has the name of its class, and no line of ours",
    (call) => {
      const { stderr, status } = program(call);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^HarnError: /m);
      expect(stderr).not.toMatch(/dist\/|\[HarnError\]/);
    },
  );
});
