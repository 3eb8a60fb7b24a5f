/** `harn cluster check`: whether this machine can use what `[cluster]` names. */
import { join } from "node:path";
import { checkCluster } from "../../cluster/check.ts";
import { clusterSettings } from "../../cluster/settings/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, print, reportFailure } from "../../host/command/index.ts";
import { ownProcess } from "../../process/index.ts";
import type { clusterCheckFlags } from "../flags/cluster.ts";

export async function checkClusterCommand({
  requeue = false,
}: FlagsOf<typeof clusterCheckFlags>): Promise<number> {
  const settings = await clusterSettings(join(ownProcess().cwd(), "harn.toml"));
  print(`project   ${settings.project}\n`);
  let code: number = exitCode.ok;
  await checkCluster(settings, {
    requeue,
    say: (line) => print(`${line}\n`),
    fail: (error) => {
      code = reportFailure(error);
    },
  });
  return code;
}
