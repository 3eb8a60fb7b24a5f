/** What a service asks of a kind of work. Most kinds hold nothing but the claims of their messages, and others may serve beside them. */
import { type DurableKind, type MailboxMessage, workBox } from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import {
  type ChildEnd,
  type ChildPool,
  type JobChild,
  type JobOptions,
  killAllMarked,
  type PoolJob,
  poolMark,
} from "../../host/index.ts";
import { isDiskFull, type Store } from "../../store/index.ts";
import { ChildOutput } from "./child-output.ts";
import { FullDiskWait } from "./full-disk.ts";

/** What is to become of a claimed message. */
export type MessageSettlement =
  | { readonly kind: "ack" }
  /**
   * Not done: handed out again, not before `dueInMs`. For `heldMs` it stays claimed first: messages that came after it do
   * not overtake it meanwhile.
   */
  | { readonly kind: "defer"; readonly dueInMs?: number; readonly heldMs?: number }
  | { readonly kind: "deadLetter"; readonly reason: string }
  /** The kind has acknowledged it itself, together with what it wrote. */
  | { readonly kind: "settled" };

export interface WorkKindOptions {
  readonly store: Store;
  /** Where its children work. */
  readonly pool: Pick<ChildPool, "run">;
  /** Messages that may be handled at once. */
  readonly jobs: number;
  /** For whoever operates the service. */
  readonly report: (text: string) => void;
}

export interface ChildOptions extends Pick<JobOptions, "signal" | "onMessage"> {
  readonly onLine: (line: string) => void;
  /** Called before it begins. */
  readonly onStart?: (child: JobChild) => void;
}

export abstract class WorkKindService {
  /** A mailbox, or all of the kind. */
  readonly mailboxes: string;
  readonly jobs: number;
  readonly report: (text: string) => void;
  /** Ends when nothing is due any more. */
  readonly once: boolean = false;
  /**
   * It handles one thing alone: when a claim or its lease is lost, another process does its work, and it has to end; so it has when the
   * disk is full.
   */
  readonly isExclusive: boolean;
  /** Where what must be written waits for room on a full disk. */
  readonly room: FullDiskWait;
  private readonly kind: DurableKind;
  private readonly of: Pick<WorkKindOptions, "store" | "pool">;

  /** `id`: of the one work that it handles; `*`: whatever is due of the kind. */
  constructor(kind: DurableKind, id: string, options: WorkKindOptions) {
    const { jobs, report } = options;
    this.kind = kind;
    this.of = options;
    this.mailboxes = workBox(kind, id);
    this.jobs = jobs;
    this.report = report;
    this.isExclusive = id !== "*";
    this.room = new FullDiskWait({ now: Date.now, report });
  }

  /** Nothing is claimed any more. */
  get isOver(): boolean {
    return false;
  }

  /** `signal` aborts when the work is to end where it is. */
  abstract handle(message: MailboxMessage, signal: AbortSignal): Promise<MessageSettlement>;

  /** Takes what it needs. Throws when somebody else has it. */
  async begin(): Promise<void> {}

  /** What else wakes it: each enqueues a message of its own before it resolves. They reject with the signal. */
  wakes(_signal: AbortSignal): readonly Promise<void>[] {
    return [];
  }

  /** Every third of a lease. False: it is lost. */
  async renew(): Promise<boolean> {
    return true;
  }

  /** It was lost: nothing more may be written. */
  lose(): void {}

  /** The claim of a message in progress was lost: somebody else does it. Not called for an exclusive kind, which is lost with it. */
  loseMessage(_message: MailboxMessage): void {}

  /** Gives back what `begin` took; not called when it is lost. */
  async end(): Promise<void> {}

  /**
   * Does a piece of work in a child. Which process tree works is noted before it begins: a service that goes on after another one was
   * killed ends whatever is still there of it (frozen, or a program that got away).
   */
  protected async inChild(
    id: string,
    job: PoolJob,
    { onLine, onStart, ...options }: ChildOptions,
  ): Promise<readonly [ChildEnd, ChildOutput]> {
    const { store, pool } = this.of;
    const output = new ChildOutput(onLine);
    let own: string | undefined;
    const end = await pool.run(job, {
      ...options,
      onOutput: (text) => output.add(text),
      onStart: (mark, child) => {
        try {
          store.entries.set(noteSpace(this.kind), id, { mark });
        } catch (error) {
          // Nobody would find it after a crash: it must not begin.
          child.kill();
          throw error;
        }
        own = mark;
        onStart?.(child);
      },
    });
    output.end();
    forget(store, this.kind, id, own);
    return [end, output];
  }

  /** Ends what an earlier service has left of a child; only for whoever has the work. */
  protected clear(id: string): Promise<void> {
    return clearChild(this.of.store, this.kind, id);
  }
}

const noteSpace = (kind: DurableKind): string => `${kind}.child`;

const markIn = (noted: Json | undefined): string | undefined =>
  (noted as { readonly mark?: string } | undefined)?.mark;

export async function clearChild(store: Store, kind: DurableKind, id: string): Promise<void> {
  const mark = markIn(store.entries.get(noteSpace(kind), id));
  if (mark === undefined) return;
  await killAllMarked(mark, poolMark);
  forget(store, kind, id, mark);
}

/** What somebody else has noted meanwhile stays, and so may on a full disk what can do no harm. */
function forget({ entries }: Store, kind: DurableKind, id: string, own: string | undefined): void {
  try {
    entries.update(noteSpace(kind), id, (noted) => (markIn(noted) === own ? undefined : noted));
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}
