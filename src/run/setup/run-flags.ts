/**
 * The flags of `harn run`: the command line reads plain invocations straight from these rows, without loading the library that
 * parses all others (25 ms of a 40 ms start), and gives the library the same rows for those.
 */

import type { Json } from "../../effects/index.ts";
import {
  bool,
  duration,
  type Flag,
  type FlagsOf,
  flagName,
  flagValue,
  int,
  joined,
  many,
  oneOf,
  orOff,
  path,
  text,
} from "../../host/command/flags.ts";
import type { ServedMessage } from "../../threads/index.ts";

/** What is done with what was under way when a run ended. */
export const doubts = ["ask", "redo", "skip", "fail"] as const;

export const modelFlags = {
  provider: text("name", "model provider for calls that do not name one"),
  model: text("id", "model for calls that do not name one"),
  baseUrl: text("url", "server of the provider, such as a local OpenAI-compatible one"),
  tape: path("file", "answer model calls from this tape, in order, when no provider and no key is set"),
  llmMock: path("file", "answer every model call from this fixture file (JSON Lines)"),
};

export const runFlags = {
  eval: text("code", "run this text instead of a file", { short: "-e" }),
  record: orOff(
    path("journal", "write the journal to this file, not to the project's store; `harn replay` re-runs it"),
    "keep no journal of this run: it can't be resumed",
  ),
  resume: text(
    "run",
    "go on with an interrupted run: its name (`last`: the newest), or a file from `harn runs export`; or with a suspended worker: its id, or its file",
  ),
  input: text("text", "with --resume of a worker: what its model is told"),
  onDoubt: oneOf(
    "how",
    "with --resume, what was under way when the run ended: ask (default), redo, skip, fail; harn.toml: [resume] on_doubt",
    doubts,
  ),
  onApproval: oneOf(
    "how",
    "what needs approval where nobody is at a terminal: ask (default: the run waits for `harn hitl`), deny",
    ["ask", "deny"],
  ),
  acceptChanges: bool("with --resume, go on as a new run where the edited script does something else"),
  ...modelFlags,
  llmMockRecord: path("file", "write every model answer to a fixture file"),
  seed: text("text", "seed of the run's random numbers and ids"),
  maxDepth: int("calls", "nested script calls allowed (10000)"),
  maxSteps: int("n", "end the run after so many calls and rounds of loops (no limit)"),
  allow: joined(
    "list",
    "allow only these: fs.read, fs.write, net, process, env, model, people, fs.read=DIR, builtins; separated by commas",
  ),
  deny: joined("list", "deny these, as for --allow; what is denied stays denied"),
  skillDir: joined("folder", "look for skills here first; may be given again"),
  progress: bool("show agents at work although standard error is no terminal"),
  live: bool(
    "print what bodies of `parallel` print when they print it, marked, although standard output is no terminal",
  ),
  events: bool(
    "write every event of the agents to standard error, as lines of JSON, instead of showing them",
  ),
  quiet: bool("do not show agents at work", { short: "-q" }),
  workers: bool(
    "let workers of [cluster] in harn.toml do it, and show what it prints; with --resume: show it again, or hand it over again",
  ),
  sign: path("key", "with --workers: sign the run with this private key, for workers with --signed-by"),
};

/** What a run is started with. */
export interface RunFlags extends FlagsOf<typeof runFlags> {
  /** The message of a conversation that the run works for: what a server gives a run, on no command line. */
  readonly served?: ServedMessage;
  /** The name of the run in the store; not for the command line. */
  readonly runName?: string;
  /** What a program in TypeScript gives a script, a value in its stored form: for the parameters of the entry pipeline. */
  readonly params?: Json;
  /** Names of the tools that a program in TypeScript gives it: whoever goes on with the run has to give them, too. */
  readonly offers?: readonly string[];
  /** Of a run that was handed to this machine by somebody else: what the machine's owner says of models. */
  readonly owner?: ModelFlags;
  /** The name of the flow whose function the run calls: the one of the program that runs it. */
  readonly flow?: string;
}

/** The limits that flags set, for the Runtime; its defaults hold for the others. */
export function runLimits({ maxDepth, maxSteps }: RunFlags): { depth?: number; steps?: number } {
  return {
    ...(maxDepth === undefined ? {} : { depth: maxDepth }),
    ...(maxSteps === undefined ? {} : { steps: maxSteps }),
  };
}

interface FlagKey {
  readonly key: string;
  readonly flag: Flag;
  readonly isOff: boolean;
}

/** Every name of every flag. */
const byName: ReadonlyMap<string, FlagKey> = new Map(
  Object.entries<Flag>(runFlags).flatMap(([key, flag]): [string, FlagKey][] => [
    [flagName(key), { key, flag, isOff: false }],
    ...(flag.short === undefined ? [] : [[flag.short, { key, flag, isOff: false }] as [string, FlagKey]]),
    ...(flag.off === undefined
      ? []
      : [[`--no-${flagName(key).slice(2)}`, { key, flag, isOff: true }] as [string, FlagKey]]),
  ]),
);

interface RunArguments {
  readonly file: string | undefined;
  readonly flags: RunFlags;
}

/** The arguments after `run` when they are plain, and at most one file. */
export function plainRunArguments(args: readonly string[]): RunArguments | undefined {
  const plain = plainArguments(args);
  if (plain === undefined || plain.words.length > 1) return undefined;
  return { file: plain.words[0], flags: plain.flags };
}

/**
 * Words, and whole flags of a run (`--seed x`, `--seed=x`, `-q`). Anything else (help, mistakes, joined short flags, values
 * that look like flags) is `undefined`: commander's to read or refuse.
 */
export function plainArguments(
  args: readonly string[],
): { readonly words: readonly string[]; readonly flags: RunFlags } | undefined {
  const words: string[] = [];
  const flags: { [key: string]: unknown } = {};
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === "-" || !arg.startsWith("-")) {
      if (arg === "") return undefined;
      words.push(arg);
      continue;
    }
    const equals = arg.startsWith("--") ? arg.indexOf("=") : -1;
    const name = equals === -1 ? arg : arg.slice(0, equals);
    const meant = byName.get(name);
    if (meant === undefined) return undefined;
    const { key, flag, isOff } = meant;
    if (flag.value === undefined || isOff) {
      if (equals !== -1) return undefined;
      flags[key] = !isOff;
      continue;
    }
    const value = equals === -1 ? args[++at] : arg.slice(equals + 1);
    if (value === undefined || (equals === -1 && value.startsWith("-"))) return undefined;
    flags[key] = flagValue(flag, flagName(key), value, flags[key]);
  }
  return { words, flags: flags as RunFlags };
}

/** Flags of every command that runs durable work, as its children take them. */
export const workFlags = {
  ...modelFlags,
  allow: joined("list", "what scripts may do, as for `harn run`"),
  deny: joined("list", "what they may not do"),
};

/** What each run is started with. */
export type WorkFlags = FlagsOf<typeof workFlags>;

/** Which models answer. */
export type ModelFlags = FlagsOf<typeof modelFlags>;

/** `run` is what the limits hold for: "a turn"; `usual` how long it may take. A process needs 64 megabytes to begin. */
export const limitFlags = (run: string, usual = "30m") => ({
  timeout: duration("time", `end ${run} that takes longer: 90s, 30m, 2h (${usual}); it goes on later`),
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

/** Of a server: where it listens, and how much it does at once. */
export const serverFlags = {
  port: int("n", "where to listen; 0 takes a free one (4747)", { min: 0, max: 65_535 }),
  host: text("address", "which address to listen at (127.0.0.1)"),
  allowedHost: many("name", "a name that requests may address, besides the own; may be given again"),
  jobs: int("n", "runs at once, each in a process of its own (4)", { max: 256 }),
};
