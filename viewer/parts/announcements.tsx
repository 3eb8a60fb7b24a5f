/** What assistive technology is told without being asked: changes politely, at most every 2 s; questions and stops at once. */
import { signal } from "@preact/signals";

const polite = signal("");
const assertive = signal("");
let next: string | null = null;
let waits = false;

export function say(text: string): void {
  next = text;
  if (waits) return;
  waits = true;
  setTimeout(() => {
    waits = false;
    polite.value = next ?? "";
  }, 2_000);
}

export function sayNow(text: string): void {
  assertive.value = text;
}

export const Announcements = () => (
  <>
    <div class="unseen" role="status" aria-live="polite">
      {polite.value}
    </div>
    <div class="unseen" role="alert" aria-live="assertive">
      {assertive.value}
    </div>
  </>
);
