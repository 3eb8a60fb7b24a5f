/**
 * `clean_tool_repair`: attempts that failed and that a later success of the same tool repaired are not sent any more. Natively
 * a call goes with its result; in the text format an attempt goes when everything in it was repaired.
 */
import type { LoggedMessage } from "../../../model/index.ts";
import { Projection } from "./projection.ts";
import { answeredCall, framedResults } from "./tool-results.ts";

interface FailedExchange {
  readonly assistantId: string;
  readonly call: string;
  readonly resultId: string;
}

interface FailedAttempt {
  readonly assistantId: string;
  readonly resultId: string;
  /** Tools that have not succeeded since. */
  readonly open: Set<string>;
}

export class CleanRepair extends Projection {
  /** Calls without a result so far, by id. */
  private calls = new Map<string, { assistantId: string; tool: string }>();
  private failed = new Map<string, FailedExchange[]>();
  private attempts: FailedAttempt[] = [];

  protected override forget(): void {
    this.calls = new Map();
    this.failed = new Map();
    this.attempts = [];
  }

  protected take(logged: LoggedMessage): void {
    const { message } = logged;
    const before = this.entries.at(-1);
    this.push(logged);
    for (const { id, name } of message.tool_calls ?? [])
      this.calls.set(id, { assistantId: logged.id, tool: name });
    const answered = answeredCall(message);
    if (answered !== undefined) this.takeResult(logged, answered);
    else this.takeFrames(logged, before);
  }

  private takeResult(logged: LoggedMessage, call: string): void {
    const made = this.calls.get(call);
    if (made === undefined) return;
    this.calls.delete(call);
    const { assistantId, tool } = made;
    if (logged.message.is_error !== true) {
      this.repair(tool);
      return;
    }
    const list = this.failed.get(tool) ?? [];
    list.push({ assistantId, call, resultId: logged.id });
    this.failed.set(tool, list);
  }

  private repair(tool: string): void {
    for (const failed of this.failed.get(tool) ?? []) this.dropCall(failed);
    this.failed.delete(tool);
    this.repairAttempts(tool);
  }

  private dropCall({ assistantId, call, resultId }: FailedExchange): void {
    const result = this.indexOf(resultId);
    if (result >= 0) this.replace(result, 1);
    const at = this.indexOf(assistantId);
    const entry = this.entries[at];
    if (entry === undefined) return;
    const { tool_calls: calls = [], ...rest } = entry.message;
    const left = calls.filter(({ id }) => id !== call);
    if (left.length > 0) this.replace(at, 1, { ...entry, message: { ...rest, tool_calls: left } });
    else if ((rest.content ?? "") === "") this.replace(at, 1);
    else this.replace(at, 1, { ...entry, message: rest });
  }

  private takeFrames(logged: LoggedMessage, before: LoggedMessage | undefined): void {
    const results = framedResults(logged.message);
    if (results.length === 0) return;
    for (const { tool, failed } of results) if (!failed) this.repairAttempts(tool);
    if (before?.message.role !== "assistant" || results.some(({ failed }) => !failed)) return;
    this.attempts.push({
      assistantId: before.id,
      resultId: logged.id,
      open: new Set(results.map(({ tool }) => tool)),
    });
  }

  private repairAttempts(tool: string): void {
    this.attempts = this.attempts.filter((attempt) => {
      if (!attempt.open.delete(tool) || attempt.open.size > 0) return true;
      for (const id of [attempt.resultId, attempt.assistantId]) {
        const at = this.indexOf(id);
        if (at >= 0) this.replace(at, 1);
      }
      return false;
    });
  }
}
