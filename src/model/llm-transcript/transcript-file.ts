/**
 * One `llm_transcript.jsonl`: records are collected and appended in one recorded write. A folder that can't be written costs
 * a warning, not the work.
 */

import { redact, shape } from "../../effects/index.ts";
import { HostError } from "../../host/index.ts";
import { keptFiles, stateKey, type Task, wallMs } from "../../interp/index.ts";
import { variable } from "../../process/environment.ts";
import { type MaybePromise, ScriptError, sha256Hex, thrown, uncaughtText } from "../../values/index.ts";
import { warn } from "../conversation/publish.ts";
import type { JsonObject, ModelMessage, ModelRequest } from "../llm/index.ts";
import { type CallPlan, modelsOf, routingFields } from "../model-call/index.ts";
import { messageFields, requestFields, snapshotFields, type TranscriptFields } from "./records.ts";

import { type TemplateNote, takeTemplateNotes } from "./template-note.ts";

const fileName = "llm_transcript.jsonl";

/** What a file holds already, so that nothing is written twice, and what waits to be written. */
interface TranscriptState {
  system: string | null | undefined;
  tools: string;
  /** Messages of the log, by session. */
  readonly messages: Map<string, number>;
  pending: TranscriptFields[];
}

const filesWritten = stateKey<Map<string, TranscriptState>>("agent.llm transcripts", () => new Map());

/**
 * Handed every record, redacted, whether a file is written or not: the event log's topic `agent.transcript.llm`. Called
 * synchronously; must not throw. Only scripts may add one: making a record looks at the clock, which is journalled.
 */
export const recordSinks = stateKey<Set<(record: JsonObject) => void>>(
  "agent.llm transcript sinks",
  () => new Set(),
);

/** The file in this folder, or the one that the environment names; `null` when nobody wants records. */
export function transcriptFile(task: Task, text: string | null): TranscriptFile | null {
  const { env } = modelsOf(task);
  const folder = text ?? variable(env, "HARN_LLM_TRANSCRIPT_DIR") ?? "";
  if (folder === "" && task.runtime.state(recordSinks).size === 0) return null;
  const isFull = folder === "" || /^(\/|[A-Za-z]:[\\/])/.test(folder);
  const full = isFull ? folder : `${task.runtime.host.cwd}/${folder}`;
  return new TranscriptFile(task, full, variable(env, "HARN_LLM_TRANSCRIPT_VERBOSE") === "1");
}

export class TranscriptFile {
  readonly written: TranscriptState;
  private readonly task: Task;
  /** "" writes no file: the records go to the sinks. */
  private readonly folder: string;
  private readonly verbose: boolean;
  private warned = false;

  constructor(task: Task, folder: string, verbose: boolean) {
    this.task = task;
    this.folder = folder;
    this.verbose = verbose;
    const files = task.runtime.state(filesWritten);
    this.written = files.get(folder) ?? { system: undefined, tools: "[]", messages: new Map(), pending: [] };
    files.set(folder, this.written);
  }

  /** Written with what comes next. */
  add(type: string, fields: TranscriptFields): void {
    this.written.pending.push({ type, ...fields });
  }

  message(message: ModelMessage, iteration: number): void {
    this.add("message", { ...messageFields(message), iteration });
  }

  /** What a call is made of: templates rendered for it, system text and tools when they are others than last time. */
  surroundings(request: ModelRequest): void {
    const { written } = this;
    for (const note of takeTemplateNotes(this.task)) this.template(note, request);
    const system = request.system ?? null;
    if (system !== written.system) {
      written.system = system;
      this.add("system_prompt", { content: system, hash: this.digest(system ?? "") });
    }
    const schemas = JSON.stringify(request.tools ?? []);
    if (schemas === written.tools) return;
    written.tools = schemas;
    this.add("tool_schemas", { schemas: request.tools ?? [], hash: this.digest(schemas) });
  }

  request(request: ModelRequest, call: TranscriptFields, plan: CallPlan, format: string | null): void {
    this.add("provider_call_request", {
      ...call,
      ...requestFields(request, format),
      ...(plan.routing === null ? {} : routingFields(plan.routing)),
      ...(this.verbose ? snapshotFields(request) : {}),
    });
  }

  private template({ path, text, bytes, branches }: TemplateNote, { provider, model }: ModelRequest): void {
    this.add("template.render", {
      uri: path === "" ? "inline:" : `file://${path}`,
      revision_hash: `sha256:${this.digest(text)}`,
      llm: { provider, model },
      branches,
      bytes,
    });
  }

  private digest(text: string): string {
    return sha256Hex(this.task.runtime.host.crypto, text);
  }

  /** One recorded append of what was collected. */
  async flush(): Promise<void> {
    const { pending } = this.written;
    if (pending.length === 0) return;
    this.written.pending = [];
    const timestamp = new Date(wallMs(this.task)).toISOString();
    const lines = pending.map(({ type, ...fields }) =>
      redact(JSON.stringify({ type, timestamp, span_id: null, ...fields })),
    );
    for (const sink of this.task.runtime.state(recordSinks))
      for (const line of lines) sink(JSON.parse(line) as JsonObject);
    if (this.folder === "") return;
    try {
      await this.append(`${lines.join("\n")}\n`);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      if (!this.warned) warn(this.task, `${this.folder}/${fileName} is not written: ${uncaughtText(error)}`);
      this.warned = true;
    }
  }

  private append(text: string): MaybePromise<null> {
    const files = keptFiles(this.task.runtime);
    const path = `${this.folder}/${fileName}`;
    const size = (): number | null => {
      try {
        return files.stat(path)?.size ?? null;
      } catch {
        return null;
      }
    };
    return this.task.perform<null>({
      effect: "write",
      kind: "llm_transcript.append",
      args: () => ({ path, text }),
      run: () => {
        try {
          files.makeDir(this.folder);
          files.append(path, text);
        } catch (error) {
          if (error instanceof HostError) throw thrown(error.message);
          throw error;
        }
        return null;
      },
      evidence: {
        before: size,
        after: (before) => (size() === before ? "undone" : "done"),
      },
      result: shape.nothing,
    });
  }
}
