/** The store as commands see it: where it is, and its errors as what people read. */
import { JournalProblem } from "../../effects/index.ts";
import { ownProcess, ownVariables } from "../../process/index.ts";
import {
  ownPlaceCheck,
  type StatePlaces,
  type Store,
  StoreError,
  statePlacesOf,
  withStore,
} from "../../store/index.ts";
import { exitCode } from "./exit-codes.ts";
import { UsageError } from "./usage-error.ts";

/** The state folder of this process. */
export const ownStateFolder = (): string => ownStatePlaces().state;

/** Where this process finds what outlives runs of the project that a folder belongs to. */
export const ownStatePlaces = (cwd = ownProcess().cwd()): StatePlaces => statePlacesOf(cwd, ownVariables());

/** A file of ours in the state folder, not reached through a link of the project. */
export function ownFile(path: string): string {
  ownPlaceCheck(ownStatePlaces(), (text) => new UsageError(text, exitCode.failed))(path);
  return path;
}

/** Works on the store of the project; what it refuses is one clear error. */
export function inStore<T>(work: (store: Store) => T): T {
  return explained(() => withStore(ownStateFolder(), work));
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
  if (error instanceof StoreError) {
    return new UsageError(
      [error.message, ...error.advice.map((line) => `  ${line}`)].join("\n"),
      exitCode.failed,
    );
  }
  if (error instanceof JournalProblem) return new UsageError(problemText(error), exitCode.failed);
  return error;
}

/** A journal's problem in a few lines: what, both sides, what to do. */
export function problemText(problem: JournalProblem): string {
  return [problem.message, ...problem.details.map((line) => `  ${line}`)].join("\n");
}

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
