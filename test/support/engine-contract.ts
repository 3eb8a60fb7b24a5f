/** What every engine does (`Engine` in `src/cluster/ports.ts`): the same tests for Temporal and for the one in memory. */
import { afterEach, describe, expect, it } from "vitest";
import {
  type Attempt,
  AttemptOver,
  type ClusterSettings,
  type Engine,
  type Job,
  JobCancelled,
  JobFailed,
  type JobResult,
  type ServedJobs,
} from "../../src/cluster/index.ts";

type Perform = (job: Job, attempt: Attempt) => Promise<JobResult>;

/** What takes the place of a server. */
export interface EngineServer {
  /** Gives engines that are connected to it. */
  connect(settings: Pick<ClusterSettings, "project" | "queue">): Promise<Engine>;
  /** Resolves when so many jobs wait for a worker that takes them from the usual queue of a project. */
  waiting(project: string, count: number): Promise<void>;
}

export const jobNamed = (name: string, more: Partial<Job> = {}): Job => ({
  kind: "run",
  name,
  flags: {},
  ...more,
});
export const resultOf = (records: number): JobResult => ({ exitCode: 0, records });
export const onceAborted = (signal: AbortSignal): Promise<Error> =>
  new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(signal.reason as Error), { once: true }),
  );

/** A job that says when it has begun and ends when it is told to. */
export function heldJob(): { begun: Promise<Attempt>; end: (result: JobResult) => void; perform: Perform } {
  const begun = Promise.withResolvers<Attempt>();
  const end = Promise.withResolvers<JobResult>();
  return {
    begun: begun.promise,
    end: end.resolve,
    perform: (_job, attempt) => {
      begun.resolve(attempt);
      return end.promise;
    },
  };
}

let projects = 0;

export function describeEngine(title: string, server: EngineServer, skip = false): void {
  describe.skipIf(skip)(title, () => {
    const open: { drain(now: boolean): Promise<void> }[] = [];
    const engines: Engine[] = [];

    afterEach(async () => {
      for (const served of open.splice(0)) await served.drain(true);
      for (const engine of engines.splice(0)) await engine.close();
    });

    const connected = async (project = `project-${++projects}`): Promise<Engine> => {
      const engine = await server.connect({ project, queue: "harn" });
      engines.push(engine);
      return engine;
    };
    const served = async (
      engine: Engine,
      perform: Perform,
      jobs = 4,
      queues = ["harn"],
    ): Promise<ServedJobs> => {
      const serving = await engine.serve({ jobs, queues, perform });
      open.push(serving);
      return serving;
    };

    it("carries a job as it was given, and its result back", async () => {
      const engine = await connected();
      const flags = JSON.parse(
        '{"__proto__": {"x": 1}, "model": "été 😀 \\u0000", "deep": [[[null, 1e21, -0.5]]]}',
      );
      const seen: Job[] = [];
      await engine.start(jobNamed("20261130-ab.c_1", { kind: "trials", flags }));
      expect(await engine.isOpen("20261130-ab.c_1")).toBe(true);
      await served(engine, async (job) => {
        seen.push(job);
        return { exitCode: 75, records: 12 };
      });
      expect(await engine.ended("20261130-ab.c_1")).toEqual({
        kind: "done",
        result: { exitCode: 75, records: 12 },
      });
      expect(await engine.isOpen("20261130-ab.c_1")).toBe(false);
      expect(JSON.stringify(seen.map((job) => job.flags))).toBe(JSON.stringify([flags]));
      expect(seen).toMatchObject([{ kind: "trials", name: "20261130-ab.c_1" }]);
    });

    it("means the job of a name that is there; after its end a new one", async () => {
      const engine = await connected();
      const held = heldJob();
      let performed = 0;
      await served(engine, async (job, attempt) =>
        ++performed === 1 ? held.perform(job, attempt) : resultOf(2),
      );
      await engine.start(jobNamed("one"));
      await engine.start(jobNamed("one"));
      await held.begun;
      await engine.start(jobNamed("one"));
      held.end(resultOf(1));
      expect(await engine.ended("one")).toEqual({ kind: "done", result: resultOf(1) });
      await engine.start(jobNamed("one"));
      expect(await engine.ended("one")).toEqual({ kind: "done", result: resultOf(2) });
      expect(performed).toBe(2);
    });

    it("says so of a job that it does not know", async () => {
      const engine = await connected();
      await expect(engine.ended("never")).rejects.toMatchObject({ code: "HARN-CLU-010" });
      await expect(engine.cancel("never")).rejects.toMatchObject({ code: "HARN-CLU-010" });
      expect(await engine.isOpen("never")).toBe(false);
    });

    it("makes an attempt again that died, and tells the next what the last one had told", async () => {
      const engine = await connected();
      const attempts: unknown[] = [];
      await served(engine, async (_job, { number, before, progress }) => {
        attempts.push({ number, before });
        if (number === 1) {
          progress({ records: 5, costUsd: 0.25 });
          throw new Error("the child died");
        }
        return resultOf(9);
      });
      await engine.start(jobNamed("dies"));
      expect(await engine.ended("dies")).toEqual({ kind: "done", result: resultOf(9) });
      expect(attempts).toEqual([
        { number: 1, before: undefined },
        { number: 2, before: { records: 5, costUsd: 0.25 } },
      ]);
    });

    it("makes none again of a job that failed for good", async () => {
      const engine = await connected();
      let attempts = 0;
      await served(engine, async () => {
        attempts++;
        throw new JobFailed(`died three times: ${"x".repeat(10_000)}`);
      });
      await engine.start(jobNamed("fails"));
      const end = await engine.ended("fails");
      expect(end).toMatchObject({ kind: "failed", words: expect.stringMatching(/^died three times: x+$/) });
      expect(attempts).toBe(1);
    });

    it("tells an attempt that its job was cancelled; then it is", async () => {
      const engine = await connected();
      const begun = Promise.withResolvers<void>();
      const reasons: Error[] = [];
      await served(engine, async (_job, { signal }) => {
        begun.resolve();
        const reason = await onceAborted(signal);
        reasons.push(reason);
        throw reason;
      });
      await engine.start(jobNamed("cancelled"));
      await begun.promise;
      await engine.cancel("cancelled");
      expect(await engine.ended("cancelled")).toEqual({ kind: "cancelled" });
      expect(reasons).toEqual([expect.any(JobCancelled)]);
      // Once more is no mistake.
      await engine.cancel("cancelled");
    });

    it("takes what a cancelled attempt gives as the end of its job", async () => {
      const engine = await connected();
      const begun = Promise.withResolvers<void>();
      await served(engine, async (_job, { signal }) => {
        begun.resolve();
        await onceAborted(signal);
        return { exitCode: 130, records: 4 };
      });
      await engine.start(jobNamed("stopped"));
      await begun.promise;
      await engine.cancel("stopped");
      expect(await engine.ended("stopped")).toEqual({ kind: "done", result: { exitCode: 130, records: 4 } });
    });

    it("cancels what waits, also where no worker is", async () => {
      const engine = await connected();
      await engine.start(jobNamed("waits"));
      await engine.cancel("waits");
      expect(await engine.ended("waits")).toEqual({ kind: "cancelled" });
      const seen: string[] = [];
      await served(engine, async ({ name }) => {
        seen.push(name);
        return resultOf(1);
      });
      await engine.start(jobNamed("next"));
      await engine.ended("next");
      expect(seen).toEqual(["next"]);
    });

    it("hands out no more at once than a worker takes", async () => {
      const engine = await connected("many");
      const held = heldJob();
      let atWork = 0;
      let most = 0;
      const perform: Perform = async (job, attempt) => {
        most = Math.max(most, ++atWork);
        const result = job.name === "first" ? await held.perform(job, attempt) : resultOf(1);
        atWork--;
        return result;
      };
      await served(engine, perform, 1);
      await engine.start(jobNamed("first"));
      await held.begun;
      const names = ["a", "b", "c"];
      for (const name of names) await engine.start(jobNamed(name));
      await server.waiting("many", names.length);
      held.end(resultOf(0));
      for (const name of names) await engine.ended(name);
      expect(most).toBe(1);
    });

    it("lets a worker that drains end what it has, and take no more", async () => {
      const engine = await connected();
      const held = heldJob();
      const first = await served(engine, held.perform);
      await engine.start(jobNamed("held"));
      const { signal } = await held.begun;
      const drained = first.drain();
      await engine.start(jobNamed("later"));
      held.end(resultOf(1));
      await drained;
      await first.ended;
      expect(signal.aborted).toBe(false);
      // Also where that was the only worker.
      expect(await engine.isOpen("held")).toBe(false);
      expect(await engine.ended("held")).toEqual({ kind: "done", result: resultOf(1) });
      expect(await engine.isOpen("later")).toBe(true);
      await served(engine, async () => resultOf(2));
      expect(await engine.ended("later")).toEqual({ kind: "done", result: resultOf(2) });
    });

    it("gives what a worker breaks off to another one", async () => {
      const engine = await connected();
      const begun = Promise.withResolvers<Attempt>();
      const first = await served(engine, async (_job, attempt) => {
        begun.resolve(attempt);
        attempt.progress({ records: 3, costUsd: null });
        throw await onceAborted(attempt.signal);
      });
      await engine.start(jobNamed("moves"));
      const { signal } = await begun.promise;
      await first.drain(true);
      expect(signal.reason).toBeInstanceOf(AttemptOver);
      expect(await engine.isOpen("moves")).toBe(true);
      const seen: unknown[] = [];
      await served(engine, async (_job, { number, before }) => {
        seen.push({ number, before });
        return resultOf(8);
      });
      expect(await engine.ended("moves")).toEqual({ kind: "done", result: resultOf(8) });
      expect(seen).toEqual([{ number: 2, before: { records: 3, costUsd: null } }]);
    });

    it("keeps projects apart: names, queues, workers", async () => {
      const [one, two] = [await connected("left"), await connected("right")];
      const seen: string[] = [];
      await one.start(jobNamed("same", { flags: { of: "left" } }));
      await served(two, async ({ name, flags }) => {
        seen.push(`right ${name} ${JSON.stringify(flags)}`);
        return resultOf(2);
      });
      expect(await two.isOpen("same")).toBe(false);
      await expect(two.cancel("same")).rejects.toMatchObject({ code: "HARN-CLU-010" });
      await two.start(jobNamed("same", { flags: { of: "right" } }));
      expect(await two.ended("same")).toEqual({ kind: "done", result: resultOf(2) });
      expect(await one.isOpen("same")).toBe(true);
      await served(one, async ({ name, flags }) => {
        seen.push(`left ${name} ${JSON.stringify(flags)}`);
        return resultOf(1);
      });
      expect(await one.ended("same")).toEqual({ kind: "done", result: resultOf(1) });
      expect(seen).toEqual(['right same {"of":"right"}', 'left same {"of":"left"}']);
    });

    it("refuses a job that is too large before it sends anything", async () => {
      const engine = await connected();
      const flags = { script: "x".repeat(3 << 20) };
      await expect(engine.start(jobNamed("large", { flags }))).rejects.toMatchObject({
        code: "HARN-CLU-009",
        message: expect.stringMatching(
          /^large: the job is 31\d{5} bytes, and the engine carries at most \d+$/,
        ),
      });
      expect(await engine.isOpen("large")).toBe(false);
    });

    it("gives each queue places of its own", async () => {
      const project = `queues-${++projects}`;
      const [usual, other] = [
        await server.connect({ project, queue: "harn" }),
        await server.connect({ project, queue: "gpu" }),
      ];
      engines.push(usual, other);
      await expect(
        usual.serve({ jobs: 1, queues: ["harn", "gpu"], perform: async () => resultOf(1) }),
      ).rejects.toMatchObject({ code: "HARN-CLI-004" });
      const seen: string[] = [];
      const take: Perform = async ({ name }) => {
        seen.push(name);
        return resultOf(1);
      };
      await other.start(jobNamed("on-gpu"));
      await usual.start(jobNamed("usual"));
      await served(usual, take, 1);
      await usual.ended("usual");
      expect(seen).toEqual(["usual"]);
      await served(usual, take, 3, ["cpu", "gpu"]);
      await other.ended("on-gpu");
      expect(seen).toEqual(["usual", "on-gpu"]);
    });

    it("stops waiting for an end when nobody waits any more", async () => {
      const engine = await connected();
      await engine.start(jobNamed("long"));
      const stop = new AbortController();
      const waiting = engine.ended("long", stop.signal);
      const reason = new Error("Ctrl-C");
      setTimeout(() => stop.abort(reason), 10);
      await expect(waiting).rejects.toBe(reason);
      await expect(engine.ended("long", stop.signal)).rejects.toBe(reason);
      expect(await engine.isOpen("long")).toBe(true);
    });

    it("gives a name to one worker of many", async () => {
      const engine = await connected();
      const seen: string[] = [];
      for (let worker = 0; worker < 2; worker++)
        await served(engine, async ({ name }) => {
          seen.push(name);
          return resultOf(1);
        });
      const names = Array.from({ length: 12 }, (_, at) => `many-${at}`);
      await Promise.all(names.map((name) => engine.start(jobNamed(name))));
      await Promise.all(names.map((name) => engine.ended(name)));
      expect(seen.toSorted()).toEqual(names.toSorted());
    });
  });
}
