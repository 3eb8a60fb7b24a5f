/**
 * The sets of this project: `harn eval list` names them, newest first; `tune` changes how a set runs while another process works on
 * it; `stop` ends it there, as Ctrl-C in its own terminal would; `delete` takes sets away with their trials, scores and plans.
 */

import type { EvalSetRow } from "../../durable/index.ts";
import type { SetOptions, SetSpec } from "../../eval/engine/index.ts";
import { evalMessage } from "../../eval/index.ts";
import {
  chunksElsewhere,
  evalStoreOf,
  inEvalStore,
  mustBeHere,
  NodeSandboxes,
  removeLeftContainers,
  setRow,
} from "../../eval/local/index.ts";
import { columnLines, countedText, dollarText } from "../../eval/report/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  inStore,
  ownStateFolder,
  print,
  reportAsJson,
  reportError,
  UsageError,
} from "../../host/command/index.ts";
import { createNodeHost } from "../../host/index.ts";
import { describeOwner, processOf, signalProcess } from "../../store/index.ts";
import type { tuneFlags } from "../flags/eval.ts";
import { interruptUntil } from "../runs/stop-runs.ts";
import { setOptions } from "./run-options.ts";

interface EvalListFlags {
  readonly json?: boolean;
}

interface SetListRow {
  readonly row: EvalSetRow;
  readonly tasks: readonly string[];
  readonly trials: number;
  readonly done: number;
}

export function listSetsCommand(flags: EvalListFlags): number {
  const sets = inEvalStore((store) =>
    store.sets().map(
      (row): SetListRow => ({
        row,
        tasks: store.tasks(row.id).map(({ name }) => name),
        trials: store.trialCount(row.id),
        done: store.trialCount(row.id, "done"),
      }),
    ),
  );
  if (flags.json === true) for (const one of sets) reportAsJson(listedJson(one));
  else if (sets.length === 0) print(`no sets in ${ownStateFolder()}\n`);
  else
    print(
      columnLines(sets.map(listedCells), [2])
        .map((line) => `${line}\n`)
        .join(""),
    );
  return exitCode.ok;
}

const listedCells = ({ row, tasks, trials, done }: SetListRow): string[] => [
  row.name,
  new Date(row.began).toISOString().slice(0, 19).replace("T", " "),
  row.why === null ? row.state : `${row.state}: ${row.why}`,
  done === trials ? countedText(trials, "trial") : `${done} of ${countedText(trials, "trial")}`,
  tasks.join(", "),
];

const listedJson = ({ row, tasks, trials, done }: SetListRow): object => ({
  set: row.name,
  state: row.state,
  why: row.why,
  tasks,
  trials,
  done,
  began: new Date(row.began).toISOString(),
  ended: row.ended === null ? null : new Date(row.ended).toISOString(),
  receipt: row.receipt,
});

type TuneFlags = FlagsOf<typeof tuneFlags>;

export function tuneSetCommand(named: string, flags: TuneFlags): number {
  const change = setOptions(flags);
  if (Object.keys(change).length === 0)
    throw new UsageError(
      "name what is to be different: --trials, --connections, --cost or --tokens",
      "HARN-CLI-002",
    );
  inStore((files) =>
    // The owner may write the row at the same time: what it says of the state must stay.
    files.transaction(() => {
      const store = evalStoreOf(files);
      const row = setRow(store, named);
      if (files.leases.leaseOwner(`eval:${row.name}`) === undefined)
        throw new UsageError(
          `nobody works on the set ${row.name}: it is ${row.state}; \`harn eval resume ${row.name}\` takes the same flags`,
          "HARN-CLI-008",
        );
      const spec = JSON.parse(row.spec) as SetSpec;
      const connections = { ...spec.options.connections, ...change.connections };
      const options: SetOptions = { ...spec.options, ...change, connections };
      store.changeSet(row, { spec: JSON.stringify({ ...spec, options }) });
      print(`${row.name}  ${optionsText(options)}\n`);
    }),
  );
  return exitCode.ok;
}

/** `4 trials at once, openai=5, at most $8.00` */
function optionsText({ trials, connections, costUsd, tokens }: SetOptions): string {
  return [
    `${countedText(trials, "trial")} at once`,
    ...Object.entries(connections).map(([provider, rule]) => `${provider}=${rule}`),
    ...(costUsd === null ? [] : [`at most ${dollarText(costUsd)}`]),
    ...(tokens === null ? [] : [`at most ${tokens} tokens`]),
  ].join(", ");
}

/** How long its calls in flight may take to end (`--grace`), and its trials to come to their next effects, before this says so. */
const patienceMs = 40_000;

export async function stopSetCommand(named: string, flags: { readonly now?: boolean }): Promise<number> {
  const { id, name, state } = inEvalStore((store) => setRow(store, named));
  const isOnWorkers = (): boolean => inStore((files) => chunksElsewhere(files, id).length > 0);
  const owner = ownerOfSet(name);
  if (owner === undefined) {
    if (isOnWorkers()) {
      await stopSetOnWorkers(name);
      return exitCode.ok;
    }
    const left = await removeLeftContainers(name);
    if (left > 0) {
      print(`${name} is ${state}; ${countedText(left, "container")} of it removed\n`);
      return exitCode.ok;
    }
    throw new UsageError(`nobody works on the set ${name}: it is ${state}`, "HARN-CLI-008");
  }
  const pid = processOf(owner);
  if (pid === undefined)
    throw new UsageError(
      `the set ${name} is worked on by ${describeOwner(owner)}: stop it there`,
      "HARN-CLI-008",
    );
  const ended = await interruptUntil(
    { interrupt: () => signalProcess(pid, "SIGINT"), now: flags.now === true, patienceMs },
    () => (ownerOfSet(name) === undefined ? inEvalStore((store) => setRow(store, name).state) : undefined),
  );
  if (ended !== undefined) {
    // Whoever followed them has left them there.
    if (isOnWorkers()) await stopSetOnWorkers(name);
    else print(`${name} is ${ended}\n`);
    return exitCode.ok;
  }
  reportError(
    `harn: ${name} still unwinds (process ${pid}); \`harn eval stop --now ${name}\` waits for nobody\n`,
  );
  return exitCode.failed;
}

async function stopSetOnWorkers(name: string): Promise<void> {
  const { stopOnWorkers } = await import("./set-on-workers.ts");
  await stopOnWorkers(name);
}

const ownerOfSet = (name: string) => inStore((store) => store.leases.leaseOwner(`eval:${name}`))?.owner;

export async function deleteSetsCommand(names: readonly string[]): Promise<number> {
  const deleted = inStore((files) => {
    const gone: string[] = [];
    const store = evalStoreOf(files);
    for (const named of names) {
      const { id, name, spec } = setRow(store, named);
      const owner = files.leases.leaseOwner(`eval:${name}`);
      if (owner !== undefined)
        throw new UsageError(evalMessage("HARN-EVL-012", { name, owner: describeOwner(owner.owner) }));
      mustBeHere(files, { id, name });
      const runs = store.trials(id).flatMap((trial) => files.runs.ofTrial(trial.id));
      const { plan } = JSON.parse(spec) as SetSpec;
      const sandboxes = new NodeSandboxes(files, createNodeHost());
      files.transaction(() => {
        store.stored.remove({ table: "eval_set", where: { id } });
        for (const run of runs) sandboxes.removeFolder(run);
        for (const run of [...runs, plan]) if (files.runs.find(run) !== undefined) files.runs.delete(run);
      });
      print(`deleted ${name}\n`);
      gone.push(name);
    }
    return gone;
  });
  for (const name of deleted) await removeLeftContainers(name);
  return exitCode.ok;
}
