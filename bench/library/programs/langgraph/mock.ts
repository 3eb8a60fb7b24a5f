import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { note } from "../weather.ts";

const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };

/** Asks for the weather; then answers with what the tool gave. */
class Mock extends BaseChatModel {
  _llmType(): string {
    return "mock";
  }

  override bindTools(): this {
    return this;
  }

  async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    note("model is asked");
    const parts = messages.some((message) => ToolMessage.isInstance(message))
      ? [{ content: '{"city":"Ghent",' }, { content: '"degrees":12}', usage_metadata: usage }]
      : [
          {
            content: "",
            usage_metadata: usage,
            tool_call_chunks: [
              {
                type: "tool_call_chunk" as const,
                id: "call-1",
                name: "weather",
                args: '{"city":"Ghent"}',
                index: 0,
              },
            ],
          },
        ];
    for (const part of parts) {
      const chunk = new ChatGenerationChunk({ text: part.content, message: new AIMessageChunk(part) });
      yield chunk;
      await runManager?.handleLLMNewToken(part.content, undefined, undefined, undefined, undefined, {
        chunk,
      });
    }
  }

  async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    let all: ChatGenerationChunk | undefined;
    for await (const chunk of this._streamResponseChunks(messages, options))
      all = all?.concat(chunk) ?? chunk;
    return { generations: all === undefined ? [] : [all] };
  }
}

export const model = new Mock({});
