/**
 * What kills, freezes or cuts off a part while a run is on workers: what it does outside is counted there by key, and equals what an
 * undisturbed run does. One that had begun and was not recorded is done again with its key, and nothing else is.
 */
// long outside of CI: kills each part at every record, freezes, and cuts the network
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { connectEngine } from "../../../src/cluster/engine/index.ts";
import { withStore } from "../../../src/store/index.ts";
import {
  type ClusterDesk,
  childrenOf,
  clusterDesk,
  type DeskProject,
  type EffectServer,
  effectServer,
  isAlive,
  type ServerPorts,
  type StartOptions,
} from "../../support/cluster-desk.ts";
import { type CutProxy, type CutSide, cutProxy } from "../../support/cut-proxy.ts";
import { projectRoot } from "../../support/project.ts";
import { type RecordMoment, recordGate } from "../../support/record-gate.ts";
import { canMount, diskOf, fillDisk, makeRoom, mountLine } from "../../support/small-disk.ts";
import type { RunningCli } from "../../support/start-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("faults");
const desk = await clusterDesk();
afterAll(() => desk.stop());
const { missing } = desk;
const isMountable = canMount();
const why = missing === undefined ? "" : ` (skipped: ${missing})`;

const script = {
  "main.harn": `pipeline main(url) {
  for i in 0 to 2 {
    http_post("\${url}/", "x", {headers: {"Idempotency-Key": "key-\${i}"}})
    println("did \${i} \${random_int(1, 1000000)}")
  }
  println(parallel 2 { i -> http_post("\${url}/", "x", {headers: {"Idempotency-Key": "part-\${i}"}}).body })
}
`,
};
const keys = ["key-0", "key-1", "key-2", "part-0", "part-1"];
/** That the run above writes on a worker. */
const recordCount = 13;
const command = (effects: EffectServer): string[] => [
  ...["run", "main.harn", "--workers", "--quiet", "--seed", "s"],
  ...["--", effects.url],
];

/** What an undisturbed run prints. */
async function undisturbed(): Promise<{ readonly stdout: string; readonly records: number }> {
  const effects = await effectServer(1);
  const place = desk.project(freshFolder(), script);
  const worker = await place.worker();
  const ran = await place.start(command(effects)).ended;
  effects.close();
  await place.close();
  expect([ran.status, [...effects.sent.keys()].sort()]).toEqual([0, keys]);
  const records = Number(/exit code 0, (\d+) records/.exec((await worker.ended).stdout)?.[1]);
  return { stdout: ran.stdout, records };
}

/** A run on a worker, at a moment of it. */
interface Scene {
  readonly servers: ClusterDesk;
  readonly ways: Readonly<Record<"engine" | "postgres", CutProxy>> | undefined;
  readonly place: DeskProject;
  readonly worker: RunningCli;
  readonly run: RunningCli;
  /** What the database holds back goes on. */
  readonly letGo: () => Promise<void>;
}

interface Fault {
  /** Strikes, and sees to it that the run can go on; gives the command that sees its end, where that is another one. */
  readonly strike: (scene: Scene) => Promise<RunningCli | undefined>;
  /** Engine and database are this test's alone. */
  readonly hasOwnServers?: boolean;
  /** The worker reaches them on ways that can be cut. */
  readonly hasOwnWays?: boolean;
  readonly worker?: StartOptions;
}

interface Place {
  readonly record: number;
  readonly moment: RecordMoment;
}

/** The run comes to the place, is struck there, and in the end everything is as if it had not been. */
async function comesThrough({ record, moment }: Place, fault: Fault, expected: string): Promise<void> {
  const { strike, hasOwnServers = false, hasOwnWays = false } = fault;
  const servers = hasOwnServers ? await clusterDesk() : desk;
  const ways = hasOwnWays
    ? { engine: await cutProxy(servers.engine.port), postgres: await cutProxy(servers.postgres.port) }
    : undefined;
  const effects = await effectServer(1);
  try {
    const ports: Record<string, ServerPorts> =
      ways === undefined ? {} : { a: { engine: ways.engine.port, postgres: ways.postgres.port } };
    const place = servers.project(freshFolder(), script, ["sender", "a", "b"], ports);
    const worker = await place.worker([], "a", fault.worker);
    const gate = await recordGate(servers.postgres, place.name, { record, moment });
    const run = place.start(command(effects));
    const early = run.ended.then((end) => {
      throw new Error(`it ended before: ${JSON.stringify(end)}`);
    });
    await Promise.race([gate.reached, early]);
    early.catch(() => {});
    const follower = await strike({ servers, ways, place, worker, run, letGo: gate.open });
    const { status, stdout, stderr } = await (follower ?? run).ended;
    await gate.close();
    expect([status, stderr]).toEqual([0, expect.anything()]);
    expectOnce(effects);
    if (follower === undefined) expect(stdout).toBe(expected);
    expect((await place.alone("replay", "last")).stdout).toBe(expected);
    await place.close();
  } finally {
    effects.close();
    for (const way of Object.values(ways ?? {})) way.close();
    if (servers !== desk) await servers.stop();
  }
}

/** Every effect once, but for those that were in doubt (at most the two at a time): each once more, with its own key. */
function expectOnce({ sent }: EffectServer): void {
  expect([...sent.keys()].sort()).toEqual(keys);
  const repeated = [...sent.values()].filter((times) => times > 1);
  expect(repeated.length).toBeLessThanOrEqual(2);
  expect(Math.max(...sent.values())).toBeLessThanOrEqual(2);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const parts = {
  "its child": ({ worker }: Scene) => childrenOf(worker.child.pid),
  "the worker": ({ worker }: Scene) => [worker.child.pid as number],
  "worker and child": ({ worker }: Scene) => [worker.child.pid as number, ...childrenOf(worker.child.pid)],
};

function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, name);
}

const resume = ["run", "--resume", "last", "--workers", "--quiet"];

const deaths: Readonly<Record<string, Fault>> = {
  ...Object.fromEntries(
    Object.entries(parts).map(([name, pids]) => {
      const strike = async (scene: Scene): Promise<undefined> => {
        signalAll(pids(scene), "SIGKILL");
        await scene.letGo();
        if (name !== "its child") await scene.place.worker([], "b");
      };
      return [`${name} is killed`, { strike }];
    }),
  ),
  "the engine is killed": {
    hasOwnServers: true,
    strike: async ({ servers: { engine }, letGo }) => {
      await engine.kill();
      await letGo();
      await pause(500);
      await engine.restart();
      return undefined;
    },
  },
  "the database is killed": {
    hasOwnServers: true,
    strike: async ({ servers: { postgres } }) => {
      await postgres.crash();
      await postgres.restart();
      return undefined;
    },
  },
  "the sender is killed": {
    strike: async ({ run, letGo, place }) => {
      run.child.kill("SIGKILL");
      await letGo();
      await run.ended;
      return place.start(resume);
    },
  },
  "the run is stopped": {
    strike: async ({ run, letGo, place }) => {
      const stop = place.harn("runs", "stop", "last");
      await pause(300);
      await letGo();
      const { stdout, stderr } = await stop;
      // It may have come to its end before.
      expect(stdout + stderr).toMatch(
        / is (?:stopped|interrupted|done)\n|nobody works on the run \S+: it is done/,
      );
      return (await run.ended).status === 0 ? undefined : place.start(resume);
    },
  },
  "the job is cancelled in the engine": {
    strike: async ({ servers, run, letGo, place }) => {
      const [newest] = withStore(join(place.folder(), ".harn"), ({ runs }) => runs.list());
      const engine = await connectEngine({
        engine: { address: servers.engine.address, namespace: "default", tls: false },
        ...{ journals: "", queue: "harn", leaseMs: lease, project: place.name },
      });
      await engine.cancel(newest?.name ?? "");
      await engine.close();
      await pause(300);
      await letGo();
      return (await run.ended).status === 0 ? undefined : place.start(resume);
    },
  },
};

const lease = 5000;

const frozen = (pids: (scene: Scene) => readonly number[], ms: number): Fault => ({
  strike: async (scene) => {
    const stopped = pids(scene);
    signalAll(stopped, "SIGSTOP");
    await scene.place.worker([], "b");
    await pause(ms);
    signalAll(stopped, "SIGCONT");
    return undefined;
  },
});

const cutOff = (server: "engine" | "postgres", side: CutSide, seconds: number): Fault => ({
  hasOwnWays: true,
  strike: async ({ ways, place }) => {
    ways?.[server].cut(side);
    await place.worker([], "b");
    await pause(seconds * 1000);
    ways?.[server].mend();
    return undefined;
  },
});

const clock = (minutes: number): StartOptions => ({
  env: {
    NODE_OPTIONS: `--require=${join(projectRoot, "test/support/programs/shifted-clock.cjs")}`,
    HARN_TEST_CLOCK_SHIFT: String(minutes * 60_000),
  },
});

describe.skipIf(missing !== undefined).concurrent(`runs on workers${why}`, async () => {
  const expected = missing === undefined ? await undisturbed() : { stdout: "", records: 0 };
  const comes = (place: Place, fault: Fault): Promise<void> => comesThrough(place, fault, expected.stdout);
  const middle: Place = { record: 5, moment: "there" };

  // Record 0 is what the sender puts there.
  it("are struck at every record that they write", () => {
    expect(expected.records).toBe(recordCount);
  });

  for (const [name, fault] of Object.entries(deaths))
    for (const moment of ["held", "there"] as const)
      for (let record = 1; record < recordCount; record++)
        it(`come through when ${name} while record ${record} is ${moment}`, () =>
          comes({ record, moment }, fault));

  for (const [name, pids] of Object.entries(parts))
    for (const leases of [0.5, 1.5, 3])
      it(`come through when ${name} is frozen for ${leases} leases`, () =>
        comes(middle, frozen(pids, leases * lease)));

  for (const server of ["engine", "postgres"] as const)
    for (const side of ["to the server", "from the server"] as const)
      for (const seconds of [1, 10, 60])
        it(`come through when nothing gets ${side} (${server}) for ${seconds} s`, () =>
          comes(middle, cutOff(server, side, seconds)));

  it("go on between machines whose clocks are 20 minutes apart", () =>
    comes(middle, {
      worker: clock(-10),
      strike: async (scene) => {
        await scene.place.worker([], "b", clock(10));
        signalAll(parts["worker and child"](scene), "SIGKILL");
        return undefined;
      },
    }));

  it.skipIf(!isMountable)(
    "go on elsewhere when the disk of their worker is full, and here when there is room again",
    async () => {
      const disk = join(freshFolder(), "disk");
      const worker: StartOptions = { inShell: mountLine(disk, 8), env: { HARN_STATE_DIR: disk } };
      await comes(middle, {
        worker,
        strike: async (scene) => {
          fillDisk(diskOf(scene.worker.child.pid, disk));
          await scene.place.worker([], "b");
          return undefined;
        },
      });
      await comes(middle, {
        worker,
        strike: async (scene) => {
          const there = diskOf(scene.worker.child.pid, disk);
          fillDisk(there);
          await scene.worker.shows("goes on elsewhere");
          makeRoom(there);
          return undefined;
        },
      });
    },
  );
});
