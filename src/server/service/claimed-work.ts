/** What a kind of work needs not say whose messages have a claim each: the service itself holds nothing, and others may serve beside it. */
import type { MailboxMessage } from "../../durable/index.ts";
import { FullDiskWait } from "./full-disk.ts";
import type { Settled, WorkKindService } from "./work-service.ts";

export abstract class ClaimedWork implements WorkKindService {
  abstract readonly mailboxes: string;
  abstract readonly jobs: number;
  abstract readonly once: boolean;
  readonly isExclusive = false;
  readonly report: (text: string) => void;
  readonly room: FullDiskWait;

  constructor(report: (text: string) => void) {
    this.report = report;
    this.room = new FullDiskWait({ now: Date.now, report });
  }

  abstract handle(message: MailboxMessage, signal: AbortSignal): Promise<Settled>;

  async begin(): Promise<void> {}

  async renew(): Promise<boolean> {
    return true;
  }

  wakes(): readonly Promise<void>[] {
    return [];
  }

  lose(): void {}

  async end(): Promise<void> {}
}
