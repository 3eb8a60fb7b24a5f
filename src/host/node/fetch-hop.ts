/**
 * A request of a chain of redirects, sent by a program's own `fetch`. Its bounds hold whatever that function does with its signal. What
 * it gives is decoded already, and its connections are its own: settings of ours for them are refused.
 */
import { Readable } from "node:stream";
import { type Deadline, unlessAborted } from "../deadline.ts";
import { HostError, type HttpHooks, type HttpRequest } from "../ports.ts";
import { JudgedLookup } from "./judged-lookup.ts";
import { failure } from "./node-http-errors.ts";
import { type Hop, type HopResponse, joinedHeaders, type SendHop } from "./node-http-hops.ts";

export const hopsBy =
  (ask: typeof fetch): SendHop =>
  async (hop, settings, deadline, hooks) => {
    deadline.signal.throwIfAborted();
    mustLeaveConnections(settings);
    await judgeAddresses(hop.url, hooks);
    const silence = new Silence(settings.readTimeoutMs, deadline);
    try {
      const response = await silence.during(
        unlessAborted(Promise.resolve(ask(hop.url.href, initOf(hop, settings, deadline))), deadline.signal),
      );
      if (typeof response?.status !== "number" || typeof response.headers?.get !== "function")
        throw new HostError("EPROTO", `the program's \`fetch\` gave no Response (${hop.url.host})`);
      return new FetchedAnswer(response, silence, deadline.signal);
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : fetchFailure(error, hop.url);
    }
  };

function mustLeaveConnections({ proxy, tls }: HttpRequest): void {
  if (proxy === undefined && tls === undefined) return;
  throw new HostError(
    "EINVAL",
    `builder error: the program sends requests by its own \`fetch\`, which makes the connections: \`${proxy === undefined ? "tls" : "proxy"}\` can't be set here`,
  );
}

/** What a name means here is judged before the function is asked. A name that only the function knows has no address to judge. */
async function judgeAddresses({ hostname, href }: URL, { resolved }: HttpHooks): Promise<void> {
  if (resolved === undefined) return;
  const judged = new JudgedLookup((address) => resolved(href, address));
  const name = hostname.replace(/^\[(.*)\]$/, "$1");
  await new Promise<void>((done) => judged.lookup(name, { all: true }, () => done()));
  if (judged.refused !== undefined) throw judged.refused.why;
}

function initOf(hop: Hop, { decompress }: HttpRequest, { signal }: Deadline): RequestInit {
  const headers = new Map(hop.headers);
  headers.delete("content-length");
  if (!decompress && !headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  const body = hop.body === undefined ? {} : { body: hop.body as Uint8Array<ArrayBuffer> };
  return { method: hop.method, headers: [...headers], redirect: "manual", signal, ...body };
}

/** What `fetch` rejects with says little by itself; its cause is the error of the connection. */
function fetchFailure(error: unknown, url: URL): unknown {
  if (!(error instanceof Error)) return error instanceof HostError ? error : failure(error, url);
  const cause = error.cause ?? error;
  if (cause instanceof HostError || typeof (cause as { code?: unknown }).code === "string")
    return failure(cause, url);
  return new HostError("EIO", `${error.message} (${url.host})`);
}

/** The longest silence of the server: while it is waited for, not while nobody reads. */
class Silence {
  private readonly ms: number | undefined;
  private readonly deadline: Deadline;

  constructor(ms: number | undefined, deadline: Deadline) {
    this.ms = ms;
    this.deadline = deadline;
  }

  async during<T>(work: Promise<T>): Promise<T> {
    const { ms, deadline } = this;
    if (ms === undefined) return await work;
    const words = `Deadline exceeded: the server was silent for ${ms} ms`;
    const timer = setTimeout(() => deadline.expire(words), ms);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }
}

class FetchedAnswer implements HopResponse {
  readonly status: number;
  readonly headers: HopResponse["headers"];
  readonly cookies: readonly string[];
  /** What `fetch` gives is what the server meant. */
  readonly coding = "";
  readonly body: Readable;
  readonly broken = undefined;
  readonly header: HopResponse["header"];
  private readonly source: ReadableStream<Uint8Array> | null;

  constructor({ status, headers, body }: Response, silence: Silence, signal: AbortSignal) {
    this.status = status;
    this.headers = joinedHeaders(headers);
    this.cookies = headers.getSetCookie();
    this.header = (name) => headers.get(name) ?? undefined;
    this.source = body;
    this.body = Readable.from(body === null ? [] : piecesOfBody(body, silence, signal));
  }

  close(): void {
    this.body.destroy();
    // Nobody has begun to read it: its connection would be kept.
    if (this.source?.locked === false) void this.source.cancel().catch(() => {});
  }
}

async function* piecesOfBody(
  body: ReadableStream<Uint8Array>,
  silence: Silence,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const next = await silence.during(unlessAborted(reader.read(), signal));
      if (next.done) return;
      if (next.value.length > 0) yield next.value;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
