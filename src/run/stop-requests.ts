/** Asking a run to stop that lives in a program beside others: by the store, where a signal would end all of them. */
import type { Store } from "../store/index.ts";
import { isJsonObject } from "../values/index.ts";

const mailbox = (run: string): string => `run:${run}`;

/** `now`: it does not unwind. */
export function requestStop({ mailboxes, runs }: Store, run: string, now: boolean): void {
  mailboxes.enqueue(mailbox(run), { now, owner: runs.ownerOf(run) ?? null });
}

/** What whoever works on it now was asked; undefined when nothing was. */
export function stopAsked({ mailboxes, runs }: Store, run: string): { readonly now: boolean } | undefined {
  // A look costs no transaction.
  if (mailboxes.length(mailbox(run)) === 0) return undefined;
  const message = mailboxes.claim(mailbox(run));
  if (message === undefined) return undefined;
  mailboxes.ack(message);
  const { body } = message;
  // One that came too late for those before is not for those who went on.
  if (!isJsonObject(body) || body.owner !== runs.ownerOf(run)) return undefined;
  return { now: body.now === true };
}
