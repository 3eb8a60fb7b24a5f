/**
 * A worker's child: it does a job that came from another machine, with the copy in the database written before each effect that changes
 * the outside. What it prints goes with that copy, to whoever handed the job over.
 */
import { jobMark, Secrets } from "../effects/index.ts";
import { exitCode, ownStateFolder, reportFailure } from "../host/command/index.ts";
import type { ParentLine } from "../host/index.ts";
import { spentUsd } from "../model/index.ts";
import { inProcess, ownProcess, ownVariables } from "../process/index.ts";
import { madeProcess } from "../process/made-process.ts";
import { resumeInStore } from "../run/index.ts";
import type { Surroundings } from "../run/setup/index.ts";
import { openStore } from "../store/index.ts";
import type { Json } from "../values/index.ts";
import {
  type ChildWord,
  childFailureWord,
  type JobPorts,
  notTooOften,
  problemWord,
  type RestWord,
} from "./child-words.ts";
import type { TrialsTask } from "./chunks/trials-work.ts";
import { type OpenMirror, openMirror } from "./journals/mirror.ts";
import { permittedHost } from "./permissions.ts";
import type { RunTask } from "./run-work.ts";

export async function jobChild(job: Json, parent: ParentLine): Promise<number> {
  const task = job as unknown as RunTask | TrialsTask;
  const resting = new AbortController();
  const report = (word: ChildWord): void => parent.send(word);
  parent.listen((word) => {
    if ((word as RestWord).type === "rest") resting.abort();
  });
  try {
    const { job: name, fence, ...place } = task.copy;
    const mirror = openMirror(place, name, fence);
    try {
      const ports = { mirror, rest: resting.signal, report };
      return await inProcess(processOfJob(name, mirror), () => performTask(task, ports));
    } finally {
      mirror.close();
    }
  } catch (error) {
    const word = childFailureWord(error);
    if (word !== undefined) report(word);
    return reportFailure(error);
  }
}

async function performTask(task: RunTask | TrialsTask, { report, ...ports }: JobPorts): Promise<number> {
  switch (task.kind) {
    case "run":
      return await performRun(task, { ...ports, report });
    case "trials": {
      const { performTrials } = await import("./chunks/trials-child.ts");
      return await performTrials(task, {
        ...ports,
        report: (progress) => report({ type: "progress", ...progress }),
      });
    }
  }
}

/** A run: it goes on in the worker's own store, as it was recorded, for somebody who sits elsewhere. */
async function performRun(task: RunTask, ports: JobPorts): Promise<number> {
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
        runtime.effects.requestStop({ reason: "terminate", exitCode: exitCode.terminated, atOnce: true });
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

/**
 * What is printed goes to the sender, and nothing is to be read. It lies in the database for days, so secrets of this machine stand in
 * it by name, as in the journal.
 */
function processOfJob(job: string, mirror: OpenMirror): ReturnType<typeof madeProcess> {
  const secrets = Secrets.ofEnvironment(ownVariables());
  const hidden = (text: string): string => Secrets.readable(secrets.hide(text));
  return madeProcess({
    cwd: ownProcess().cwd(),
    env: { ...ownProcess().env, [jobMark]: job },
    stdout: (text) => mirror.output("stdout", hidden(text)),
    stderr: (text) => mirror.output("stderr", hidden(text)),
    exit: (code) => process.exit(code),
  });
}
