/** HTTP exchanges over Node: whole answers, and answers that are read piece by piece; their bodies decompressed and limited. */
import type { Readable } from "node:stream";
import { Deadline, unlessAborted } from "../deadline.ts";
import { HostError, type HttpBody, type HttpRequest, type HttpResponse, type Network } from "../ports.ts";
import { failure } from "./node-http-errors.ts";
import { answerOf, exchangeHop, type HopAnswer, type HopResponse, type SendHop } from "./node-http-hops.ts";

type Heading = Omit<HttpResponse, "body">;

/** Everything of an answer but its body. */
function headingOf({ answer: { status, headers }, hop }: HopAnswer): Heading {
  return { status, headers, finalUrl: hop.url.href };
}

/** Reads the body, decompressed, up to the limit. */
async function wholeBody(
  answered: HopAnswer,
  settings: HttpRequest,
  onData: ((chunk: Uint8Array) => void) | undefined,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const data of bodyPieces(answered, settings)) {
      if (onData === undefined) chunks.push(data);
      else onData(data);
    }
  } catch (error) {
    answered.answer.close();
    if (signal.aborted) throw signal.reason;
    throw failure(error, answered.hop.url);
  }
  return Buffer.concat(chunks);
}

/** The body in the pieces that the network gives; more than the limit is an error as soon as it is known. */
async function* bodyPieces({ answer, hop }: HopAnswer, settings: HttpRequest): AsyncGenerator<Uint8Array> {
  const declared = Number(answer.header("content-length") ?? 0);
  if (declared > settings.maxBytes && hop.method !== "HEAD") throw tooBig(settings.maxBytes, declared);
  let size = 0;
  for await (const chunk of decodedBody(answer, settings, hop.method)) {
    const data = chunk as Uint8Array;
    size += data.length;
    if (size > settings.maxBytes) throw tooBig(settings.maxBytes, undefined);
    yield data;
  }
  if (answer.broken !== undefined) throw answer.broken;
}

/**
 * A body in progress. One pull at a time is in progress; a reader that gives up leaves it, and its piece goes to the next
 * reader. What is not read stays in the network: nothing here grows.
 */
class NodeHttpBody implements HttpBody {
  readonly status: number;
  readonly headers: HttpBody["headers"];
  readonly finalUrl: string;
  private readonly answered: HopAnswer;
  private readonly life: Deadline;
  private readonly source: AsyncGenerator<Uint8Array>;
  private pulling: Promise<IteratorResult<Uint8Array>> | undefined;
  private rest: Uint8Array | undefined;
  /** Readers take turns. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(answered: HopAnswer, settings: HttpRequest, life: Deadline) {
    ({ status: this.status, headers: this.headers, finalUrl: this.finalUrl } = headingOf(answered));
    this.answered = answered;
    this.life = life;
    this.source = bodyPieces(answered, settings);
  }

  read(max: number, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const piece = this.turn.then(() => this.next(max, signal));
    this.turn = piece.catch(() => {});
    return piece;
  }

  private async next(max: number, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    const data = this.rest ?? (await this.pull(signal));
    if (data === undefined) return undefined;
    this.rest = data.length > max ? data.subarray(max) : undefined;
    return data.length > max ? data.subarray(0, max) : data;
  }

  private async pull(signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    this.pulling ??= this.source.next();
    try {
      const next = await unlessAborted(this.pulling, signal);
      this.pulling = undefined;
      if (next.done !== true) return next.value;
      this.life.clear();
      return undefined;
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      this.close();
      if (this.life.signal.aborted) throw this.life.signal.reason;
      throw failure(error, this.answered.hop.url);
    }
  }

  close(): void {
    this.life.clear();
    // A pull in progress fails then, and nobody waits for it any more.
    this.pulling?.catch(() => {});
    this.answered.answer.close();
  }
}

function tooBig(limit: number, declared: number | undefined): HostError {
  const what = declared === undefined ? "response body" : `response body of ${declared} bytes`;
  return new HostError("EFBIG", `${what} exceeds max_response_bytes (${limit})`);
}

/** The body as the server meant it. */
function decodedBody(answer: HopResponse, settings: HttpRequest, method: string): Readable {
  const { body, status } = answer;
  const coding = answer.coding.trim().toLowerCase();
  const empty = method === "HEAD" || status === 204 || status === 304;
  if (!settings.decompress || coding === "" || empty) return body;
  const zlib = process.getBuiltinModule("node:zlib");
  const decoders: Readonly<Record<string, (() => NodeJS.ReadWriteStream) | undefined>> = {
    gzip: () => zlib.createGunzip(),
    "x-gzip": () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
    zstd: () => zlib.createZstdDecompress(),
  };
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding]?.() : undefined;
  if (decoder === undefined) return body;
  const stream = decoder as unknown as Readable;
  body.once("error", (error) => stream.destroy(error));
  body.pipe(decoder);
  return stream;
}

/** Exchanges whose hops are sent in one way: over connections of our own, or by a program's `fetch`. */
export function exchangesOver(send: SendHop): Pick<Network, "request" | "open"> {
  return {
    request: async (request, options = {}) => {
      const deadline = new Deadline(request.timeoutMs, options.signal);
      try {
        const answered = await answerOf(send, request, options, deadline);
        const body = await wholeBody(answered, request, options.onData, deadline.signal);
        return { ...headingOf(answered), body };
      } finally {
        deadline.clear();
      }
    },
    open: async (request, options = {}) => {
      const head = new Deadline(request.timeoutMs, options.signal);
      const life = new Deadline(request.totalTimeoutMs, head.signal);
      try {
        return new NodeHttpBody(await answerOf(send, request, options, life), request, life);
      } catch (error) {
        life.clear();
        throw error;
      } finally {
        head.clear();
      }
    },
  };
}

export const nodeExchanges = exchangesOver(exchangeHop);
