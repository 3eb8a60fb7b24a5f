/** A page with `useChat` of AI SDK, over Preact: what it gets of a message is in the page, part by part. */
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { h, render } from "preact";

/** `?api=PATH`: where the chat is. */
const api = new URLSearchParams(location.search).get("api") ?? "/chat";

type Part = {
  readonly type: string;
  readonly text?: string;
  readonly state?: string;
  readonly output?: unknown;
};

function Chat() {
  const { messages, sendMessage, status, error } = useChat({ transport: new DefaultChatTransport({ api }) });
  return h(
    "main",
    { "data-status": status },
    ...messages.map(({ id, role, parts }) =>
      h(
        "article",
        { key: id, "data-role": role },
        ...(parts as readonly Part[]).map((part, at) =>
          h(
            "p",
            { key: at, "data-part": part.type, "data-state": part.state },
            part.text ?? JSON.stringify(part.output ?? null),
          ),
        ),
      ),
    ),
    h("output", null, error?.message ?? ""),
    h("button", { type: "button", onClick: () => void sendMessage({ text: "find a" }) }, "Ask"),
  );
}

render(h(Chat, null), document.body);
