/** Options of `createServer`, at every depth. Bounds are those of the flags of `harn serve`; names of flags say which option is meant. */
import { type Flag, flagValue } from "../host/command/flags.ts";
import { limitFlags, serverFlags, type workFlags } from "../run/setup/index.ts";
import {
  agentConfigProblem,
  agentName,
  type Logged,
  principalName,
  principalRoles,
} from "../server/local/library.ts";
import { harnError } from "./errors.ts";
import * as is from "./option-checks.ts";

export interface Agent {
  /** In addresses and records: letters, digits, `_` and `-`. */
  readonly name: string;
  /** Path of the script, from the project's folder. */
  readonly script: string;
  readonly title?: string;
  /** Of new conversations. */
  readonly mode?: "plan" | "execute";
  /** Of new conversations, below what they say themselves. */
  readonly config?: Readonly<Record<string, string | number | boolean | null>>;
  /** Tasks that the page offers to begin with. */
  readonly examples?: readonly string[];
}

/** Which models answer, and what runs may do: as the flags of `harn run`. */
export interface ServerFlags {
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  /** Path, from the project's folder. */
  readonly tape?: string;
  /** Path, from the project's folder. */
  readonly llmMock?: string;
  /** As `allow` and `deny` of `harn`: `["fs.read=data", "net"]`; or one text with commas, as on a command line. */
  readonly allow?: readonly string[] | string;
  readonly deny?: readonly string[] | string;
}

export interface CreateServerOptions {
  readonly agents: readonly Agent[];
  /** Folder of the project: its state folder is the server's. Default the working folder. */
  readonly project?: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** PEM texts. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly allowedHosts?: readonly string[];
  /** Runs at once; 4. */
  readonly jobs?: number;
  /** Milliseconds that a run may take; none. */
  readonly timeout?: number;
  /** Megabytes that a run may take; 1024. */
  readonly memory?: number;
  readonly flags?: ServerFlags;
  readonly log?: (line: Logged) => void;
  /** What a server has to say to whoever operates it; default nothing. */
  readonly report?: (text: string) => void;
}

/** A number that a flag would take. */
function numberOfFlag(flag: Flag<number>): is.Kind {
  const expectedOf = (text: string): string | undefined => {
    try {
      flagValue(flag, "", text, undefined);
      return undefined;
    } catch (error) {
      return /expected (.*), got /.exec((error as Error).message)?.[1];
    }
  };
  return {
    words: expectedOf("") ?? "",
    fits: (value) => typeof value === "number" && expectedOf(String(value)) === undefined,
  };
}

const textOfForm = (words: string, form: RegExp): is.Kind => ({
  words,
  fits: (value) => typeof value === "string" && form.test(value),
});

/** What is wrong with a record of options, besides those that are missing. */
interface RecordRows<T> {
  readonly kinds: is.Kinds<T>;
  readonly needed?: readonly (keyof T & string)[];
  readonly elsewhere?: is.Elsewhere;
}

function recordProblems<T>(value: unknown, { kinds, needed = [], elsewhere }: RecordRows<T>): string[] {
  const missing = needed.filter((name) => (Object(value) as Partial<T>)[name] === undefined);
  return [
    ...is.problemsOf(value, kinds, elsewhere),
    ...(is.record.fits(value) ? missing : []).map((name) => `\`${name}\` is missing: ${kinds[name].words}`),
  ];
}

function recordKind<T>(rows: RecordRows<T>): is.Kind {
  return {
    words: `an object with ${Object.keys(rows.kinds).join(", ")}`,
    fits: (value) => is.record.fits(value) && recordProblems(value, rows).length === 0,
    culprit: (name, value) =>
      is.record.fits(value) ? `\`${name}\`: ${recordProblems(value, rows).join("; ")}` : undefined,
  };
}

const configKind: is.Kind = {
  words: is.record.words,
  fits: (value) => is.record.fits(value) && agentConfigProblem(value) === undefined,
  culprit: (name, value) => (is.record.fits(value) ? `\`${name}\`: ${agentConfigProblem(value)}` : undefined),
};

const eachAgent = is.listOfKind(
  recordKind<Agent>({
    kinds: {
      name: textOfForm("a name of 1 to 64 letters, digits, `_` and `-`", agentName),
      script: is.text,
      title: is.text,
      mode: is.oneOfWords("plan", "execute"),
      config: configKind,
      examples: is.listOfKind(is.text),
    },
    needed: ["name", "script"],
  }),
);

const twiceNamed = (value: unknown): string | undefined => {
  const names = (value as readonly Agent[]).map(({ name }) => name);
  return names.find((name, at) => names.indexOf(name) !== at);
};

const agentList: is.Kind = {
  words: eachAgent.words,
  fits: (value) => eachAgent.fits(value) && twiceNamed(value) === undefined,
  culprit: (name, value) =>
    eachAgent.fits(value)
      ? `two of \`${name}\` are called \`${twiceNamed(value)}\``
      : eachAgent.culprit?.(name, value),
};

const entries = is.eitherKind(is.text, is.listOfKind(is.text));
/** A flag of `harn serve` that is not here would not reach the runs. */
const flagKinds: is.Kinds<Record<keyof typeof workFlags, unknown>> & is.Kinds<ServerFlags> = {
  provider: is.text,
  model: is.text,
  baseUrl: is.text,
  tape: is.text,
  llmMock: is.text,
  allow: entries,
  deny: entries,
};

const { timeout: _time, memory } = limitFlags("a run");
const serverRows: RecordRows<CreateServerOptions> = {
  kinds: {
    agents: agentList,
    project: is.text,
    host: is.text,
    port: numberOfFlag(serverFlags.port),
    tls: recordKind<NonNullable<CreateServerOptions["tls"]>>({
      kinds: { cert: is.text, key: is.text },
      needed: ["cert", "key"],
    }),
    allowedHosts: is.listOfKind(is.text),
    jobs: numberOfFlag(serverFlags.jobs),
    timeout: is.countFrom(1),
    memory: numberOfFlag(memory),
    flags: recordKind<ServerFlags>({ kinds: flagKinds, elsewhere: new Map([["mock", "llmMock"]]) }),
    log: is.fn,
    report: is.fn,
  },
  needed: ["agents"],
  elsewhere: new Map([
    ...Object.keys(flagKinds).map((key) => [key, `flags.${key}`] as const),
    ["mock", "flags.llmMock"],
    ["cwd", "project"],
    ["cert", "tls.cert"],
    ["tlsCert", "tls.cert"],
    ["key", "tls.key"],
    ["tlsKey", "tls.key"],
  ]),
};

/** Throws a `HarnError` that names every option that is wrong. */
export function checkServer(options: unknown): void {
  const problems = recordProblems(options, serverRows);
  if (problems.length > 0) throw harnError("HARN-LIB-001", `createServer: ${problems.join("; ")}`);
}

const principalKind = textOfForm(
  "letters, digits and `._@-`, at most 64, the first a letter or digit",
  principalName,
);
const roleKind = is.oneOfWords(...principalRoles);

export function checkPrincipal(name: unknown, role: unknown): void {
  is.checkWord("addPrincipal", "the name", name, principalKind);
  is.checkWord("addPrincipal", "the role", role, roleKind);
}
