/** What a turn says, as AI SDK's harnesses say it. */
import type { AiSdkChunk } from "../web/ai-sdk-chunks.ts";
import type { FinishReason, JsonValue, StreamPart, TokenUsage } from "./contract.ts";

export class PartsOfTurn {
  /** Tools whose calls and results are told where they are handed over. */
  private readonly handedOver: ReadonlySet<string>;
  private readonly emit: (part: StreamPart) => void;
  private readonly names = new Map<string, string>();
  private hasCalled = false;

  constructor(handedOver: ReadonlySet<string>, emit: (part: StreamPart) => void) {
    this.handedOver = handedOver;
    this.emit = emit;
  }

  of(chunk: AiSdkChunk): void {
    const part = this.partOf(chunk);
    if (part !== undefined) this.emit(part);
  }

  private partOf(chunk: AiSdkChunk): StreamPart | undefined {
    switch (chunk.type) {
      case "start":
        return { type: "stream-start" };
      case "start-step":
        this.hasCalled = false;
        return undefined;
      case "finish-step": {
        const finishReason = finishWord(this.hasCalled ? "tool-calls" : "stop");
        return { type: "finish-step", finishReason, usage: usagePart(undefined, undefined) };
      }
      case "text-start":
      case "text-end":
      case "reasoning-start":
      case "reasoning-end":
      case "text-delta":
      case "reasoning-delta":
        return chunk;
      case "tool-input-available":
        return this.call(chunk);
      case "tool-output-available":
        return this.result(chunk.toolCallId, chunk.output as JsonValue, false);
      case "tool-output-error":
        return this.result(chunk.toolCallId, chunk.errorText, true);
      case "error":
        return { type: "error", error: new Error(chunk.errorText) };
      case "data-question":
      case "abort":
        return { type: "raw", rawValue: chunk };
      case "finish": {
        const { status, usage: used } = chunk.messageMetadata;
        const finishReason = finishWord(chunk.finishReason, status);
        return { type: "finish", finishReason, totalUsage: usagePart(used.input, used.output) };
      }
    }
  }

  private call({
    toolCallId,
    toolName,
    input,
  }: Extract<AiSdkChunk, { type: "tool-input-available" }>): StreamPart | undefined {
    this.hasCalled = true;
    this.names.set(toolCallId, toolName);
    if (this.handedOver.has(toolName)) return undefined;
    return { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input), providerExecuted: true };
  }

  private result(toolCallId: string, output: JsonValue, isError: boolean): StreamPart | undefined {
    const toolName = this.names.get(toolCallId) ?? "";
    if (this.handedOver.has(toolName)) return undefined;
    const result = output ?? "";
    return { type: "tool-result", toolCallId, toolName, result, ...(isError ? { isError } : {}) };
  }
}

const finishWord = (unified: FinishReason["unified"], raw: string = unified): FinishReason => ({
  unified,
  raw,
});

const usagePart = (input: number | undefined, output: number | undefined): TokenUsage => ({
  inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: output, text: undefined, reasoning: undefined },
});
