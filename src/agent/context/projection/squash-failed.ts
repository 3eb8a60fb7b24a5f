/** `squash_failed_calls`: attempts that failed one after the other are sent as one line that says what went wrong. */
import { byRuntime, type LoggedMessage } from "../../../model/index.ts";
import { Projection } from "./projection.ts";
import { answeredCall, framedResults, resultLine } from "./tool-results.ts";

/** A turn with native calls whose results come in. */
interface CallSeries {
  readonly first: number;
  readonly open: Map<string, string>;
  readonly notes: string[];
  failed: boolean;
}

/** Failed attempts in a row: where they stand, and what they said. An attempt that begins at `to` continues it. */
interface Streak {
  readonly from: number;
  to: number;
  readonly id: string;
  readonly notes: string[];
}

const maxNoteLength = 200;

export class SquashFailed extends Projection {
  private attempt: CallSeries | null = null;
  private streak: Streak | null = null;

  protected override forget(): void {
    this.attempt = null;
    this.streak = null;
  }

  protected take(logged: LoggedMessage): void {
    const { message } = logged;
    const at = this.entries.length;
    this.push(logged);
    const answered = answeredCall(message);
    if (answered !== undefined) this.takeResult(logged, answered);
    else this.takeOther(logged, at);
  }

  private takeOther({ message }: LoggedMessage, at: number): void {
    const calls = message.tool_calls ?? [];
    this.attempt =
      calls.length === 0
        ? null
        : { first: at, open: new Map(calls.map(({ id, name }) => [id, name])), notes: [], failed: true };
    const frames = framedResults(message);
    if (
      frames.length > 0 &&
      frames.every(({ failed }) => failed) &&
      this.entries[at - 1]?.message.role === "assistant"
    )
      this.failedFrom(
        at - 1,
        frames.map(({ tool, line }) => `${tool}: ${line}`),
      );
  }

  private takeResult(logged: LoggedMessage, call: string): void {
    const { attempt } = this;
    const tool = attempt?.open.get(call);
    if (attempt === null || tool === undefined) return;
    attempt.open.delete(call);
    attempt.notes.push(`${tool}: ${resultLine(logged.message)}`);
    if (logged.message.is_error !== true) attempt.failed = false;
    if (attempt.open.size > 0) return;
    this.attempt = null;
    if (attempt.failed) this.failedFrom(attempt.first, attempt.notes);
  }

  /** A failed attempt stands from `first` to the end. The second in a row makes the line, the others lengthen it. */
  private failedFrom(first: number, said: readonly string[]): void {
    const notes = said.map((note) => note.slice(0, maxNoteLength));
    const { streak } = this;
    if (streak === null || streak.to !== first) {
      this.streak = {
        from: first,
        to: this.entries.length,
        id: (this.entries[first] as LoggedMessage).id,
        notes,
      };
      return;
    }
    streak.notes.push(...notes);
    const content = `[${streak.notes.length} failed tool calls: ${streak.notes.join("; ")}]`;
    const line = { id: streak.id, message: { role: "user", content }, origin: byRuntime("projection") };
    this.replace(streak.from, this.entries.length - streak.from, line);
    streak.to = streak.from + 1;
  }
}
