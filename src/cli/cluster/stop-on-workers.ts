/** `harn runs stop` of a run that workers do. */
import { join } from "node:path";
import { clusterSettings, openToStop, stopHandedOver } from "../../cluster/index.ts";
import { asUsageError, ownStateFolder, print, reportError } from "../../host/command/index.ts";
import { ownProcess } from "../../process/index.ts";
import { openStore, stateWords } from "../../store/index.ts";

export async function stopRunOnWorkers(run: string): Promise<boolean> {
  try {
    const settings = await clusterSettings(join(ownProcess().cwd(), "harn.toml"));
    const report = (line: string): void => reportError(`harn: ${line}\n`);
    const cluster = await openToStop(settings, report, { names: [run], reason: "harn runs stop" });
    const store = openStore(ownStateFolder());
    try {
      if (!(await stopHandedOver(cluster, store, run))) {
        report(`${run} was told to stop, and its worker has not said yet that it has; look again later`);
        return false;
      }
      const found = store.runs.find(run);
      print(`${run} is ${found === undefined ? "gone" : stateWords(found)}\n`);
      return true;
    } finally {
      store.close();
      await cluster.close();
    }
  } catch (error) {
    throw asUsageError(error);
  }
}
