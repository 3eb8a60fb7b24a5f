/** Flags of every command that runs durable work, as its children take them. */
import type { RunFlags } from "./run-flags.ts";

/** What each run is started with. */
export type WorkFlags = ModelFlags & Pick<RunFlags, "allow" | "deny">;

/** Which models answer. */
export type ModelFlags = Pick<RunFlags, "provider" | "model" | "baseUrl" | "tape" | "llmMock">;

export interface LimitFlags {
  /** Milliseconds. */
  readonly timeout?: number;
  /** Megabytes. */
  readonly memory?: number;
}

/** As the pool of children takes them. */
export const limitsOf = ({ timeout, memory }: LimitFlags): { totalMs?: number; memoryMb?: number } => ({
  ...(timeout === undefined ? {} : { totalMs: timeout }),
  ...(memory === undefined ? {} : { memoryMb: memory }),
});

/** The flags of a run as arguments of a command line. */
export function workArguments(flags: WorkFlags): string[] {
  const names: readonly (readonly [string, keyof WorkFlags])[] = [
    ["--provider", "provider"],
    ["--model", "model"],
    ["--base-url", "baseUrl"],
    ["--tape", "tape"],
    ["--llm-mock", "llmMock"],
    ["--allow", "allow"],
    ["--deny", "deny"],
  ];
  return names.flatMap(([flag, name]) => (flags[name] === undefined ? [] : [`${flag}=${flags[name]}`]));
}
