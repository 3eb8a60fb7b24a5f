/**
 * One stream of the server for many readers: `/api/stream` with the topics that somebody wants. In the `SharedWorker` it
 * serves every page of the browser; where there is none, each page has its own.
 *
 * It gives no guarantee but order: after every `open` a reader asks for what it has missed (its log has the numbers).
 */
import { type Backoff, backoffMs } from "../../src/effects/backoff.ts";
import { type EphemeralEventData, limits, SseParser } from "../../src/server/protocol/index.ts";

export type Trouble = NonNullable<EphemeralEventData["ping"]["trouble"]>;

export type HubMessage =
  | { readonly kind: "event"; readonly topic: string; readonly event: unknown }
  | { readonly kind: "open" }
  /** The connection is lost, or the server wants a login. */
  | { readonly kind: "lost" | "denied" }
  /** Why everything stands still on the server, by its heartbeats; null: it works (again). */
  | { readonly kind: "trouble"; readonly trouble: Trouble | null }
  /** Nobody may hear this topic: it is not there. */
  | { readonly kind: "gone"; readonly topic: string };

const pauses: Backoff = { baseMs: 1000, maxMs: 30_000 };

export class StreamHub {
  private readonly send: (message: HubMessage) => void;
  private state: HubMessage | null = null;
  private trouble: Trouble | null = null;
  private topics: string[] = [];
  private lastId = "";
  private connection: AbortController | null = null;
  private failures = 0;
  private pause: { readonly timer: ReturnType<typeof setTimeout>; readonly go: () => void } | null = null;
  private running = false;

  constructor(emit: (message: HubMessage) => void) {
    this.send = emit;
  }

  /** What somebody who listens from now on must hear first: how the connection is, and what is wrong. */
  get standing(): readonly HubMessage[] {
    const trouble: HubMessage[] = this.trouble === null ? [] : [{ kind: "trouble", trouble: this.trouble }];
    return [...(this.state === null ? [] : [this.state]), ...trouble];
  }

  setTopics(topics: readonly string[]): void {
    const wanted = [...new Set(topics)];
    if (wanted.length === this.topics.length && wanted.every((topic) => this.topics.includes(topic))) return;
    this.topics = wanted;
    this.reconnect();
  }

  /** The network or the page is back, or somebody logged in: tries at once. */
  wake(): void {
    this.failures = 0;
    this.pause?.go();
    if (!this.running) this.reconnect();
  }

  private reconnect(): void {
    this.connection?.abort();
    this.pause?.go();
    if (!this.running) void this.run();
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.topics.length > 0) {
      const topics = this.topics;
      const ended = await this.listen(topics);
      if (topics !== this.topics) continue;
      if (ended === "gone") {
        const topic = topics.at(-1) as string;
        this.topics = topics.slice(0, -1);
        this.emit({ kind: "gone", topic });
        continue;
      }
      this.emit({ kind: ended });
      this.failures += 1;
      await this.wait(backoffMs(pauses, this.failures));
    }
    this.running = false;
  }

  private wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        this.pause = null;
        resolve();
      };
      const timer = setTimeout(go, ms);
      this.pause = { timer, go };
    });
  }

  private async listen(topics: readonly string[]): Promise<"lost" | "denied" | "gone"> {
    const connection = new AbortController();
    this.connection = connection;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const onEvent = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => connection.abort(), limits.silence);
    };
    try {
      onEvent();
      const query = `topics=${topics.map(encodeURIComponent).join(",")}${this.lastId === "" ? "&after=tail" : ""}`;
      const headers: Record<string, string> = { accept: "text/event-stream" };
      if (this.lastId !== "") headers["last-event-id"] = this.lastId;
      const response = await fetch(`/api/stream?${query}`, { headers, signal: connection.signal });
      if (response.status === 401) return "denied";
      if (response.status === 404 && topics.length > 0) return "gone";
      if (!response.ok || response.body === null) return "lost";
      this.failures = 0;
      this.emit({ kind: "open" });
      const parser = new SseParser();
      const decoder = new TextDecoder();
      const reader = response.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return "lost";
        onEvent();
        for (const message of parser.feed(decoder.decode(value, { stream: true })))
          this.forward(message.data);
        if (parser.lastId !== "") this.lastId = parser.lastId;
      }
    } catch {
      return "lost";
    } finally {
      clearTimeout(silence);
      connection.abort();
    }
  }

  private forward(data: string): void {
    let read: unknown;
    try {
      read = JSON.parse(data);
    } catch {
      return;
    }
    const { topic, event } = (read ?? {}) as { topic?: unknown; event?: unknown };
    if (typeof topic === "string") this.emit({ kind: "event", topic, event });
    else this.followAll(event);
  }

  private followAll(event: unknown): void {
    const { type, data } = (event ?? {}) as { type?: unknown; data?: { trouble?: unknown } | null };
    if (type !== "ping") return;
    // One that this page does not know is none that it could tell of.
    const trouble = data?.trouble === "disk-full" ? data.trouble : null;
    if (trouble === this.trouble) return;
    this.trouble = trouble;
    this.emit({ kind: "trouble", trouble });
  }

  private emit(message: HubMessage): void {
    if (message.kind === "open" || message.kind === "lost" || message.kind === "denied") this.state = message;
    this.send(message);
  }
}
