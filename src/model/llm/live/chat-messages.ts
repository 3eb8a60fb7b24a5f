/** Messages in the shape of Chat Completions. */
import type { ProviderSpec } from "../catalogue/providers.ts";
import { textOfMessage } from "../content.ts";
import type { ContentBlock, JsonObject, ModelMessage, ModelRequest } from "../port.ts";
import { answeredLiveCall, sentArguments, splitSystem } from "./call.ts";
import { AnswerFault } from "./faults.ts";

/** Servers whose Qwen models think unless the system text says otherwise. */
const noThinkServers = new Set(["ollama", "llamacpp", "local", "mlx"]);

/** The `messages` field. `words` is put at the end of the system text. */
export function chatMessages(
  request: ModelRequest,
  provider: ProviderSpec,
  words: string | null,
): JsonObject[] {
  const { system, messages } = splitSystem(request);
  const said = [noThink(request, provider) ? withNoThink(system) : system, words ?? ""].filter(
    (part) => part !== "",
  );
  const out: JsonObject[] = said.length > 0 ? [{ role: "system", content: said.join("\n\n") }] : [];
  for (const message of messages) out.push(chatMessage(message, provider.name));
  // Hosted vendors refuse an open assistant turn; local servers go on with it.
  if (request.prefill && provider.local) out.push({ role: "assistant", content: request.prefill });
  return out;
}

function noThink(request: ModelRequest, provider: ProviderSpec): boolean {
  return (
    request.thinking?.mode === "disabled" && noThinkServers.has(provider.name) && /qwen/i.test(request.model)
  );
}

function withNoThink(system: string): string {
  return system.includes("/no_think") ? system : `/no_think${system === "" ? "" : `\n${system}`}`;
}

function chatMessage(message: ModelMessage, provider: string): JsonObject {
  if (message.role === "tool" || message.role === "tool_result") {
    return { role: "tool", tool_call_id: answeredLiveCall(message) ?? "", content: textOfMessage(message) };
  }
  if (message.role === "assistant") return assistant(message, provider);
  const role = message.role === "system" || message.role === "developer" ? "system" : "user";
  if (typeof message.content === "string") return { role, content: message.content };
  return { role, content: (message.content ?? []).map((block) => part(block, provider)) };
}

/** What the answer carried besides text and calls, and its own server wants back with the calls. */
function sealedIn(message: ModelMessage, provider: string): JsonObject[] {
  return (message.reasoning ?? [])
    .filter((part) => part.protocol === "openai_chat" && part.provider === provider)
    .map(({ item }) => item);
}

/** DeepSeek refuses a call without it once it thinks; it may be empty. */
function thoughtsOfMessage(sealed: readonly JsonObject[], provider: string): JsonObject {
  const own = sealed.find((item) => item.tool_call_id === undefined);
  return own ?? (provider === "deepseek" ? { reasoning_content: "" } : {});
}

function assistant(message: ModelMessage, provider: string): JsonObject {
  const text = textOfMessage(message);
  const sealed = sealedIn(message, provider);
  const extraOf = (id: string): JsonObject => {
    const found = sealed.find((item) => item.tool_call_id === id);
    return found === undefined ? {} : { extra_content: found.extra_content };
  };
  const calls = (message.tool_calls ?? []).map((call) => ({
    id: call.id,
    type: "function",
    ...extraOf(call.id),
    function: { name: call.name, arguments: JSON.stringify(sentArguments(call.arguments)) },
  }));
  if (calls.length === 0) return { role: "assistant", content: text };
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...thoughtsOfMessage(sealed, provider),
    tool_calls: calls,
  };
}

function imagePart(block: Extract<ContentBlock, { type: "image" }>, provider: string): JsonObject {
  const image = { url: block.url ?? dataUrl(block.base64, block.media_type ?? "image/png") };
  // Ollama loads no addresses.
  if (block.url && provider === "ollama")
    throw new AnswerFault("generic", "ollama takes images as base64 only, not by url");
  return { type: "image_url", image_url: block.detail ? { ...image, detail: block.detail } : image };
}

function part(block: ContentBlock, provider: string): JsonObject {
  switch (block.type) {
    case "text":
    case "output_text":
    case "reasoning":
      return { type: "text", text: block.text };
    case "image":
      return imagePart(block, provider);
    case "audio":
      return {
        type: "input_audio",
        input_audio: {
          data: block.base64,
          format: block.media_type.replace(/^audio\/(?:x-|mpeg$)?/, "") || "mp3",
        },
      };
    case "pdf":
    case "document":
      if (block.base64 === undefined)
        throw new AnswerFault("generic", `${provider} takes documents as base64 only, not by url`);
      return {
        type: "file",
        file: {
          filename: block.name ?? "document.pdf",
          file_data: dataUrl(block.base64, block.media_type ?? "application/pdf"),
        },
      };
    case "video":
      return {
        type: "video_url",
        video_url: { url: block.url ?? dataUrl(block.base64, block.media_type ?? "video/mp4") },
      };
    default:
      throw new AnswerFault(
        "generic",
        `unknown content block type ${JSON.stringify((block as { type: unknown }).type)}`,
      );
  }
}

/** A file inside an address. */
export function dataUrl(base64: string | undefined, mediaType: string): string {
  return `data:${mediaType};base64,${base64 ?? ""}`;
}
