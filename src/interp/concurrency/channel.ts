/**
 * Channels (language.md §13.3): bounded queues between tasks. A value is handed straight to the task that has waited
 * longest; senders that find the channel full wait in order.
 */
import { type MaybePromise, Pullable, type PulledValue, type Value } from "../../values/index.ts";
import type { Task, Wait } from "../task.ts";

/** One task that wants a value: a `receive`, or one channel of a `select`. */
export interface Receiver {
  /** Takes the value, or says that it no longer waits. */
  offer(value: Value): boolean;
  /** The channel was closed and is empty. */
  closed(): void;
}

interface Sender {
  readonly wait: Wait<boolean>;
  readonly value: Value;
}

export class Channel extends Pullable {
  override readonly type = "channel";
  readonly name: string;
  readonly capacity: number;
  private items: Value[] = [];
  private first = 0;
  private isClosed = false;
  private readonly receivers = new Set<Receiver>();
  private readonly senders = new Set<Sender>();

  constructor(name: string, capacity: number) {
    super();
    this.name = name;
    this.capacity = Math.max(1, capacity);
  }

  display(): string {
    return `<channel:${this.name}>`;
  }
  get length(): number {
    return this.items.length - this.first;
  }
  get closed(): boolean {
    return this.isClosed;
  }
  /** Closed and empty: nothing will ever come. */
  get drained(): boolean {
    return this.isClosed && this.length === 0;
  }

  /** True once the value is in the channel, false when it is closed; waits while it is full. */
  send(task: Task, value: Value): MaybePromise<boolean> {
    if (this.isClosed) return false;
    for (const receiver of this.receivers) {
      this.receivers.delete(receiver);
      if (receiver.offer(value)) return true;
    }
    if (this.length < this.capacity) {
      this.items.push(value);
      return true;
    }
    return task.park<boolean>(`send on ${this.described}`, (wait) => {
      const sender = { wait, value };
      this.senders.add(sender);
      return () => this.senders.delete(sender);
    });
  }

  /** The next value, or `undefined` when there is none now. */
  tryReceive(): Value | undefined {
    if (this.length === 0) return undefined;
    const value = this.items[this.first] as Value;
    this.first++;
    if (this.first === this.items.length) {
      this.items = [];
      this.first = 0;
    } else if (this.first > 64 && this.first * 2 > this.items.length) {
      this.items = this.items.slice(this.first);
      this.first = 0;
    }
    this.refill();
    return value;
  }

  /** Waits for a value; `undefined` when the channel is closed and drained. */
  receive(task: Task): MaybePromise<Value | undefined> {
    const value = this.tryReceive();
    if (value !== undefined || this.isClosed) return value;
    return task.park<Value | undefined>(`receive on ${this.described}`, (wait) => {
      const receiver: Receiver = { offer: (input) => wait.wake(input), closed: () => wait.wake(undefined) };
      this.receivers.add(receiver);
      return () => this.receivers.delete(receiver);
    });
  }

  /** Stands in line; the function given leaves it again. */
  wait(receiver: Receiver): () => void {
    this.receivers.add(receiver);
    return () => this.receivers.delete(receiver);
  }

  /** What is in it stays readable; waiting senders give up. (`close`, from `Pullable`, only ends one consumer.) */
  closeChannel(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const sender of this.senders) sender.wait.wake(false);
    this.senders.clear();
    const waiting = [...this.receivers];
    this.receivers.clear();
    for (const receiver of waiting) receiver.closed();
  }

  /** `for v in channel`, iterators and streams. A consumer that stops pulling does not close the channel. */
  override next(task: Task): MaybePromise<PulledValue> {
    return this.receive(task);
  }

  get described(): string {
    return `channel \`${this.name}\``;
  }

  private refill(): void {
    for (const sender of this.senders) {
      if (this.length >= this.capacity) return;
      this.senders.delete(sender);
      if (sender.wait.wake(true)) this.items.push(sender.value);
    }
  }
}
