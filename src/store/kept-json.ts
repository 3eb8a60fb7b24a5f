/**
 * JSON in the columns of the store: entries and items of queues hold what sessions, daemons and people said. Secrets of the
 * environment are written by name, as in a journal, and are themselves again for a process that has them. In a file that others
 * could have written, a name stays a name.
 */
import { type Json, Secrets } from "../effects/index.ts";
import { jsonIn } from "./checked-text.ts";

let known: Secrets | undefined;

/** Those of this process; looked for at the first use, because most runs keep nothing here. */
function secretsHere(): Secrets {
  known ??= Secrets.ofEnvironment(
    Object.entries(process.env).filter((one): one is [string, string] => one[1] !== undefined),
  );
  return known;
}

export class KeptJson {
  private readonly isPrivate: () => boolean;
  private trusted: boolean | undefined;

  /** `isPrivate`: whether nobody but its owner can write the store's file. */
  constructor(isPrivate: () => boolean) {
    this.isPrivate = isPrivate;
  }

  write(value: Json): string {
    return secretsHere().hide(JSON.stringify(value));
  }

  /** The same for people: names of secrets stay names. */
  readable(column: unknown, what: string): Json {
    const text = String(column);
    return jsonIn(text.includes("{{secret") ? Secrets.readable(text) : text, what);
  }

  /** The data in a column; a `StoreError` "corrupt" that names what is damaged. */
  read(column: unknown, what: string): Json {
    const text = String(column);
    if (!text.includes("{{secret")) return jsonIn(text, what);
    this.trusted ??= this.isPrivate();
    return jsonIn(this.trusted ? secretsHere().revealInJson(text) : text, what);
  }
}
