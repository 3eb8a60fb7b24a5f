/** `h.runs`: what the store of the runs holds. */
import { questionPlace } from "../../durable/index.ts";
import { inStoreOr, missingRun, runWholeNamed } from "../../host/command/index.ts";
import type { Store, StoredRunSummary } from "../../store/index.ts";
import { harnError } from "../errors.ts";
import type { Question, RunEvent, RunRow, Runs } from "../types.ts";
import { thrownFailure } from "./failures.ts";
import { keepProgramAnswer, questionForProgram } from "./shown-question.ts";

/** Runs of a page, where no limit is given. */
const usualLimit = 100;

export class StoredRuns implements Runs {
  /** Works in a process whose state folder is that of the runs. */
  private readonly within: <T>(work: () => T) => T;

  constructor(within: <T>(work: () => T) => T) {
    this.within = within;
  }

  private async work<T>(run: string, work: () => T): Promise<Awaited<T>> {
    try {
      return await this.within(work);
    } catch (error) {
      throw thrownFailure(run, error);
    }
  }

  async list({
    limit = usualLimit,
    after,
  }: {
    limit?: number;
    after?: string;
  } = {}): Promise<readonly RunRow[]> {
    return await this.work(after ?? "", () =>
      inStoreOr(
        (): readonly RunRow[] => {
          if (after !== undefined) throw missingRun(after);
          return [];
        },
        (store) => {
          const from = after === undefined ? undefined : runWholeNamed(store, after);
          return (store.runs.page({ limit, after: from }) ?? []).map(runRowOf);
        },
      ),
    );
  }

  async get(run: string): Promise<RunRow | undefined> {
    return await this.work(run, () =>
      inStoreOr(nothing, (store) => {
        const found = store.runs.find(run);
        return found === undefined ? undefined : runRowOf(found);
      }),
    );
  }

  async *events(run: string, after = 0): AsyncGenerator<RunEvent, void, undefined> {
    const found = await this.work(run, async () => {
      const found = workOnRun(run, (store) => store.runs.find(run));
      if (found === undefined) throw missingRun(run);
      const { recordedEvents, seenRun } = await import("../../server/local/index.ts");
      return await recordedEvents(found.name, seenRun(found));
    });
    for (const event of found?.events ?? []) if (event.seq > after) yield event as unknown as RunEvent;
    if (found?.problem !== undefined) throw thrownFailure(run, found.problem);
  }

  async questions(run: string): Promise<readonly Question[]> {
    return await this.work(run, () => workOnRun(run, (store) => openOf(store, run).map(questionForProgram)));
  }

  /** In a process of these runs. */
  openQuestions(run: string): readonly Question[] {
    return inStoreOr(
      (): readonly Question[] => [],
      (store) => openOf(store, run).map(questionForProgram),
    );
  }

  async answer(run: string, question: string, value: unknown): Promise<void> {
    await this.work(run, () =>
      workOnRun(run, (store) => {
        const place = questionPlace(question)?.place;
        const found = openOf(store, run).find((one) => one.place === place);
        if (found === undefined)
          throw harnError("HARN-LIB-001", `${run} waits for no answer to ${question}`, { run });
        keepProgramAnswer(store, found, value);
      }),
    );
  }

  async export(run: string, file: string): Promise<void> {
    const { exportRun } = await import("../../run/index.ts");
    await this.work(run, () => workOnRun(run, (store) => exportRun(store, run, file)));
  }

  async import(file: string): Promise<string> {
    const { importFile } = await import("../../run/index.ts");
    return await this.work(file, () => importFile(file));
  }

  async remove(run: string): Promise<void> {
    await this.work(run, () => workOnRun(run, (store) => store.runs.delete(run)));
  }
}

const nothing = (): undefined => undefined;

/** Works on a run that is there. */
const workOnRun = <T>(run: string, work: (store: Store) => T): T =>
  inStoreOr(
    (): T => {
      throw missingRun(run);
    },
    (store) => {
      runWholeNamed(store, run);
      return work(store);
    },
  );

const openOf = (store: Store, run: string) =>
  store.runs.has(run) ? store.runs.questions.of(run).filter(({ answer }) => answer === undefined) : [];

const runRowOf = (summary: Omit<StoredRunSummary, "records">): RunRow => ({
  run: summary.name,
  status: summary.state,
  script: summary.entry,
  began: summary.began,
  ended: summary.ended ?? null,
  exit_code: summary.exitCode ?? null,
  outcome: summary.outcome ?? null,
  parent: summary.parent ?? null,
});
