/**
 * A log in the page: its events as far as they are loaded, the state that they amount to, and the rows of the timeline.
 * The end is loaded first, what is older follows by itself; what is live is appended, holes are filled by number.
 */
import { type Signal, signal } from "@preact/signals";
import {
  type DurableEnvelope,
  type EventEnvelope,
  emptyView,
  foldAll,
  foldEvents,
  type LogView,
  limits,
  viewFromJson,
} from "../../src/server/protocol/index.ts";
import { HarnProblem } from "../net/api.ts";
import { follow } from "../net/live.ts";
import { TimelineTree } from "../timeline/tree.ts";
import { Keyframes } from "./keyframes.ts";
import type { LogSource } from "./source.ts";

/** Events of the first page, and how many are loaded without being asked for. */
const firstPage = 500;
const loadedByItself = 50_000;
/** Milliseconds between two drawings of what arrives. */
const drawing = 50;

/**
 * Draws the component anew whenever the log changes. Each component that looks into a log calls it: the log is one object
 * that changes in place, and what its parent draws does not reach a component whose properties are the same.
 */
export function useLog(log: LogStore): void {
  void log.version.value;
  void log.at.value;
}

export class LogStore {
  readonly source: LogSource;
  /** Changes when anything of the rest did. */
  readonly version: Signal<number> = signal(0);
  /** Number of the event that the page is shown at; null at the end, following what comes. */
  readonly at: Signal<number | null> = signal(null);
  readonly failure: Signal<HarnProblem | null> = signal(null);
  readonly loading: Signal<boolean> = signal(true);

  private events: DurableEnvelope[] = [];
  private head = emptyView();
  private headTree = new TimelineTree();
  private earlier: {
    readonly at: number;
    /** Last event of the log when it was made. */
    readonly of: number;
    readonly view: LogView;
    readonly tree: TimelineTree;
  } | null = null;
  /** Kept while somebody scrubs. */
  private keyframes: Keyframes | null = null;
  private stop: (() => void) | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  /** What the stream told while pages were asked for, in its order. */
  private early: EventEnvelope[] = [];
  private catching = false;
  private closed = false;

  constructor(source: LogSource) {
    this.source = source;
  }

  /** Loads, and listens from now on. */
  async open(): Promise<void> {
    if (this.source.ref !== null) {
      this.stop = follow(this.source.ref, {
        onEvent: (event) => this.receive(event as EventEnvelope),
        opened: () => void this.catchUp(),
      });
    }
    await this.load();
  }

  close(): void {
    this.closed = true;
    this.stop?.();
    if (this.timer !== null) clearTimeout(this.timer);
  }

  /** Numbers of the first and the last event that are here; 0 before any is. */
  get first(): number {
    return this.events[0]?.seq ?? 0;
  }
  get last(): number {
    return this.head.seq;
  }
  /** Nothing can be said of it yet. */
  get isUnknown(): boolean {
    return this.last === 0 && this.loading.value;
  }
  get isWhole(): boolean {
    return this.first <= 1;
  }
  get all(): readonly DurableEnvelope[] {
    return this.events;
  }
  /** The state where the page is shown. */
  get view(): LogView {
    return this.shown().view;
  }
  /** The state at the end, wherever the page is shown. */
  get headView(): LogView {
    return this.head;
  }
  get tree(): TimelineTree {
    return this.shown().tree;
  }

  eventAt(seq: number): DurableEnvelope | undefined {
    return this.events[seq - this.first];
  }

  /** Shows the page as it was at `seq`; at or behind the end, as it is. */
  scrub(seq: number | null): void {
    this.at.value = seq === null || seq >= this.last ? null : Math.max(1, seq);
    this.earlier = null;
    if (this.at.peek() === null) this.keyframes = null;
    this.draw();
  }

  private shown(): { readonly view: LogView; readonly tree: TimelineTree } {
    const at = this.at.peek();
    if (at === null) return { view: this.head, tree: this.headTree };
    if (this.earlier?.at !== at || this.earlier.of !== this.last) {
      this.keyframes ??= new Keyframes(this.events);
      const view = this.keyframes.after(Math.max(0, at - this.first + 1));
      this.earlier = { at, of: this.last, view, tree: this.headTree.upTo(at) };
    }
    return this.earlier;
  }

  private async load(): Promise<void> {
    try {
      const known = await this.source.state();
      if (this.closed) return;
      if (known !== null) {
        this.head = viewFromJson(known);
        this.draw();
      }
      const head = known?.seq ?? (await this.source.events(0, 1)).head;
      const from = Math.max(0, head - firstPage);
      await this.append(from);
      this.loading.value = false;
      await this.loadOlder(from);
    } catch (error) {
      if (this.closed) return;
      this.failure.value = error instanceof HarnProblem ? error : new HarnProblem(0, null, String(error));
      this.loading.value = false;
    }
  }

  /** Everything behind `after`, page by page, to the end. */
  private async append(after: number): Promise<void> {
    for (let at = after; ; ) {
      const page = await this.source.events(at, limits.eventPage.max);
      if (this.closed || page.items.length === 0) break;
      for (const event of page.items) this.take(event);
      at = page.items.at(-1)?.seq ?? at;
      this.draw();
      if (at >= page.head) break;
    }
    this.takeEarly();
  }

  private async loadOlder(before: number): Promise<void> {
    let first = before;
    while (first > 0 && this.events.length < loadedByItself && !this.closed) {
      const from = Math.max(0, first - limits.eventPage.max);
      const { items } = await this.source.events(from, first - from);
      if (items.length === 0 || this.closed) break;
      this.events = [...items, ...this.events];
      this.keyframes = null;
      this.headTree = TimelineTree.of(this.events);
      first = from;
      this.draw();
    }
    if (this.isWhole && !this.closed) {
      const live = this.head;
      const whole = foldAll(this.events);
      this.head = Object.assign(whole, { live: live.live, output: live.output });
      this.draw();
    }
  }

  private receive(event: EventEnvelope | null): void {
    if (typeof event !== "object" || event === null) return;
    if (event.type === "reset") {
      void this.reload();
      return;
    }
    const isMissing = typeof event.seq === "number" && event.seq > this.last + 1;
    if (this.loading.peek() || this.catching || isMissing) {
      this.early.push(event);
      if (!this.loading.peek()) void this.catchUp();
      return;
    }
    this.fold(event);
    this.drawSoon();
  }

  private fold(event: EventEnvelope): void {
    if (typeof event.seq === "number" && event.seq > this.last) this.take(event as DurableEnvelope);
    else foldEvents(this.head, event);
  }

  /** Asks for what is behind the last event: after a lost connection, or when a number is missing. */
  private async catchUp(): Promise<void> {
    if (this.catching || this.loading.peek() || this.closed) return;
    this.catching = true;
    try {
      await this.append(this.last);
    } catch {
      // The stream says that the connection is lost, and asks again when it is back.
    } finally {
      this.catching = false;
      this.takeEarly();
    }
  }

  private takeEarly(): void {
    const waiting = this.early;
    this.early = [];
    // What is still missing is asked for with the next event.
    for (const event of waiting) if ((event.seq ?? 0) <= this.last + 1) this.fold(event);
    if (waiting.length > 0) this.drawSoon();
  }

  private take(event: DurableEnvelope): void {
    const last = this.events.at(-1)?.seq;
    if (last !== undefined && event.seq <= last) return;
    this.events.push(event);
    foldEvents(this.head, event);
    this.headTree.add(event);
  }

  private async reload(): Promise<void> {
    this.events = [];
    this.keyframes = null;
    this.early = [];
    this.head = emptyView();
    this.headTree = new TimelineTree();
    this.loading.value = true;
    await this.load();
  }

  private drawSoon(): void {
    this.timer ??= setTimeout(() => this.draw(), drawing);
  }

  private draw(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.version.value += 1;
  }
}
