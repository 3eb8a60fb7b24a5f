/** `harn run`: here, or with `--workers` on other machines. */
import { UsageError } from "../../host/command/index.ts";
import type { RunFlags } from "../../run/setup/index.ts";
import { runScriptCommand } from "../../run/start.ts";

export async function runHereOrHandOver(
  file: string | undefined,
  args: readonly string[],
  flags: RunFlags,
): Promise<number> {
  if (flags.workers === true) {
    const { runOnWorkers } = await import("../cluster/run-on-workers.ts");
    return await runOnWorkers(file, args, flags);
  }
  if (flags.sign !== undefined)
    throw new UsageError("--sign goes with --workers: a run that stays here needs no signature");
  return await runScriptCommand(file, args, flags);
}
