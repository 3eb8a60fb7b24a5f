/** Sets whose trials workers do: `--workers` of `harn eval run` and `resume`, and what `harn eval stop` ends there. */
import { join } from "node:path";
import { EngineChunks, runInChunks, stopChunks } from "../../cluster/chunks/index.ts";
import {
  type Cluster,
  clusterSettings,
  openCluster,
  openToStop,
  travellingFlags,
} from "../../cluster/index.ts";
import type { SetSpec } from "../../eval/engine/index.ts";
import { asOwner, chunksElsewhere, evalStoreOf, type SetRunner, setRow } from "../../eval/local/index.ts";
import {
  asUsageError,
  exitCode,
  ownStateFolder,
  print,
  reportError,
  UsageError,
} from "../../host/command/index.ts";
import { loadSigningKeys, nodeSeed } from "../../host/index.ts";
import { ownProcess } from "../../process/index.ts";
import { ownRoots } from "../../run/index.ts";
import { flagsOf } from "../../run/setup/index.ts";
import { openStore } from "../../store/index.ts";
import type { SetFlags } from "./run-options.ts";

type SetWorkerFlags = Pick<
  SetFlags,
  "workers" | "sign" | "grace" | "tape" | "llmMock" | "model" | "provider" | "baseUrl" | "onDoubt"
>;

/** Runs `work` with who runs trials on workers; what is wrong with settings, key or connection is told before anything else. */
export async function withWorkers<T>(
  flags: SetWorkerFlags,
  onWarning: (text: string) => void,
  work: (run: SetRunner) => Promise<T>,
): Promise<T> {
  refuseFlagsOfHere(flags);
  try {
    const cluster = await openWorkers(flags);
    const warned = new Set<string>();
    const away = (error: unknown): void => {
      const text = `the database of [cluster] does not answer: ${error instanceof Error ? error.message : String(error)}; it is asked again`;
      if (!warned.has(text)) onWarning(text);
      warned.add(text);
    };
    const { engine, journals } = cluster;
    const runner = new EngineChunks({
      engine,
      journals,
      flags: travellingFlags(flags),
      sign: flags.sign,
      away,
    });
    try {
      return await work(async (request) => {
        const files = request.runs.store.operations.store;
        const { plan } = JSON.parse(request.set.spec) as SetSpec;
        refuseTape(flagsOf(files.runs.read(plan).header, flags).tape);
        return await runInChunks(request, {
          runner,
          newId: () => nodeSeed().slice(0, 10),
          roots: ownRoots(),
        });
      });
    } finally {
      await cluster.close();
    }
  } catch (error) {
    throw asUsageError(error);
  }
}

async function openWorkers({ sign, workers }: Pick<SetWorkerFlags, "sign" | "workers">) {
  const withoutCluster = workers === true ? exitCode.usage : undefined;
  const settings = await clusterSettings(join(ownProcess().cwd(), "harn.toml"), withoutCluster);
  if (sign !== undefined) (await loadSigningKeys()).privateKeyIn(sign);
  return await openCluster(settings, (line) => reportError(`harn: ${line}\n`));
}

/** What has a meaning on this machine only. */
function refuseFlagsOfHere({ grace, tape }: SetWorkerFlags): void {
  if (grace !== undefined)
    throw new UsageError(
      "--grace does not go with --workers: what is stopped there ends within a second or two",
    );
  refuseTape(tape);
}

function refuseTape(tape: string | undefined): void {
  if (tape !== undefined)
    throw new UsageError(
      "--tape does not go with --workers: its answers are taken in their order, by one process; --llm-mock answers by what is asked",
    );
}

/** Ends the chunks of a set that are on workers, and takes in what was done. */
export async function stopOnWorkers(name: string): Promise<void> {
  try {
    const settings = await clusterSettings(join(ownProcess().cwd(), "harn.toml"));
    const files = openStore(ownStateFolder());
    let cluster: Cluster | undefined;
    try {
      const names = chunksElsewhere(files, setRow(evalStoreOf(files), name).id).map((note) => note.name);
      const report = (line: string): void => reportError(`harn: ${line}\n`);
      cluster = await openToStop(settings, report, { names, reason: "harn eval stop" });
      const { engine, journals } = cluster;
      const runner = new EngineChunks({ engine, journals, flags: {}, away: () => {} });
      await asOwner(files, name, async () => {
        const store = evalStoreOf(files);
        const row = setRow(store, name);
        await stopChunks(files, store, row, { runner, roots: ownRoots() });
        const set = store.changeSet(setRow(store, name), { state: "stopped", why: null });
        print(`${set.name} is ${set.state}\n`);
      });
    } finally {
      files.close();
      await cluster?.close();
    }
  } catch (error) {
    throw asUsageError(error);
  }
}
