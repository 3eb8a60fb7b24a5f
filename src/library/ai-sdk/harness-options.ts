/** What a harness is made of. */
import type { AgentOptions } from "../types.ts";

/** Options of `h.agent` for every turn; what a turn brings along goes before. */
export type HarnessOptions = Omit<AgentOptions, "prompt" | "output" | "signal" | "name">;

export const harnessId = "harn";
