/** What of the flags of durable work can be judged before any of it begins: its lists, and the files that answers come from. */
import { builtinTable, Capabilities, CapabilityMistake } from "../../builtins/index.ts";
import { UsageError } from "../../host/command/index.ts";
import { LlmUsageError, loadFixtures, loadTape } from "../../model/index.ts";
import { ownProcess } from "../../process/index.ts";
import { grantedLimitsOf } from "./granted.ts";
import type { WorkFlags } from "./run-flags.ts";

/** Throws a `UsageError`. Without it each run would fail of it, when somebody waits for an answer. */
export function checkWorkFlags(flags: WorkFlags): void {
  const limits = grantedLimitsOf(flags);
  try {
    if (limits !== undefined) Capabilities.of(limits, builtinTable(), ownProcess().cwd());
    if (flags.llmMock !== undefined) loadFixtures(flags.llmMock);
    if (flags.tape !== undefined) loadTape(flags.tape);
  } catch (error) {
    if (error instanceof CapabilityMistake) throw new UsageError(error.message);
    if (error instanceof LlmUsageError) throw new UsageError(error.message, "HARN-CLI-010");
    throw error;
  }
}
