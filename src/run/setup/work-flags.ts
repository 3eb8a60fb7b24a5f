/** Flags of every command that runs durable work, as its children take them. */
import { duration, type FlagsOf, flagName, int, joined } from "../../host/command/flags.ts";
import { modelFlags } from "./run-flags.ts";

export const workFlags = {
  ...modelFlags,
  allow: joined("list", "what scripts may do, as for `harn run`"),
  deny: joined("list", "what they may not do"),
};

/** What each run is started with. */
export type WorkFlags = FlagsOf<typeof workFlags>;

/** Which models answer. */
export type ModelFlags = FlagsOf<typeof modelFlags>;

/** `run` is what the limits hold for: "a turn". A process needs 64 megabytes to begin. */
export const limitFlags = (run: string) => ({
  timeout: duration("time", `end ${run} that takes longer: 90s, 30m, 2h (30m); it goes on later`),
  memory: int("mb", `end ${run} that takes more memory (1024)`, { min: 64, max: 1_000_000 }),
});

export type LimitFlags = FlagsOf<ReturnType<typeof limitFlags>>;

/** As the pool of children takes them. */
export const limitsOf = ({ timeout, memory }: LimitFlags): { totalMs?: number; memoryMb?: number } => ({
  ...(timeout === undefined ? {} : { totalMs: timeout }),
  ...(memory === undefined ? {} : { memoryMb: memory }),
});

/** The flags of a run as arguments of a command line. */
export const workArguments = (flags: WorkFlags): string[] =>
  (Object.keys(workFlags) as (keyof WorkFlags)[]).flatMap((key) =>
    flags[key] === undefined ? [] : [`${flagName(key)}=${flags[key]}`],
  );
