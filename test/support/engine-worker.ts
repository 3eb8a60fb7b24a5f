/**
 * A worker process for tests of the engine: `node engine-worker.ts SETTINGS` takes jobs until SIGTERM. A job holds on until the folder in its
 * flags has a file of its name. What happens is told line by line: `serves`, `begins NAME ATTEMPT BEFORE`, `aborted NAME REASON`, `ends NAME`.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { connectEngine } from "../../src/cluster/engine/index.ts";
import type { ClusterSettings } from "../../src/cluster/index.ts";
import { compiled } from "./compiled-sources.ts";

compiled();
const settings = JSON.parse(process.argv[2] as string) as ClusterSettings;
// Nobody listens any more.
process.stdout.on("error", () => process.exit(1));
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const engine = await connectEngine(settings, { report: (line) => print(`reports ${line}`) });
const served = await engine.serve({
  jobs: 4,
  queues: [settings.queue],
  perform: async ({ name, flags }, { number, before, signal, progress }) => {
    print(`begins ${name} ${number} ${JSON.stringify(before ?? null)}`);
    progress({ records: 10 * number, costUsd: null });
    while (!existsSync(join((flags as { folder: string }).folder, name))) {
      await later(20);
      if (!signal.aborted) continue;
      print(`aborted ${name} ${(signal.reason as Error).name}`);
      throw signal.reason;
    }
    print(`ends ${name}`);
    return { exitCode: 0, records: 10 * number };
  },
});
let asked = 0;
process.on("SIGTERM", () => void served.drain(asked++ > 0));
print("serves");
await served.ended;
await engine.close();
print("over");
