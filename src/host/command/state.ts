/** The store as commands see it: where it is, and its errors as what people read. */
import { type Code, nearest } from "../../diagnostics/index.ts";
import { JournalProblem } from "../../effects/index.ts";
import { ownProcess, ownVariables } from "../../process/index.ts";
import {
  existingStore,
  ownPlaceCheck,
  type StatePlaces,
  type Store,
  StoreError,
  type StoreFault,
  statePlacesOf,
  withStore,
} from "../../store/index.ts";
import { reportError } from "./report.ts";
import { UsageError } from "./usage-error.ts";

/** The state folder of this process. */
export const ownStateFolder = (): string => ownStatePlaces().state;

/** Where this process finds what outlives runs of the project that a folder belongs to. */
export const ownStatePlaces = (cwd = ownProcess().cwd()): StatePlaces => statePlacesOf(cwd, ownVariables());

/** A file of ours in the state folder, not reached through a link of the project. */
export function ownFile(path: string): string {
  ownPlaceCheck(ownStatePlaces(), (text) => new UsageError(text, "HARN-CLI-008"))(path);
  return path;
}

/** Works on the store of the project; what it refuses is one clear error. */
export function inStore<T>(work: (store: Store) => T): T {
  return explained(() => withStore(ownStateFolder(), work));
}

/** The same where nothing may have been recorded yet: then `none`. */
export function inStoreOr<T>(none: () => T, work: (store: Store) => T): T {
  return explained(() => {
    const store = existingStore(ownStateFolder());
    if (store === undefined) return none();
    try {
      return work(store);
    } finally {
      store.close();
    }
  });
}

/** Turns the errors of store and journals into those of the command line. */
export function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asUsageError(error);
  }
}

export function asUsageError(error: unknown): unknown {
  // First: the classes of the others come with the store and with journals.
  if (error instanceof UsageError) return error;
  if (error instanceof StoreError)
    return new UsageError(withAdvice(error.message, error.advice), storeCodes[error.fault]);
  return error instanceof JournalProblem ? problemError(error) : error;
}

/** A journal's problem in a few lines: what, both sides, what to do. */
export const problemError = ({ kind, message, details }: JournalProblem): UsageError =>
  new UsageError(withAdvice(message, details), journalCodes[kind]);

const withAdvice = (message: string, advice: readonly string[]): string =>
  [message, ...advice.map((line) => `  ${line}`)].join("\n");

const storeCodes = {
  corrupt: "HARN-CLI-020",
  newer: "HARN-CLI-021",
  full: "HARN-CLI-022",
  readonly: "HARN-CLI-023",
  unreadable: "HARN-CLI-024",
  busy: "HARN-CLI-025",
  taken: "HARN-CLI-026",
  away: "HARN-CLU-011",
  missing: "HARN-CLI-005",
  exists: "HARN-CLI-027",
  invalid: "HARN-CLI-028",
} as const satisfies Record<StoreFault, Code>;

const journalCodes = {
  mismatch: "HARN-CLI-030",
  "ended-early": "HARN-CLI-031",
  unreadable: "HARN-CLI-032",
  unwritable: "HARN-CLI-033",
  "unfit-answer": "HARN-CLI-003",
} as const satisfies Record<JournalProblem["kind"], Code>;

/** Prints why a command failed, the one place that does, and gives the exit code. What is nobody's mistake is ours. */
export function reportFailure(thrown: unknown): number {
  const error = asUsageError(thrown);
  const failure = error instanceof UsageError ? error : defect(error);
  reportError(`harn: ${failure.text}\n`);
  return failure.exitCode;
}

const defect = (error: unknown): UsageError =>
  new UsageError(
    `internal error, please report it\n  ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    "HARN-CLI-013",
  );

/** The run that is meant: by its name, a part at either end of it, or `last`. */
export function runNamed(store: Store, part: string): string {
  if (store.runs.find(part) !== undefined) return part;
  if (part === "last") {
    const [newest] = store.runs.list();
    if (newest !== undefined) return newest.name;
  }
  const found = store.runs.named(part);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new StoreError(
    "missing",
    found.length === 0
      ? `there is no run ${part}`
      : `${part} may be ${found.length} runs: ${found.join(", ")}`,
    ["`harn runs list` shows those there are; `last` is the newest"],
  );
}

/**
 * The run of this whole name. For programs, which give runs names of their own: a part of one would be another run some day. It is
 * what tools are told and keys are made of, too.
 */
export function runWholeNamed(store: Store, name: string): string {
  if (store.runs.find(name) !== undefined) return name;
  throw missingRun(name, nearRuns(store, name));
}

/** `meant`: runs that are there, perhaps. */
export const missingRun = (name: string, meant: readonly string[] = []): StoreError =>
  new StoreError(
    "missing",
    `there is no run ${name}${meant.length === 0 ? "" : `: did you mean ${meant.join(", ")}?`}`,
    ["a run is meant by its whole name; `h.runs.list()` has them all"],
  );

/** So many are named. */
const namedAtMost = 5;

/** Those that it is a part of, newest first; else the one that is almost called so. */
function nearRuns({ runs }: Store, name: string): readonly string[] {
  const parts = runs.named(name);
  if (parts.length > namedAtMost)
    return [...parts.slice(0, namedAtMost), `${parts.length - namedAtMost} more`];
  if (parts.length > 0) return parts;
  const near = nearest(
    name,
    runs.list({ trials: true }).map((run) => run.name),
  );
  return near === undefined ? [] : [near];
}
