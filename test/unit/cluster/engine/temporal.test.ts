/** Temporal under the contract of the engine, and refusals of it. Where its program is missing the tests say so. */
// long: starts an engine, and waits for its queues
import { Connection } from "@temporalio/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectEngine } from "../../../../src/cluster/engine/index.ts";
import type { ClusterSettings } from "../../../../src/cluster/index.ts";
import { describeEngine, jobNamed, resultOf } from "../../../support/engine-contract.ts";
import { findTemporal, startTemporal, type TemporalServer } from "../../../support/temporal-server.ts";

const found = findTemporal();
const isThere = "path" in found;
const title = `Temporal${isThere ? "" : ` (skipped: ${found.missing})`}`;

let server: TemporalServer;
beforeAll(async () => {
  if (isThere) server = await startTemporal(found.path, { namespaces: ["other"] });
});
afterAll(async () => {
  await server?.stop();
});

const settings = (more: Partial<ClusterSettings> = {}, engine: Partial<ClusterSettings["engine"]> = {}) => ({
  engine: { address: server.address, namespace: "default", tls: false, ...engine },
  journals: "",
  queue: "harn",
  leaseMs: 5000,
  project: "p",
  ...more,
});

const report = (): void => {};

for (const isAlone of [false, true])
  describeEngine(
    isAlone ? `${title}, activities without workflows` : title,
    {
      connect: async (more) => await connectEngine(settings(more), { report, isAlone }),
      // The engine's own client: its queues are none of the port's business.
      waiting: async (project, count) => {
        const connection = await Connection.connect({ address: server.address });
        await expect
          .poll(async () => {
            const { stats } = await connection.workflowService.describeTaskQueue({
              namespace: "default",
              taskQueue: { name: `${project}/harn` },
              taskQueueType: 2,
              reportStats: true,
            });
            return Number(stats?.approximateBacklogCount);
          })
          .toBe(count);
        await connection.close();
      },
    },
    !isThere,
  );

describe.skipIf(!isThere)(`${title} besides`, () => {
  it("keeps namespaces apart", async () => {
    const one = await connectEngine(settings());
    const two = await connectEngine(settings({}, { namespace: "other" }));
    await one.start(jobNamed("here"));
    expect(await two.isOpen("here")).toBe(false);
    const served = await two.serve({ jobs: 1, queues: ["harn"], perform: async () => resultOf(2) });
    await two.start(jobNamed("here"));
    expect(await two.ended("here")).toEqual({ kind: "done", result: resultOf(2) });
    expect(await one.isOpen("here")).toBe(true);
    await served.drain();
    for (const engine of [one, two]) await engine.close();
  });

  it("says what it is, and who takes jobs", async () => {
    const engine = await connectEngine(settings({ project: "checked" }));
    await engine.start(jobNamed("waits"));
    await expect
      .poll(() => engine.check())
      .toEqual([
        expect.stringMatching(/^engine {4}Temporal \d+\.\d+\.\d+ at 127\.0\.0\.1:\d+, namespace default$/),
        expect.stringMatching(/^ {10}it remembers ended jobs for \d+ d$/),
        "queue     checked/harn: 1 waiting, and no worker takes them; start one with `harn worker`",
      ]);
    const served = await engine.serve({ jobs: 1, queues: ["harn"], perform: async () => resultOf(1) });
    await engine.ended("waits");
    // The number lags behind.
    await expect
      .poll(async () => (await engine.check())[2])
      .toMatch(/^queue {5}checked\/harn: \d waiting, 1 worker$/);
    await served.drain();
    await engine.close();
  });

  it("is told in words when it refuses", async () => {
    const nobody = await connectEngine(settings({}, { namespace: "nowhere" }));
    const refused = {
      code: "HARN-CLU-008",
      message: expect.stringMatching(/namespace nowhere\) refuses it: .*nowhere/),
    };
    await expect(nobody.check()).rejects.toMatchObject(refused);
    await expect(nobody.start(jobNamed("x"))).rejects.toMatchObject(refused);
    const serve = { jobs: 1, queues: ["harn"], perform: async () => resultOf(1) };
    await expect(nobody.serve(serve)).rejects.toMatchObject(refused);
    await nobody.close();
  });

  it("takes no signals of the process", async () => {
    const before = process.eventNames().map((name) => [name, process.listenerCount(name)]);
    const engine = await connectEngine(settings(), { report });
    const served = await engine.serve({ jobs: 1, queues: ["harn"], perform: async () => resultOf(1) });
    expect(process.eventNames().map((name) => [name, process.listenerCount(name)])).toEqual(before);
    await served.drain();
    await engine.close();
  });
});
