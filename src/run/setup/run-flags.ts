/**
 * The flags of `harn run`, in one table: the command line reads plain invocations straight from it, without loading the
 * library that parses all others (25 ms of a 40 ms start), and gives the library the same table for those.
 */

import { UsageError } from "../../host/command/index.ts";
import type { ServedMessage } from "../../threads/index.ts";

/** The flags of `harn run`, as commander names them. */
export interface RunFlags {
  readonly eval?: string;
  /** A journal file; `false`: no journal at all. */
  readonly record?: string | false;
  readonly resume?: string;
  readonly input?: string;
  readonly onDoubt?: string;
  /** The message of a conversation that the run works for: what a server gives a run, on no command line. */
  readonly served?: ServedMessage;
  readonly onApproval?: string;
  readonly acceptChanges?: boolean;
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly tape?: string;
  readonly llmMock?: string;
  readonly llmMockRecord?: string;
  readonly seed?: string;
  readonly maxDepth?: number;
  readonly maxSteps?: number;
  readonly progress?: boolean;
  readonly live?: boolean;
  readonly events?: boolean;
  readonly quiet?: boolean;
  readonly allow?: string;
  readonly deny?: string;
  readonly skillDir?: string;
  /** The name of the run in the store; not for the command line. */
  readonly runName?: string;
}

/** The limits that flags set, for the Runtime; its defaults hold for the others. */
export function runLimits({ maxDepth, maxSteps }: RunFlags): { depth?: number; steps?: number } {
  return {
    ...(maxDepth === undefined ? {} : { depth: maxDepth }),
    ...(maxSteps === undefined ? {} : { steps: maxSteps }),
  };
}

interface RunFlag {
  readonly key: keyof RunFlags;
  readonly short?: string;
  readonly long: string;
  /** What the help calls its value; a flag without one is a switch. */
  readonly value?: string;
  readonly doc: string;
  readonly parse?: (text: string) => number | string;
  /** A switch that turns its key off. */
  readonly off?: boolean;
  /** A list: given again, it is continued. */
  readonly list?: boolean;
}

export const runFlags: readonly RunFlag[] = [
  {
    key: "eval",
    short: "-e",
    long: "--eval",
    value: "code",
    doc: "run this text instead of a file",
  },
  {
    key: "record",
    long: "--record",
    value: "journal",
    doc: "write the journal to this file, not to the project's store; `harn replay` re-runs it",
  },
  { key: "record", long: "--no-record", doc: "keep no journal of this run: it can't be resumed", off: true },
  {
    key: "resume",
    long: "--resume",
    value: "run",
    doc: "go on with an interrupted run: its name (`last`: the newest), or a file from `harn runs export`; or with a suspended worker: its id, or its file",
  },
  {
    key: "input",
    long: "--input",
    value: "text",
    doc: "with --resume of a worker: what its model is told",
  },
  {
    key: "onDoubt",
    long: "--on-doubt",
    value: "how",
    doc: "with --resume, what was under way when the run ended: ask (default), redo, skip, fail; harn.toml: [resume] on_doubt",
    parse: onDoubtFlag,
  },
  {
    key: "onApproval",
    long: "--on-approval",
    value: "how",
    doc: "what needs approval where nobody is at a terminal: ask (default: the run waits for `harn hitl`), deny",
    parse: wordFlag("--on-approval", ["ask", "deny"]),
  },
  {
    key: "acceptChanges",
    long: "--accept-changes",
    doc: "with --resume, go on as a new run where the edited script does something else",
  },
  {
    key: "provider",
    long: "--provider",
    value: "name",
    doc: "model provider for calls that do not name one",
  },
  { key: "model", long: "--model", value: "id", doc: "model for calls that do not name one" },
  {
    key: "baseUrl",
    long: "--base-url",
    value: "url",
    doc: "server of the provider, such as a local OpenAI-compatible one",
  },
  {
    key: "tape",
    long: "--tape",
    value: "file",
    doc: "answer model calls from this tape, in order, when no provider and no key is set",
  },
  {
    key: "llmMock",
    long: "--llm-mock",
    value: "file",
    doc: "answer every model call from this fixture file (JSON Lines)",
  },
  {
    key: "llmMockRecord",
    long: "--llm-mock-record",
    value: "file",
    doc: "write every model answer to a fixture file",
  },
  { key: "seed", long: "--seed", value: "text", doc: "seed of the run's random numbers and ids" },
  {
    key: "maxDepth",
    long: "--max-depth",
    value: "calls",
    doc: "nested script calls allowed (10000)",
    parse: countFlag("--max-depth"),
  },
  {
    key: "maxSteps",
    long: "--max-steps",
    value: "n",
    doc: "end the run after so many calls and rounds of loops (no limit)",
    parse: countFlag("--max-steps"),
  },
  {
    key: "allow",
    long: "--allow",
    value: "list",
    doc: "allow only these: fs.read, fs.write, net, process, env, model, people, fs.read=DIR, builtins; separated by commas",
    list: true,
  },
  {
    key: "deny",
    long: "--deny",
    value: "list",
    doc: "deny these, as for --allow; what is denied stays denied",
    list: true,
  },
  {
    key: "skillDir",
    long: "--skill-dir",
    value: "folder",
    doc: "look for skills here first; may be given again",
    list: true,
  },
  {
    key: "progress",
    long: "--progress",
    doc: "show agents at work although standard error is no terminal",
  },
  {
    key: "live",
    long: "--live",
    doc: "print what bodies of `parallel` print when they print it, marked, although standard output is no terminal",
  },
  {
    key: "events",
    long: "--events",
    doc: "write every event of the agents to standard error, as lines of JSON, instead of showing them",
  },
  { key: "quiet", short: "-q", long: "--quiet", doc: "do not show agents at work" },
];

/** How commander wants to hear of a flag: `-e, --eval <code>`. */
export function flagUsage({ short, long, value }: RunFlag): string {
  return `${short === undefined ? "" : `${short}, `}${long}${value === undefined ? "" : ` <${value}>`}`;
}

export interface RunArguments {
  readonly file: string | undefined;
  readonly flags: RunFlags;
}

/**
 * The arguments after `run` when they are plain: whole flags (`--seed x`, `--seed=x`, `-q`), at most one file. Anything
 * else (help, mistakes, joined short flags, values that look like flags) is `undefined`: commander's to read or refuse.
 */
export function plainRunArguments(args: readonly string[]): RunArguments | undefined {
  let file: string | undefined;
  const flags: Partial<Record<keyof RunFlags, string | number | boolean>> = {};
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === "-" || !arg.startsWith("-")) {
      if (file !== undefined || arg === "") return undefined;
      file = arg;
      continue;
    }
    const equals = arg.startsWith("--") ? arg.indexOf("=") : -1;
    const name = equals === -1 ? arg : arg.slice(0, equals);
    const flag = runFlags.find(({ short, long }) => name === long || name === short);
    if (flag === undefined) return undefined;
    if (flag.value === undefined) {
      if (equals !== -1) return undefined;
      flags[flag.key] = flag.off !== true;
      continue;
    }
    const value = equals === -1 ? args[++at] : arg.slice(equals + 1);
    if (value === undefined || (equals === -1 && value.startsWith("-"))) return undefined;
    const before = flags[flag.key];
    if (flag.list === true) flags[flag.key] = before === undefined ? value : `${before},${value}`;
    else flags[flag.key] = flag.parse === undefined ? value : flag.parse(value);
  }
  return { file, flags: flags as RunFlags };
}

/** One of these words, and nothing else. */
function wordFlag(flag: string, words: readonly string[]): (text: string) => string {
  return (text) => {
    if (words.includes(text)) return text;
    throw new UsageError(`${flag} must be one of ${words.join(", ")}; got ${text}`);
  };
}

/** Also of `harn fork` and `harn session run`. */
export function onDoubtFlag(text: string): string {
  return wordFlag("--on-doubt", ["ask", "redo", "skip", "fail"])(text);
}

function countFlag(flag: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < 1)
      throw new UsageError(`${flag}: expected a whole number above 0, got ${text}`);
    return value;
  };
}
