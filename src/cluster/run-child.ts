/** A run in a worker's child: it goes on in the worker's own store, as it was recorded, for somebody who sits elsewhere. */
import { ownStateFolder } from "../host/command/index.ts";
import { spentUsd } from "../model/index.ts";
import { resumeInStore } from "../run/index.ts";
import type { Surroundings } from "../run/setup/index.ts";
import { openStore } from "../store/index.ts";
import { type JobPorts, notTooOften, problemWord } from "./child-words.ts";
import { permittedHost } from "./permissions.ts";
import type { RunTask } from "./run-work.ts";

/** Exit code of a run that ends where it is, for another to go on. */
const restCode = 143;

export async function performRun(task: RunTask, ports: JobPorts): Promise<number> {
  const store = openStore(ownStateFolder(), { mirror: ports.mirror });
  try {
    return await resumeInStore(store, task.run, undefined, task.flags, surroundingsOnWorker(task, ports));
  } finally {
    store.close();
  }
}

function surroundingsOnWorker({ flags, permissions }: RunTask, { rest, report }: JobPorts): Surroundings {
  const isAsked = (flags.onDoubt ?? "ask") === "ask";
  return {
    reader: "sender",
    isAsRecorded: true,
    wirings: [],
    machine: (host) => permittedHost(permissions, host),
    began: (runtime, run) => {
      if (run !== undefined)
        run.onJournalled = notTooOften(() =>
          report({ type: "progress", records: run.records, costUsd: spentUsd(runtime) }),
        );
      const stop = (): void =>
        runtime.effects.requestStop({ reason: "terminate", exitCode: restCode, atOnce: true });
      if (rest.aborted) stop();
      else rest.addEventListener("abort", stop, { once: true });
    },
    asked: (place, question, { writer }) => writer.question(place, JSON.stringify(question)),
    over: () => {},
    // Whoever is to answer sits elsewhere: it waits where they are.
    parkLater: (park) => {
      park();
      return () => {};
    },
    // Nobody here can look whether it happened.
    peopleDecide: (_kind, inDoubt) => isAsked && inDoubt !== "repeat" && inDoubt !== "say",
    ended: async (end) => {
      if (end.kind === "problem") report(problemWord(end.problem));
    },
  };
}
