/**
 * A server that speaks OpenAI's chat protocol for sets of evaluations: what it answers is a function of the request alone, and it
 * counts the requests. The behaviour of a provider under load (429, 500, delays) is the test's to say.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ChatRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly tool_calls?: unknown;
  }[];
  readonly tools?: readonly unknown[];
}

export interface ChatAnswer {
  readonly text?: string;
  readonly tool?: { readonly name: string; readonly arguments: object };
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly usage?: { readonly input: number; readonly output: number };
  /** Milliseconds before it is sent. */
  readonly delay?: number;
  /** The connection stays open, and nothing comes. */
  readonly never?: true;
}

export interface EvalServer {
  readonly url: string;
  /** How often each request came, by the digest of its model, messages and tools. */
  readonly seen: Map<string, number>;
  /** Requests so far. */
  readonly count: () => number;
  /** Resolves when so many have come. */
  reached(count: number): Promise<void>;
  close(): Promise<void>;
}

export const requestKey = ({ model, messages, tools }: ChatRequest): string =>
  createHash("sha256")
    .update(JSON.stringify([model, messages, tools ?? null]))
    .digest("hex");

export async function evalServer(
  answer: (request: ChatRequest, nth: number) => ChatAnswer,
  /** An answer is sent when this has resolved. */
  held: () => Promise<void> = () => Promise.resolve(),
): Promise<EvalServer> {
  const seen = new Map<string, number>();
  let count = 0;
  const waiting = new Map<() => void, number>();
  const server = createServer((incoming, outgoing) => {
    void body(incoming).then((text) => {
      const request = JSON.parse(text) as ChatRequest;
      const key = requestKey(request);
      const nth = (seen.get(key) ?? 0) + 1;
      seen.set(key, nth);
      count++;
      for (const [go, wanted] of waiting) if (count >= wanted && waiting.delete(go)) go();
      const said = answer(request, nth);
      if (said.never === true) return;
      setTimeout(() => void held().then(() => send(outgoing, request, said)), said.delay ?? 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    count: () => count,
    reached: (wanted) =>
      new Promise((resolve) => {
        if (count >= wanted) resolve();
        else waiting.set(resolve, wanted);
      }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function body(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function send(outgoing: ServerResponse, request: ChatRequest, answer: ChatAnswer): void {
  const { status = 200, text = "", tool, usage = { input: 10, output: 5 } } = answer;
  if (status !== 200) {
    outgoing.writeHead(status, { "content-type": "application/json", ...answer.headers });
    outgoing.end(JSON.stringify({ error: { message: `the server says ${status}`, type: "error" } }));
    return;
  }
  const calls =
    tool === undefined
      ? undefined
      : [
          {
            id: `call_${tool.name}`,
            type: "function",
            function: { name: tool.name, arguments: JSON.stringify(tool.arguments) },
          },
        ];
  const finish = tool === undefined ? "stop" : "tool_calls";
  const counts = {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
  };
  const head = { id: "chat_1", created: 0, model: request.model };
  if (request.stream !== true) {
    outgoing.writeHead(200, { "content-type": "application/json" });
    const message = { role: "assistant", content: tool === undefined ? text : null, tool_calls: calls };
    outgoing.end(
      JSON.stringify({
        ...head,
        object: "chat.completion",
        choices: [{ index: 0, finish_reason: finish, message }],
        usage: counts,
      }),
    );
    return;
  }
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  const delta = {
    role: "assistant",
    content: text,
    tool_calls: calls?.map((call) => ({ index: 0, ...call })),
  };
  const chunk = { ...head, object: "chat.completion.chunk" };
  const events = [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    { ...chunk, choices: [], usage: counts },
  ];
  outgoing.end(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`);
}
