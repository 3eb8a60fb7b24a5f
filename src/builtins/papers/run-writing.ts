/**
 * The desk of a run: papers, library, notes and sources in the project's store. Everything about writing is loaded by the first
 * effect that needs it.
 */
import { conversationOperations } from "../../durable/index.ts";
import type { Task } from "../../interp/index.ts";
import { fromJson, sha256Hex, type Value } from "../../values/index.ts";
import { stateErrorInWords, stateLedger } from "../state/shown-state.ts";

type Writing = typeof import("../../writing/durable/index.ts");
type TextModule = typeof import("../../writing/text/index.ts");

export interface RunWriting {
  readonly papers: InstanceType<Writing["Papers"]>;
  readonly library: InstanceType<Writing["Library"]>;
  readonly notes: InstanceType<Writing["Notes"]>;
  readonly sources: InstanceType<Writing["Sources"]>;
  readonly writing: Writing;
  readonly text: TextModule;
  /** The text of a kept page. */
  readonly sourceText: (id: string) => string | undefined;
  /** The conversation that the run works for; null outside of one. */
  readonly conversation: string | null;
  /** Whose papers it makes: those of a run outside of conversations are nobody's but an administrator's. */
  readonly owner: string;
  readonly writer: (note?: string | undefined) => {
    readonly by: string;
    readonly run: string | null;
    readonly note: string | null;
    readonly key: string | undefined;
  };
}

/**
 * To be called by `run` of a builtin with an effect class: the effect is the one that was counted last. What `work` gives is
 * JSON.
 */
export function inWriting(task: Task, builtin: string, work: (desk: RunWriting) => unknown): Promise<Value> {
  // Before anything waits: another task may count effects of its own meanwhile, this one's place is known now.
  const place = `${task.scope.path}#${task.scope.effects - 1}`;
  return withWriting(task, builtin, place, work);
}

async function withWriting(
  task: Task,
  builtin: string,
  place: string,
  work: (desk: RunWriting) => unknown,
): Promise<Value> {
  const [writing, text] = await Promise.all([
    import("../../writing/durable/index.ts"),
    import("../../writing/text/index.ts"),
  ]);
  try {
    const result = await work(runWritingOf(task, place, writing, text));
    return fromJson((result ?? null) as never);
  } catch (error) {
    throw stateErrorInWords(builtin, error);
  }
}

function runWritingOf(task: Task, place: string, writing: Writing, text: TextModule): RunWriting {
  const { host } = task.runtime;
  const ledger = stateLedger(task);
  const run = task.runtime.recordedAs?.() ?? null;
  const desk = new writing.WritingStore(ledger, {
    now: () => host.clock.now(),
    uuid: () => writing.uuid7From(host.clock.now(), host.crypto.randomBytes(16)),
    sha256: (one) => sha256Hex(host.crypto, one),
  });
  const works = run === null ? null : ledger.operateSync(conversationOperations.ofRun, { run });
  const conversation = works?.conversation ?? null;
  const record =
    conversation === null ? null : ledger.operateSync(conversationOperations.get, { id: conversation });
  return {
    papers: new writing.Papers(desk),
    library: new writing.Library(desk),
    notes: new writing.Notes(desk),
    sources: new writing.Sources(desk),
    writing,
    text,
    sourceText: (id) => desk.sourceText(id),
    conversation,
    owner: record?.owner ?? "",
    writer: (note) => ({
      by: record?.agent ?? "agent",
      run,
      note: note ?? null,
      key: run === null ? undefined : `paper:${run}:${place}`,
    }),
  };
}
