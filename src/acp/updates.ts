/**
 * Sends an editor what happens in a run: `events/projections/editor-updates.ts` says what; here calls get the ids that the
 * editor knows them by, plans are kept, and it is remembered what was shown.
 */
import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk";
import { askedAs, type EditorStep, editorSteps, type RunEvent } from "../events/index.ts";

/** Sends one update, in order. */
export type SendUpdate = (update: SessionUpdate) => void;

export class UpdateWriter {
  private readonly send: SendUpdate;
  /** Our ids by the identity of a call: a session of an editor may have several runtimes, whose identities begin anew. */
  private readonly calls = new Map<string, string>();
  /** The same by session and the model's id: the latest one. */
  private readonly asked = new Map<string, string>();
  private calledSoFar = 0;
  private plan: PlanEntry[] = [];
  /** What was shown as message in this prompt. */
  shown = "";

  constructor(send: SendUpdate) {
    this.send = send;
  }

  /** A new prompt begins. */
  begin(): void {
    this.shown = "";
    this.calls.clear();
    this.asked.clear();
  }

  message(text: string): void {
    if (text === "") return;
    this.shown += text;
    this.send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  /** What the script prints; not again what a loop has shown word for word. */
  printed(text: string): void {
    const bare = inOneLine(text);
    if (bare !== "" && inOneLine(this.shown).includes(bare)) return;
    this.message(text);
  }

  add(event: RunEvent): void {
    for (const step of editorSteps(event)) this.take(step);
  }

  /** The id of a call as the editor knows it; undefined for calls that it was not told of. */
  idOf(sessionId: string, callId: string): string | undefined {
    return this.asked.get(askedAs(sessionId, callId));
  }

  private take(step: EditorStep): void {
    switch (step.step) {
      case "message":
        this.message(step.text);
        break;
      case "thought":
        this.thought(step.text, step.meta);
        break;
      case "paragraph":
        if (this.shown !== "" && !this.shown.endsWith("\n")) this.message("\n\n");
        break;
      case "call": {
        const toolCallId = `call_${++this.calledSoFar}`;
        this.calls.set(step.call, toolCallId);
        this.asked.set(step.asked, toolCallId);
        this.send({ sessionUpdate: "tool_call", toolCallId, ...step.update });
        break;
      }
      case "result": {
        const toolCallId = this.calls.get(step.call);
        if (toolCallId !== undefined)
          this.send({ sessionUpdate: "tool_call_update", toolCallId, ...step.update });
        break;
      }
      case "plan":
        this.plan = step.replace ? step.entries : mergedPlan(this.plan, step.entries);
        this.send({ sessionUpdate: "plan", entries: this.plan });
        break;
    }
  }

  private thought(text: string, meta?: Readonly<Record<string, unknown>>): void {
    if (text === "") return;
    const _meta = meta === undefined ? {} : { _meta: { ...meta } };
    this.send({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text }, ..._meta });
  }
}

/** Entries of the same words are brought up to date, others follow. */
function mergedPlan(plan: readonly PlanEntry[], entries: readonly PlanEntry[]): PlanEntry[] {
  let all = [...plan];
  for (const entry of entries) {
    const at = all.findIndex(({ content }) => content === entry.content);
    all = at < 0 ? [...all, entry] : all.with(at, entry);
  }
  return all;
}

/** Without the layout: paragraphs are put between turns. */
const inOneLine = (said: string): string => said.replaceAll(/\s+/g, " ").trim();
