/** What the end of an attempt means to the engine: how soon it is made again. */
import { expect, it } from "vitest";
import { Attempts } from "../../../../src/cluster/engine/attempts.ts";
import { AttemptOver, JobFailed, NewerWork } from "../../../../src/cluster/index.ts";

const sdk = {
  Context: {
    current: () => ({
      info: { attempt: 1, workflowExecution: { runId: "r" } },
      cancellationSignal: new AbortController().signal,
      heartbeat: () => {},
    }),
  },
  ApplicationFailure: { create: (failure: unknown) => failure },
};

it.each<[Error, object]>([
  [new AttemptOver("away"), { message: "away", nextRetryDelay: 1000 }],
  // It is for another worker: nothing here changes within a second.
  [new NewerWork("format 99"), { message: "format 99", nextRetryDelay: 10_000 }],
  [new JobFailed("no"), { message: "no", nonRetryable: true }],
  [new Error("died"), { type: "Error", message: "died" }],
])("%s", async (error, failure) => {
  const attempts = new Attempts({
    sdk: sdk as never,
    isCurrent: async () => true,
    perform: () => Promise.reject(error),
    beatMs: 1000,
  });
  const order = { job: { kind: "run" as const, name: "r", flags: {} }, leaseMs: 5000, project: "p" };
  await expect(attempts.perform(order)).rejects.toEqual({ type: error.name, ...failure });
});
