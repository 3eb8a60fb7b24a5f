/** Runs of one process leave nothing open behind. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import { harn } from "../../../src/library/index.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("library-handles");
const h = harn({ cwd: folder, store: join(folder, "state") });
afterAll(() => h.close());

/** Descriptors of this process that lie in the folder. */
const opened = (): string[] =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(join("/proc/self/fd", fd));
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });

it.runIf(existsSync("/proc/self/fd"))(
  "runs, replays, refused resumes and runs that wait leave no file open",
  async () => {
    for (let at = 0; at < 12; at++) {
      const name = `r${at}`;
      const ends = [
        await h.run({ text: 'sleep(1)\nreturn "x" * 3' }, { name }).done,
        await h.run({ text: "return 1" }, { name }).done,
        await h.replay(name).done,
        await h.resume(name).done,
        await h.fork(name, { at: 99 }).done,
        await h.run({ text: 'return ask_user("?")' }).done,
        await h.replay("none").done,
      ];
      expect(ends.map(({ status }) => status)).toEqual([
        "done",
        "failed",
        "done",
        "failed",
        "failed",
        "waiting",
        "failed",
      ]);
    }
    expect(opened()).toEqual([]);
  },
);

it("an answer that comes after its run began to wait is kept for the resume", async () => {
  let say: (answer: string) => void = () => {};
  const one = harn({
    cwd: folder,
    store: join(folder, "state"),
    onQuestion: ({ prompt }) => {
      if (prompt === "B?") throw new Error("nobody");
      return new Promise<string>((resolve) => {
        say = resolve;
      });
    },
  });
  const both = one.flow("both", (ctx) => Promise.all([ctx.ask("A?"), ctx.ask("B?")]));
  const { status, questions } = await both(undefined, { name: "late" }).done;
  expect([status, questions?.map(({ prompt }) => prompt)]).toEqual(["waiting", ["A?", "B?"]]);
  say("Ada");
  await expect.poll(() => one.runs.questions("late")).toHaveLength(1);
  const [open] = await one.runs.questions("late");
  await one.runs.answer("late", open?.id ?? "", "Bob");
  expect(await one.resume("late")).toEqual(["Ada", "Bob"]);
  await one.close();
});

/** What a program of its own ends with. */
async function lives(program: string, options = ""): Promise<number> {
  const library = pathToFileURL(resolve("src/library/index.ts")).href;
  const text = `import { harn, tool } from ${JSON.stringify(library)};
    const h = harn({ store: ${JSON.stringify(join(folder, "state"))}, ${options} });
    ${program}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", text], { cwd: folder });
  const [code] = (await once(child, "exit", { signal: AbortSignal.timeout(60_000) })) as [number];
  return code;
}

it("the process does not end while a run waits for an answer, nor wait for the time of one that has failed", async () => {
  const asks = `{ text: 'return ask_user("?")' }`;
  const answered = `const timer = setInterval(() => {}, 1000); const run = h.run(${asks});
    for await (const { type, data } of run) if (type === "question.asked") {
      clearInterval(timer);
      setTimeout(() => run.answer(data.question, "Ada"), 1500).unref();
    }
    process.exitCode = await run === "Ada" ? 7 : 8;`;
  expect(await lives(answered, "onQuestion: () => undefined")).toBe(7);
  const began = performance.now();
  expect(await lives('await h.run({ text: "pipeline main( {" }, { timeout: 600_000 }).done')).toBe(0);
  expect(performance.now() - began).toBeLessThan(60_000);
});

it("the process lives while a run is at work that holds nothing by itself, and ends by itself after it", async () => {
  // A timer of `AbortSignal.timeout` is none that a process waits for.
  const still = `const input = { "~standard": { version: 1, vendor: "t", validate: (value) => ({ value }) } };
    const still = tool({ name: "still", description: "Waits.", input, inputSchema: { type: "object" },
      execute: () => new Promise((done) => AbortSignal.timeout(300).addEventListener("abort", () => done("done"))) });
    const options = { tools: [still] };
    const text = 'return host_call("tool.still", {})';`;
  expect(await lives(`${still} process.exitCode = await h.run({ text }, options) === "done" ? 7 : 8;`)).toBe(
    7,
  );
  const both = `${still} const all = await Promise.all([h.run({ text }, options), h.run({ text: "return 1" })]);
    process.exitCode = all.join() === "done,1" ? 7 : 8; await h.close();
    if (process.getActiveResourcesInfo().includes("Timeout")) process.exitCode = 9;`;
  expect(await lives(both)).toBe(7);
  const stopped = `${still} const run = h.run({ text }, options); setImmediate(() => run.stop());
    process.exitCode = (await run.done).status === "stopped" ? 7 : 8;`;
  expect(await lives(stopped)).toBe(7);
});
