/** Children and workers that are killed or frozen in the middle of 30 effects, which a server outside counts: none is done twice. */
import { afterAll, describe, expect, it } from "vitest";
import {
  childrenOf,
  clusterDesk,
  type DeskProject,
  effectServer,
  killChildren,
  thirtyEffects,
  thirtyLines,
} from "../../support/cluster-desk.ts";
import type { RunningCli } from "../../support/start-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("worker-faults");
const desk = await clusterDesk();
afterAll(() => desk.stop());
const { missing } = desk;
const title = `faults of workers${missing === undefined ? "" : ` (skipped: ${missing})`}`;

const project = (names?: readonly string[]): DeskProject => desk.project(freshFolder(), thirtyEffects, names);

describe.skipIf(missing !== undefined).concurrent(title, () => {
  it("a child, its worker, and both are killed: 30 effects, and nothing printed twice", async () => {
    const effects = await effectServer();
    const desk = project(["sender", "a", "b"]);
    let [at, other]: [RunningCli, RunningCli | undefined] = [await desk.worker([], "a"), undefined];
    const ran = desk.harn("run", "main.harn", "--workers", "--quiet", "--", effects.url);
    await effects.came(6, ran);
    killChildren(at, "SIGKILL");
    await effects.came(12, ran);
    other = await desk.worker([], "b");
    at.child.kill("SIGKILL");
    await effects.came(20, ran);
    killChildren(other, "SIGKILL");
    other.child.kill("SIGKILL");
    at = await desk.worker([], "a");
    const { status, stdout } = await ran;
    effects.close();
    expect([...effects.sent.keys()]).toEqual(Array.from({ length: 30 }, (_, n) => `key-${n}`));
    const repeated = [...effects.sent.values()].reduce((sum, times) => sum + times - 1, 0);
    expect(repeated).toBeLessThanOrEqual(3);
    expect([status, stdout]).toEqual([0, thirtyLines]);
    expect((await desk.alone("replay", "last")).stdout).toBe(thirtyLines);
  });

  it("a child that is frozen for longer than the lease is not waited for", async () => {
    const effects = await effectServer();
    const desk = project();
    const worker = await desk.worker();
    const ran = desk.harn("run", "main.harn", "--workers", "--quiet", "--", effects.url);
    await effects.came(6, ran);
    killChildren(worker, "SIGSTOP");
    const { status, stdout } = await ran;
    effects.close();
    expect(effects.sent.size).toBe(30);
    expect([status, stdout]).toEqual([0, thirtyLines]);
  });

  it("a worker that is frozen for longer than the lease is taken over from, and writes no more", async () => {
    const effects = await effectServer();
    const desk = project(["sender", "a", "b"]);
    const frozen = await desk.worker([], "a");
    const ran = desk.harn("run", "main.harn", "--workers", "--quiet", "--", effects.url);
    await effects.came(6, ran);
    const children = childrenOf(frozen.child.pid);
    for (const pid of [frozen.child.pid as number, ...children]) process.kill(pid, "SIGSTOP");
    await desk.worker([], "b");
    await effects.came(9, ran);
    for (const pid of [...children, frozen.child.pid as number]) process.kill(pid, "SIGCONT");
    const { status, stdout } = await ran;
    effects.close();
    expect(effects.sent.size).toBe(30);
    expect([status, stdout]).toEqual([0, thirtyLines]);
    expect((await desk.alone("replay", "last")).stdout).toBe(thirtyLines);
  });
});
