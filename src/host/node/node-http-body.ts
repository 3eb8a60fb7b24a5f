/** The body of an answer: decompressed, limited, at once or piece by piece. */
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { Deadline } from "../deadline.ts";
import { HostError, type HttpBody, type HttpRequest, type HttpResponse } from "../ports.ts";
import { failure } from "./node-http-errors.ts";
import type { HopAnswer } from "./node-http-hops.ts";

type Heading = Omit<HttpResponse, "body">;

/** Everything of an answer but its body. */
export function headingOf({ answer: { message }, hop }: HopAnswer): Heading {
  return { status: message.statusCode ?? 0, headers: headersOf(message), finalUrl: hop.url.href };
}

/** Reads the body, decompressed, up to the limit. */
export async function wholeBody(
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
    answered.answer.request.destroy();
    if (signal.aborted) throw signal.reason;
    throw failure(error, answered.hop.url);
  }
  return Buffer.concat(chunks);
}

/** The body in the pieces that the network gives; more than the limit is an error as soon as it is known. */
async function* bodyPieces({ answer, hop }: HopAnswer, settings: HttpRequest): AsyncGenerator<Uint8Array> {
  const { message } = answer;
  const declared = Number(message.headers["content-length"] ?? 0);
  if (declared > settings.maxBytes && hop.method !== "HEAD") throw tooBig(settings.maxBytes, declared);
  let size = 0;
  for await (const chunk of decodedBody(message, settings, hop.method)) {
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
export class NodeHttpBody implements HttpBody {
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
    this.answered.answer.request.destroy();
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function tooBig(limit: number, declared: number | undefined): HostError {
  const what = declared === undefined ? "response body" : `response body of ${declared} bytes`;
  return new HostError("EFBIG", `${what} exceeds max_response_bytes (${limit})`);
}

/** The body as the server meant it. */
function decodedBody(message: IncomingMessage, settings: HttpRequest, method: string): Readable {
  const coding = (message.headers["content-encoding"] ?? "").trim().toLowerCase();
  const empty = method === "HEAD" || message.statusCode === 204 || message.statusCode === 304;
  if (!settings.decompress || coding === "" || empty) return message;
  const zlib = process.getBuiltinModule("node:zlib");
  const decoders: Readonly<Record<string, (() => NodeJS.ReadWriteStream) | undefined>> = {
    gzip: () => zlib.createGunzip(),
    "x-gzip": () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
    zstd: () => zlib.createZstdDecompress(),
  };
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding]?.() : undefined;
  if (decoder === undefined) return message;
  const stream = decoder as unknown as Readable;
  message.once("error", (error) => stream.destroy(error));
  message.pipe(decoder);
  return stream;
}

export function headersOf(message: IncomingMessage): [string, string][] {
  const joined = new Map<string, string>();
  const { rawHeaders } = message;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    const value = rawHeaders[i + 1] as string;
    const old = joined.get(name);
    joined.set(name, old === undefined ? value : `${old}, ${value}`);
  }
  return [...joined];
}
