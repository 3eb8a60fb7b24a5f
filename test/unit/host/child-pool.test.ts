/** The pool of child processes: what a job does, and what happens to those that go wrong. */
// suite: processes
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type ChildEnd, ChildPool, type PoolOptions } from "../../../src/host/child-pool.ts";

const script = resolve(import.meta.dirname, "../../support/pool-child.ts");
const limits = { memoryMb: 2000, totalMs: 60_000, stuckMs: 30_000 };

let pool: ChildPool;
const open = (options: Partial<PoolOptions> = {}): ChildPool => {
  pool = new ChildPool({ launcher: script, args: [], spares: 1, maxChildren: 4, limits, ...options });
  return pool;
};
afterEach(() => pool.close());

const job = (task: object) => ({ cwd: tmpdir(), task });

/** A process that is there and no zombie. */
const isThere = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));

const gone = async (pid: number): Promise<void> => {
  while (isThere(pid)) await new Promise((done) => setTimeout(done, 20));
};

describe("jobs", () => {
  it("end with their exit code, and what they print is heard", async () => {
    open();
    let received = "";
    const end = await pool.run(job({ do: "print", text: "höllo" }), {
      onOutput: (text) => (received += text),
    });
    expect(end).toEqual({ kind: "ended", exitCode: 0 });
    expect(received).toBe("höllo");
    expect(await pool.run(job({ do: "exit", code: 75 }))).toEqual({ kind: "ended", exitCode: 75 });
  });

  it("beyond the most at a time wait for their turn", async () => {
    open({ maxChildren: 1, spares: 0 });
    const ends: ChildEnd[] = [];
    const first = pool.run(job({ do: "exit", code: 1 })).then((end) => ends.push(end));
    const second = pool.run(job({ do: "exit", code: 2 })).then((end) => ends.push(end));
    await Promise.all([first, second]);
    expect(ends.map((end) => end.kind === "ended" && end.exitCode)).toEqual([1, 2]);
  });
});

describe("a child", () => {
  it("that dies is reported, and the next job has another one", async () => {
    open();
    expect(await pool.run(job({ do: "crash" }))).toMatchObject({ kind: "died", signal: "SIGSEGV" });
    expect(await pool.run(job({ do: "exit", code: 0 }))).toEqual({ kind: "ended", exitCode: 0 });
  });

  it("that spins is killed", async () => {
    open({ limits: { ...limits, stuckMs: 1500 } });
    expect(await pool.run(job({ do: "spin" }))).toEqual({ kind: "killed", because: "stuck" });
  });

  it("that spins does not hinder others", async () => {
    open();
    const stop = new AbortController();
    const spinning = pool.run(job({ do: "spin" }), { signal: stop.signal, graceMs: 100 });
    expect(await pool.run(job({ do: "exit", code: 0 }))).toEqual({ kind: "ended", exitCode: 0 });
    stop.abort();
    expect(await spinning).toEqual({ kind: "killed", because: "asked" });
  });

  it("that eats memory is killed", async () => {
    open({ limits: { ...limits, memoryMb: 300 } });
    expect(await pool.run(job({ do: "eat" }))).toEqual({ kind: "killed", because: "memory" });
  });

  it("that takes too long is killed", async () => {
    open({ limits: { ...limits, totalMs: 300 } });
    expect(await pool.run(job({ do: "wait" }))).toEqual({ kind: "killed", because: "time" });
  });

  it("is asked to stop, and killed when it does not hear", async () => {
    open();
    for (const task of [{ do: "wait" }, { do: "deaf" }]) {
      const stop = new AbortController();
      const options = {
        signal: stop.signal,
        graceMs: 100,
        onStart: () => setTimeout(() => stop.abort(), 200),
      };
      expect(await pool.run(job(task), options)).toEqual({ kind: "killed", because: "asked" });
    }
  });

  it.runIf(process.platform === "linux")("takes with it what left its process group", async () => {
    open();
    let said = "";
    const stop = new AbortController();
    const options = {
      signal: stop.signal,
      graceMs: 100,
      onOutput: (text: string) => {
        said += text;
        stop.abort();
      },
    };
    expect(await pool.run(job({ do: "leak" }), options)).toEqual({ kind: "killed", because: "asked" });
    expect(Number(said)).toBeGreaterThan(1);
    await gone(Number(said));
  });
});
