/**
 * A program with tools and a flow, killed in the middle of its work and at random moments, and started again: nothing is lost, nothing is done twice that was not
 * said to be idempotent, and what is done again has the same key. `HARN_FLOW_KILLS` is how many kills there are (300; 5 in a smoke).
 */
// suite: processes
// long: kills

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { cleanEnvironment } from "../../support/command-environment.ts";
import type { Entry } from "../../support/flow-ledger.ts";
import { projectRoot } from "../../support/project.ts";
import { isSmoke } from "../../support/smoke.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const kills = Number(process.env.HARN_FLOW_KILLS ?? (isSmoke ? 5 : 300));
const folder = tempFolder("flow-kills");
const program = join(projectRoot, "test/support/programs/killed-flow.ts");
const library = join(projectRoot, "dist/index.js");
/** What a run enters: 29 steps in the order of their numbers, and the two tools of its agent. */
const numbers = [...Array.from({ length: 29 }, (_, at) => at + 1), 101, 102];

const started = new Set<ChildProcess>();
afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
});

/** In what it is killed: `charge` is in doubt then, `book` is done again. */
type Work = "charge" | "book";

interface Started {
  readonly child: ChildProcess;
  /** Its flow has been called, or it has ended. */
  readonly works: Promise<void>;
  /** It waits in a work to be killed, or it has ended. */
  readonly held: Promise<void>;
  readonly ended: Promise<{ readonly killed: boolean; readonly stdout: string; readonly stderr: string }>;
}

function start(run: string, ...holding: readonly string[]): Started {
  const child = spawn(process.execPath, [program, library, folder, run, ...holding], {
    env: cleanEnvironment({}),
  });
  started.add(child);
  let [stdout, stderr] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const says = (word: string): Promise<void> =>
    new Promise((resolve) => {
      child.stdout.on("data", () => {
        if (stdout.includes(word)) resolve();
      });
      child.on("close", () => resolve());
    });
  const works = says("at work\n");
  const held = says("held\n");
  const ended = new Promise<Awaited<Started["ended"]>>((resolve) => {
    child.on("close", (_status, signal) => {
      started.delete(child);
      resolve({ killed: signal === "SIGKILL", stdout, stderr });
    });
  });
  return { child, works, held, ended };
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/**
 * In the middle of some work, or else mostly while it works, sometimes while it starts. Gives what it printed when it was through before
 * that.
 */
async function killed(run: string, work: Work | undefined): Promise<string | undefined> {
  const at = work === undefined ? [] : [work, String(1 + Math.floor(Math.random() * 4))];
  const { child, works, held, ended } = start(run, ...at);
  if (work !== undefined) await held;
  else if (Math.random() < 0.8) {
    await works;
    await pause(Math.random() * 250);
  } else await pause(Math.random() * 600);
  child.kill("SIGKILL");
  const end = await ended;
  expect(end.stderr).toBe("");
  return end.killed ? undefined : end.stdout;
}

const linesOf = (name: string): string[] =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8").trimEnd().split("\n") : [];

it("does every step once", async () => {
  const done = new Map<string, string>();
  let count = 0;
  let run = 0;
  const held = { charge: 0, book: 0 };
  while (count < kills) {
    // Every other one at a random moment.
    const work = ([undefined, "charge", undefined, "book"] as const)[(count + 1) % 4];
    const stdout = await killed(`r${run}`, work);
    if (stdout !== undefined) done.set(`r${run++}`, stdout);
    else {
      count++;
      if (work !== undefined) held[work]++;
    }
  }
  done.set(`r${run}`, (await start(`r${run}`).ended).stdout);

  const result = { last: 30, read: 28, text: "booked" };
  for (const [name, stdout] of done)
    expect([name, JSON.parse(stdout.split("\n").at(-2) ?? "")]).toEqual([name, result]);

  const entries = linesOf("ledger.jsonl").map((line) => JSON.parse(line) as Entry);
  let repeated = 0;
  let begunAgain = 0;
  for (const name of done.keys()) {
    const own = entries.filter((entry) => entry.run === name);
    expect([...new Set(own.map(({ n }) => n))].sort((a, b) => a - b)).toEqual(numbers);
    for (const n of numbers) {
      const of = own.filter((entry) => entry.n === n);
      const [first] = of;
      expect(new Set(of.map(({ key }) => key)).size).toBe(1);
      if (first?.again !== true) expect(of).toHaveLength(1);
      const attempts = of.map(({ attempt }) => attempt);
      expect(attempts).toEqual([...new Set(attempts)].sort((a, b) => a - b));
      repeated += of.length - 1;
      if (first?.again === true) begunAgain += (attempts.at(-1) ?? 1) - 1;
    }
    expect(new Set(own.map(({ key }) => key)).size).toBe(numbers.length);
  }
  // Of one key at most what was in flight at a kill, and that is five steps.
  expect(repeated).toBeLessThanOrEqual(5 * kills);
  const doubts = linesOf("doubts.txt");
  const of = (choice: string): number => doubts.filter((line) => line === choice).length;
  // Those in the middle of work have hit it: it was asked about, or begun again.
  expect(Math.min(held.charge, held.book)).toBeGreaterThan(0);
  expect(doubts.length).toBeGreaterThanOrEqual(held.charge);
  expect(begunAgain).toBeGreaterThanOrEqual(held.book);
  if (process.env.HARN_FLOW_KILLS !== undefined)
    process.stderr.write(
      `${count} kills (${held.charge + held.book} in the middle of work), ${done.size} runs, ${entries.length} entries, ${repeated} again with the same key, in doubt: ${of("skip")} had happened, ${of("redo")} had not\n`,
    );
}, 1_800_000);
