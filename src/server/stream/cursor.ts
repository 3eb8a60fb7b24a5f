/** Where a stream begins: after the last event that its client has handled. */
import { HttpProblem } from "../problems.ts";

/** A number; `tail`: only what is new; null: what was sent can't be read, the client has to begin anew. */
export type Cursor = number | "tail" | null;

/** `Last-Event-ID` wins over `after`. A browser can't see a status: a wrong header is a `reset`, a wrong `after` 400. */
export function cursorOf(request: Request, after: string | undefined): Cursor {
  const last = request.headers.get("last-event-id");
  if (last !== null && last !== "") return numberOf(last) ?? null;
  if (after === undefined) return 0;
  if (after === "tail") return "tail";
  return cursorNumber(after, "after");
}

/** `name`: of the parameter. Throws 400 `bad-cursor`. */
export function cursorNumber(text: string, name: string): number {
  const number = numberOf(text);
  if (number === undefined) throw new HttpProblem("bad-cursor", `\`${name}\` must be the number of an event`);
  return number;
}

function numberOf(text: string): number | undefined {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
}
