/**
 * Events of a run as AG-UI 1.0 has them. Pure: what was begun is ended, whatever the log leaves open, because clients refuse
 * a stream that is not balanced.
 */
import type { Conversations, StoredEnvelope } from "../../threads/index.ts";
import type { PassingEnvelope } from "../supervise/index.ts";
import { PromptTexts, wholeText } from "./live-texts.ts";

export type AguiEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

interface AguiUsage {
  provider: string;
  model: string;
  inputTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  cachedInputTokens: number;
}

type LogEnvelope = StoredEnvelope | PassingEnvelope;

/** Told by the adapter itself, or of no use to a client of a run. */
const unsaid: ReadonlySet<string> = new Set([
  "conversation.created",
  "conversation.state",
  "message.queued",
  "message.taken",
  "run.start",
  "run.end",
]);

export class AguiEvents {
  private readonly conversations: Conversations;
  private readonly stream: string;
  private readonly run: string;
  private readonly texts = new PromptTexts();
  private readonly thoughts = new PromptTexts();
  private readonly steps = new Map<string, string | undefined>();
  /** Of the run, whether begun here or before. */
  private readonly nested = new Map<string, StoredEnvelope>();
  private readonly begun = new Set<string>();
  private readonly usages = new Map<string, AguiUsage>();

  /** `before`: `loop.start` events of the run that came before this stream. */
  constructor(conversations: Conversations, stream: string, run: string, before: readonly StoredEnvelope[]) {
    this.conversations = conversations;
    this.stream = stream;
    this.run = run;
    for (const event of before)
      if (event.loop !== null && event.parent !== null) this.nested.set(event.loop, event);
  }

  of(event: LogEnvelope): AguiEvent[] {
    const stored = this.stored(event);
    return event.loop === null || event.type === "loop.start" || stored.length === 0
      ? stored
      : [...this.beginLoop(event.loop), ...stored];
  }

  /** Ends what is open. */
  ends(): AguiEvent[] {
    return [
      ...this.thoughts.open().flatMap((id) => this.endThought(id, "")),
      ...this.texts.open().flatMap((id) => this.endText(id, "")),
      ...[...this.steps].map(([stepName, loop]) =>
        this.inLoop(loop ?? null, { type: "STEP_FINISHED", stepName }),
      ),
      ...[...this.begun].reverse().map((loop) => this.finished(loop)),
    ];
  }

  get usage(): readonly AguiUsage[] {
    return [...this.usages.values()];
  }

  private stored(event: LogEnvelope): AguiEvent[] {
    const { type, loop, turn, call } = event;
    const data = event.data as Readonly<Record<string, unknown>>;
    const message = `${this.run}/${loop}.${turn}`;
    switch (type) {
      case "message.delta":
        return this.textPiece(message, loop, String(data.text));
      case "partial":
        return this.textPiece(message, loop, this.texts.news(message, String(data.text)));
      case "message.end": {
        if (data.role !== "assistant") return [];
        return this.endText(message, wholeText(this.conversations, this.stream, data.text), loop);
      }
      case "thought.delta":
        return this.thoughtPiece(`${message}.thought`, loop, String(data.text));
      case "thought.end":
        return this.endThought(
          `${message}.thought`,
          wholeText(this.conversations, this.stream, data.text),
          loop,
        );
      case "tool.start": {
        const toolCallId = String(call);
        const parent = this.texts.has(message) ? { parentMessageId: message } : {};
        return [
          { type: "TOOL_CALL_START", toolCallId, toolCallName: String(data.name), ...parent },
          { type: "TOOL_CALL_ARGS", toolCallId, delta: argumentsText(data.arguments) },
          { type: "TOOL_CALL_END", toolCallId },
        ].map((one) => this.inLoop(loop, one));
      }
      case "tool.end": {
        const content = wholeText(this.conversations, this.stream, data.result);
        const messageId = `${this.run}/${call}`;
        return [
          this.inLoop(loop, {
            type: "TOOL_CALL_RESULT",
            messageId,
            toolCallId: String(call),
            content,
            role: "tool",
          }),
        ];
      }
      case "loop.start":
        if (event.parent === null || loop === null) return [];
        this.nested.set(loop, event as StoredEnvelope);
        return this.beginLoop(loop);
      case "loop.end":
        if (loop === null || !this.nested.has(loop)) return [];
        return data.status === "failed" ? this.failedLoop(loop, data) : [this.finished(loop, data)];
      case "turn.start": {
        const stepName = `${loop}.${turn}`;
        if (this.steps.has(stepName)) return [];
        this.steps.set(stepName, loop ?? undefined);
        return [this.inLoop(loop, { type: "STEP_STARTED", stepName })];
      }
      case "turn.end": {
        const stepName = `${loop}.${turn}`;
        return this.steps.delete(stepName) ? [this.inLoop(loop, { type: "STEP_FINISHED", stepName })] : [];
      }
      case "usage":
        this.book(data);
        return [this.custom(event)];
      default:
        return unsaid.has(type) ? [] : [this.custom(event)];
    }
  }

  private custom(event: LogEnvelope): AguiEvent {
    return this.inLoop(event.loop, { type: "CUSTOM", name: `harn.${event.type}`, value: event });
  }

  /** Everything of a nested loop says of which. */
  private inLoop(loop: string | null, event: AguiEvent): AguiEvent {
    return loop !== null && this.nested.has(loop) ? { ...event, subagentRunId: this.nameOf(loop) } : event;
  }

  private nameOf(loop: string): string {
    return `${this.run}/${loop}`;
  }

  private beginLoop(loop: string): AguiEvent[] {
    const start = this.nested.get(loop);
    if (start === undefined || this.begun.has(loop) || start.parent === null) return [];
    const parent = start.parent;
    const above = this.beginLoop(parent.loop);
    this.begun.add(loop);
    const { name, task } = start.data as { readonly name?: unknown; readonly task?: unknown };
    return [
      ...above,
      {
        type: "SUBAGENT_STARTED",
        subagentRunId: this.nameOf(loop),
        name: typeof name === "string" && name !== "" ? name : loop,
        ...(typeof task === "string" ? { description: task.slice(0, 500) } : {}),
        ...(parent.call === null ? {} : { parentToolCallId: parent.call }),
        ...(this.nested.has(parent.loop) ? { parentSubagentRunId: this.nameOf(parent.loop) } : {}),
      },
    ];
  }

  private finished(loop: string, result?: unknown): AguiEvent {
    this.begun.delete(loop);
    this.nested.delete(loop);
    return {
      type: "SUBAGENT_FINISHED",
      subagentRunId: this.nameOf(loop),
      outcome: { type: "success" },
      ...(result === undefined ? {} : { result }),
    };
  }

  private failedLoop(loop: string, { stop_reason: code }: Readonly<Record<string, unknown>>): AguiEvent[] {
    this.begun.delete(loop);
    this.nested.delete(loop);
    const message = `the sub-agent failed: ${String(code)}`;
    return [{ type: "SUBAGENT_ERROR", subagentRunId: this.nameOf(loop), message, code: String(code) }];
  }

  private textPiece(messageId: string, loop: string | null, delta: string): AguiEvent[] {
    if (delta === "" || this.texts.isFinished(messageId)) return [];
    const isNew = !this.texts.has(messageId);
    this.texts.add(messageId, delta);
    return [
      ...(isNew ? [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }] : []),
      { type: "TEXT_MESSAGE_CONTENT", messageId, delta },
    ].map((one) => this.inLoop(loop, one));
  }

  private endText(messageId: string, whole: string, loop: string | null = null): AguiEvent[] {
    const wasOpen = this.texts.has(messageId);
    const rest = this.texts.rest(messageId, whole);
    if (!wasOpen && rest === "") return [];
    return [
      ...(wasOpen ? [] : [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }]),
      ...(rest === "" ? [] : [{ type: "TEXT_MESSAGE_CONTENT", messageId, delta: rest }]),
      { type: "TEXT_MESSAGE_END", messageId },
    ].map((one) => this.inLoop(loop, one));
  }

  private thoughtPiece(messageId: string, loop: string | null, delta: string): AguiEvent[] {
    if (delta === "" || this.thoughts.isFinished(messageId)) return [];
    const isNew = !this.thoughts.has(messageId);
    this.thoughts.add(messageId, delta);
    return [
      ...(isNew ? beginThought(messageId) : []),
      { type: "REASONING_MESSAGE_CONTENT", messageId, delta },
    ].map((one) => this.inLoop(loop, one));
  }

  private endThought(messageId: string, whole: string, loop: string | null = null): AguiEvent[] {
    const wasOpen = this.thoughts.has(messageId);
    const rest = this.thoughts.rest(messageId, whole);
    if (!wasOpen && rest === "") return [];
    return [
      ...(wasOpen ? [] : beginThought(messageId)),
      ...(rest === "" ? [] : [{ type: "REASONING_MESSAGE_CONTENT", messageId, delta: rest }]),
      { type: "REASONING_MESSAGE_END", messageId },
      { type: "REASONING_END", messageId },
    ].map((one) => this.inLoop(loop, one));
  }

  private book(data: Readonly<Record<string, unknown>>): void {
    const { provider, model, answer } = data as {
      readonly provider?: string;
      readonly model?: string;
      readonly answer?: Readonly<Record<string, number>>;
    };
    if (provider === undefined || model === undefined || answer === undefined) return;
    const key = `${provider} ${model}`;
    const none = { inputTokens: 0, outputTokens: 0, reasoningTokens: 0, cachedInputTokens: 0 };
    const before = this.usages.get(key) ?? { provider, model, ...none };
    this.usages.set(key, {
      provider,
      model,
      inputTokens: before.inputTokens + (answer.input ?? 0),
      outputTokens: before.outputTokens + (answer.output ?? 0),
      reasoningTokens: before.reasoningTokens + (answer.reasoning ?? 0),
      cachedInputTokens: before.cachedInputTokens + (answer.cached ?? 0),
    });
  }
}

const beginThought = (messageId: string): AguiEvent[] => [
  { type: "REASONING_START", messageId },
  { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
];

/** Arguments that could not be read stand as the text that came. */
const argumentsText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? {});
