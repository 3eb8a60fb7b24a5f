/** `harn()`: scripts run in a program: what goes in, what comes out, what is told when it can't. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { HarnError } from "../../../src/library/errors.ts";
import { float, harn, tool } from "../../../src/library/index.ts";
import type { LogLine, Run } from "../../../src/library/types.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("library-runs");
const said: LogLine[] = [];
const h = harn({ cwd: folder, store: join(folder, "state"), log: (line) => void said.push(line) });
afterAll(() => h.close());

/** Why a run gave nothing. */
async function failure(run: Run<unknown>): Promise<HarnError> {
  try {
    await run;
  } catch (error) {
    expect(error).toBeInstanceOf(HarnError);
    return error as HarnError;
  }
  throw new Error("the run has not failed");
}

describe("what goes in and comes out", () => {
  it("input goes to parameters by name, and whole to one called input", async () => {
    const sum = { text: "pipeline main(a, b) { return a + b }" };
    expect(await h.run(sum, { input: { a: 1, b: 2 } })).toBe(3);
    const whole = { text: "pipeline main(input) { return input }" };
    const input = { a: [1, float(1), 1.5, null, true, "ü"], b: { __proto__x: 1 }, big: 9007199254740993n };
    expect(await h.run(whole, { input })).toEqual({ ...input, a: [1, 1, 1.5, null, true, "ü"] });
    expect(await h.run(whole, { input: 7 })).toBe(7);
  });

  it("a script is a path, a URL or a text; argv and what it prints", async () => {
    mkdirSync(join(folder, "lib"));
    writeFileSync(join(folder, "lib/two.harn"), "pub fn two() { return 2 }\n");
    writeFileSync(
      join(folder, "main.harn"),
      'import { two } from "./lib/two"\nprintln(argv[0])\nreturn two()\n',
    );
    const printed: string[] = [];
    const options = { args: ["x"], onPrint: (text: string) => void printed.push(text) };
    expect(await h.run("main.harn", options)).toBe(2);
    expect(await h.run(pathToFileURL(join(folder, "main.harn")), options)).toBe(2);
    expect(printed.join("")).toBe("x\nx\n");
  });

  it("a result is validated and typed by its schema", async () => {
    const output = z.object({ n: z.number() });
    const { n } = await h.run({ text: "return {n: 1}" }, { output });
    expect(n).toBe(1);
    const error = await failure(h.run({ text: 'return {n: "x"}' }, { output }));
    expect(error.code).toBe("HARN-LIB-005");
    expect(error.message).toContain("$.n");
  });

  it("an int that is returned is the result, not an exit code", async () => {
    expect(await h.run({ text: "return 7" })).toBe(7);
    expect(await h.run({ text: "exit(0)" })).toBeNull();
  });
});

describe("what can't be", () => {
  const cases: readonly (readonly [string, string, string, RegExp])[] = [
    ["a text that does not parse", "let x = ", "HARN-PAR-002", /let x =/],
    ["an error that nobody caught", 'fn f() { throw "bad" }\nf()', "HARN-RUN-002", /^Thrown: bad$/],
    [
      "a type error at run time",
      "fn add(a) { return a + 1 }\nreturn add({})",
      "HARN-RUN-003",
      /add dict and int/,
    ],
    ["an Err", 'return Err("no")', "HARN-LIB-009", /^no$/],
    ["an exit code", "exit(3)", "HARN-LIB-009", /exit code 3/],
    ["a function as result", "return { x -> x }", "HARN-LIB-004", /closure/],
    [
      "nesting without end",
      "var x = []\nvar n = 0\nwhile n < 300 { x = [x]\nn = n + 1 }\nreturn x",
      "HARN-LIB-004",
      /nested/,
    ],
  ];
  it.each(cases)("%s", async (_name, text, code, message) => {
    const error = await failure(h.run({ text, name: "it.harn" }));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    // Of ours nothing is shown; of the script, the place.
    expect(error.message).not.toMatch(/\.ts:\d/);
    if (["PAR", "RUN"].includes(code.split("-")[1] ?? ""))
      expect(error.place).toMatchObject({ file: "it.harn" });
  });

  it("a file that is not there", async () => {
    expect((await failure(h.run("nothing.harn"))).code).toBe("HARN-CLI-006");
  });

  it("options and input that mean nothing are told, with what may have been meant", async () => {
    expect(() => h.run({ text: "1" }, { timeuot: 3 } as never)).toThrow(/`timeuot`, did you mean `timeout`/);
    expect(() => h.run({ text: "1" }, { timeout: "3" } as never)).toThrow(/`timeout` is a string, expected/);
    expect(() => harn({ modle: "x" } as never)).toThrow(/did you mean `model`/);
    expect(() => harn({ onDoubt: "maybe" } as never)).toThrow(/"ask", "redo"/);
    expect(() => harn({ store: false, onQuestion: () => 1 })).toThrow(/`onQuestion` needs a store/);
    await expect(h.runs.list({ limt: 1 } as never)).rejects.toThrow(/did you mean `limit`/);
    await expect(h.runs.list({ limit: -1 })).rejects.toThrow(/a whole number from 1/);
    expect(() => h.run(undefined as never)).toThrow(/the script is .*expected a path/);
    expect(() => h.replay(new URL("http://x/y"))).toThrow(/a URL of a file/);
    const throwing = {
      "~standard": {
        version: 1,
        vendor: "x",
        validate: () => {
          throw new Error("boom");
        },
      },
    } as const;
    const boom = await failure(h.run({ text: "return 1" }, { output: throwing }));
    expect(boom).toMatchObject({ code: "HARN-LIB-005", message: expect.stringContaining("boom") });
    const getter = {
      get a() {
        throw new Error("no");
      },
    };
    const unread = await failure(h.run({ text: "pipeline main(a) { return a }" }, { input: getter }));
    expect(unread.code).toBe("HARN-LIB-004");
    const bare = {
      "~standard": { version: 1, vendor: "x", validate: (value: unknown) => ({ value }) },
    } as const;
    expect((await failure(h.agent({ prompt: "x", output: bare }))).message).toContain("outputSchema:");
    expect(() => h.agent({} as never)).toThrow(/`prompt` is missing/);
    expect(() => h.fork("x", {} as never)).toThrow(/`at` is missing/);
    for (const name of ["last", "../x", "..", "a b", "a#0", "é", "a\n", "x".repeat(101)])
      expect(() => h.run({ text: "1" }, { name })).toThrow(/`name` is a string, expected a name of 1 to 100/);
    expect(() => harn({ apiKey: "k" }).run({ text: "1" })).not.toThrow();
    expect((await failure(harn({ apiKey: "k" }).run({ text: "1" }))).message).toMatch(/provider/);
    const typo = await failure(
      h.run({ text: "pipeline main(path) { return path }" }, { input: { paht: 1 } }),
    );
    expect(typo).toMatchObject({
      code: "HARN-LIB-001",
      message: expect.stringContaining("did you mean `path`"),
    });
    const none = await failure(h.run({ text: "return 1" }, { input: { path: 1 } }));
    expect(none.message).toContain("takes no input");
    const order = { text: "pipeline main(order, _unread) { return order }" };
    const lacking = "`main` needs `order`, and";
    for (const [input, why] of [
      [{}, "the input has no such name"],
      [7, "the input has no such name"],
      [undefined, "there is no input"],
    ] as const) {
      const { code, message } = await failure(h.run(order, { input }));
      expect([code, message]).toEqual(["HARN-LIB-001", `${lacking} ${why}`]);
    }
    expect(await h.run(order, { args: ["17"] })).toBe("17");
    const socket = await failure(
      h.run({ text: "pipeline main(input) { return 1 }" }, { input: { a: [new WeakMap()] } }),
    );
    expect(socket).toMatchObject({ code: "HARN-LIB-004", message: expect.stringContaining("$.a[0]") });
  });

  it("a program of TypeScript is no script", async () => {
    writeFileSync(join(folder, "own.ts"), 'import { harn } from "harn";\n');
    const { code, message } = await failure(h.run("own.ts"));
    expect([code, message]).toEqual([
      "HARN-CLI-006",
      "own.ts is TypeScript, no script: `node own.ts` runs it",
    ]);
  });

  it("a run that fails has an end, and an int is no exit code in its record", async () => {
    for (const run of [h.run("nothing.harn"), harn({ apiKey: "k", store: false }).run({ text: "1" })]) {
      const types: string[] = [];
      for await (const { type } of run) types.push(type);
      expect(types.at(-1)).toBe("run.end");
    }
    await h.run({ text: "return 3" }, { name: "three" });
    expect(await h.runs.get("three")).toMatchObject({ status: "done", exit_code: 0 });
  });

  it("what the program's own functions throw is the cause", async () => {
    const mine = new TypeError("mine");
    const onPrint = (): never => {
      throw mine;
    };
    expect(
      await failure(h.run({ text: 'println("a")\nsleep(10)\nprintln("b")' }, { onPrint })),
    ).toMatchObject({
      code: "HARN-LIB-009",
      cause: mine,
    });
    const execute = onPrint;
    const throws = tool({ name: "throws", description: "Throws.", input: z.object({}), execute });
    const text = 'host_call("tool.throws", {})';
    expect((await failure(h.run({ text }, { tools: [throws] }))).cause).toBe(mine);
  });

  it("warnings of the checker, and what a script says to people, are in the log", async () => {
    said.length = 0;
    await h.run({ text: 'println("a", "b")\neprintln("look")' });
    expect(said.map(({ text }) => text).join("\n")).toMatch(/look[\s\S]*expects 0-1 arguments/);
  });

  it("a failure that nobody awaits is in `done` alone", async () => {
    const lost: unknown[] = [];
    const hear = (error: unknown): void => void lost.push(error);
    process.on("unhandledRejection", hear);
    const end = await h.run({ text: 'throw "x"' }).done;
    await new Promise((next) => setImmediate(next));
    process.off("unhandledRejection", hear);
    expect(end).toMatchObject({ status: "failed", error: { code: "HARN-RUN-002" } });
    expect(lost).toEqual([]);
  });

  it("a store of a newer version, and a folder that can't be written", async () => {
    writeFileSync(join(folder, "file"), "");
    const nowhere = harn({ cwd: folder, store: join(folder, "file/state") });
    const error = await failure(nowhere.run({ text: 'write_file("x.txt", "1")' }));
    expect(error.code).toMatch(/^HARN-CLI-0(23|24|33)$/);
    await nowhere.close();
  });
});

describe("stops", () => {
  it("`stop`, a timeout (of a program that waits, and of one that computes) and a signal", async () => {
    const waits = { text: "sleep(60s)\nreturn 1" };
    const run = h.run(waits, { name: "stop-1" });
    for await (const event of run)
      if (event.type === "run.start") setTimeout(() => void run.stop("enough"), 5);
    expect(await failure(run)).toMatchObject({
      code: "HARN-LIB-003",
      message: expect.stringContaining("enough"),
    });
    expect((await failure(h.run(waits, { timeout: 20 }))).code).toBe("HARN-LIB-003");
    expect((await failure(h.run({ text: "while true { }" }, { timeout: 50 }))).code).toBe("HARN-LIB-003");
    const abort = new AbortController();
    const aborted = h.run(waits, { signal: abort.signal });
    const reason = new Error("user left");
    setTimeout(() => abort.abort(reason), 5);
    expect(await failure(aborted)).toMatchObject({
      code: "HARN-LIB-003",
      message: expect.stringContaining("was stopped: user left"),
      cause: reason,
    });
    const never = {
      "~standard": { version: 1, vendor: "x", validate: () => new Promise<never>(() => {}) },
    } as const;
    const unread = h.run({ text: "return 1" }, { output: never, timeout: 300 });
    expect((await failure(unread)).code).toBe("HARN-LIB-003");
  });

  it("a signal that was aborted before: recorded as stopped, and nothing was done", async () => {
    const done: string[] = [];
    const mark = tool({
      name: "mark",
      description: "Marks.",
      input: z.object({}),
      execute: () => void done.push("marked"),
    });
    const text = 'host_call("tool.mark", {})\nreturn 1';
    const run = h.run({ text }, { name: "before", signal: AbortSignal.abort(), tools: [mark] });
    expect((await run.done).status).toBe("stopped");
    expect(done).toEqual([]);
    expect(await h.runs.get("before")).toMatchObject({ status: "stopped" });
    expect(await h.resume("before", { tools: [mark] })).toBe(1);
    expect(done).toEqual(["marked"]);
  });

  it("`close` stops runs resumably, and nothing is begun after it", async () => {
    const own = harn({ cwd: folder, store: join(folder, "state") });
    const run = own.run({ text: "sleep(60s)\nreturn 1" }, { name: "closed" });
    await new Promise((next) => setTimeout(next, 50));
    await own.close();
    expect((await run.done).status).toBe("stopped");
    expect(() => own.run({ text: "1" })).toThrow(/closed/);
    await expect(own.runs.list()).rejects.toThrow(/closed/);
    expect(await h.runs.get("closed")).toMatchObject({ status: "stopped" });
  });
});

describe("folders", () => {
  it("a folder that is not there is told, and not made; a relative store lies in the folder", async () => {
    const gone = join(folder, "gone");
    expect(() => harn({ cwd: gone })).toThrow(`\`cwd\` is not a folder: ${gone}`);
    expect(existsSync(gone)).toBe(false);
    await using one = harn({ cwd: relative(process.cwd(), folder), store: "beside" });
    expect(await one.run({ text: "sleep(1)\nreturn cwd()" })).toBe(folder);
    expect(existsSync(join(folder, "beside"))).toBe(true);
  });

  it("a run that can't be recorded fails, and says how it would not be", async () => {
    writeFileSync(join(folder, "no-folder"), "");
    await using none = harn({ cwd: folder, store: "no-folder/state", onQuestion: () => "yes" });
    const { status, error } = await none.run({ text: 'return ask_user("?")' }).done;
    expect([status, error?.code]).toEqual(["failed", expect.stringMatching(/^HARN-CLI-02[34]$/)]);
    expect(error?.message).toContain("store: false");
  });
});
