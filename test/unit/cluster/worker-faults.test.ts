/** Child, worker and both are killed in one run of 30 effects, which a server outside counts. Every fault by itself: `faults.test.ts`. */
import { afterAll, describe, expect, it } from "vitest";
import {
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

describe.skipIf(missing !== undefined)(title, () => {
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
});
