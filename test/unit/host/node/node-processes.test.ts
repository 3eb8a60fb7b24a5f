// suite: processes
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createNodeHost, HostError, type ProcessOptions } from "../../../../src/host/index.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const { processes } = createNodeHost();
const dir = tempFolder("processes");

const sh = (line: string, options?: ProcessOptions) => processes.run("/bin/sh", ["-c", line], options);

/** Whether a process is there and no zombie. */
function alive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<boolean> {
  for (let i = 0; i < 100 && alive(pid); i++) await wait(20);
  return !alive(pid);
}

/** The number that a script wrote into a file. */
async function pidFrom(file: string): Promise<number> {
  while (!existsSync(file) || readFileSync(file, "utf8").trim() === "") await wait(10);
  return Number(readFileSync(file, "utf8"));
}

describe("running programs", () => {
  it("gives both outputs and the status", async () => {
    const result = await sh("printf out; printf err >&2; exit 3");
    expect(result).toMatchObject({
      stdout: "out",
      stderr: "err",
      status: 3,
      timedOut: false,
      truncated: false,
    });
  });

  it("passes standard input, environment and folder", async () => {
    const result = await sh('cat; printf "%s" "$A"; pwd', { stdin: "in ", env: { A: "b " }, cwd: "/" });
    expect(result.stdout).toBe("in b /\n");
  });

  it("replaces the environment", async () => {
    const result = await sh('printf "%s" "${HOME:-none}"', { replaceEnv: true });
    expect(result.stdout).toBe("none");
  });

  it("doesn't mind a program that ignores its input", async () => {
    expect((await sh("exit 0", { stdin: "x".repeat(1_000_000) })).status).toBe(0);
  });

  it("says how a program was ended by a signal", async () => {
    expect(await sh("kill -9 $$")).toMatchObject({ status: null, signal: "SIGKILL" });
  });

  it("keeps characters whole that arrive in two pieces", async () => {
    expect((await sh("printf '\\303'; sleep 0.05; printf '\\244'")).stdout).toBe("ä");
  });

  it.each([
    ["no-such-program-here", "no such file or folder"],
    ["/", "permission denied"],
    ["a\0b", "nul byte found in provided data"],
  ])("words why %j can't be started", async (program, message) => {
    const failure = await processes.run(program, []).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HostError);
    expect((failure as HostError).message).toBe(message);
  });
});

describe("ending a process tree", () => {
  it("at a timeout, with a child that ignores TERM and one that left the group", async () => {
    const child = join(dir, "child");
    const stray = join(dir, "stray");
    const line = `trap '' TERM; (trap '' TERM; sleep 600) & echo $! > ${child}; setsid sh -c 'echo $$ > ${stray}; sleep 600' & wait`;
    // They sleep for longer than this test may take.
    const result = await sh(line, { timeoutMs: 300 });
    expect(result.timedOut).toBe(true);
    expect(await gone(await pidFrom(child))).toBe(true);
    expect(await gone(await pidFrom(stray))).toBe(true);
  });

  it("when aborted, with the reason of the signal", async () => {
    const file = join(dir, "aborted");
    const aborter = new AbortController();
    const run = sh(`echo $$ > ${file}; sleep 60`, { signal: aborter.signal });
    const pid = await pidFrom(file);
    aborter.abort("enough");
    await expect(run).rejects.toBe("enough");
    expect(await gone(pid)).toBe(true);
  });

  it("when aborted before it started", async () => {
    await expect(sh("sleep 60", { signal: AbortSignal.abort("early") })).rejects.toBe("early");
  });

  it("when it writes without end", async () => {
    const result = await sh("yes", { maxOutput: 1000 });
    expect(result.truncated).toBe(true);
    expect(result.stdout.length).toBe(1000);
  });

  it("at once for all that run", async () => {
    const file = join(dir, "all");
    const run = sh(`echo $$ > ${file}; sleep 60`);
    const pid = await pidFrom(file);
    processes.killAll();
    expect((await run).signal).toBe("SIGKILL");
    expect(await gone(pid)).toBe(true);
  });
});
