/**
 * The one place that hides what the store keeps besides journals: values of entries, queues, streams and request keys, and the columns
 * of tables that `schema/kept-columns.ts` names hold what people, sessions, daemons and models said. Secrets of the environment are
 * written by name, as in a journal, and are themselves again for a process that has them. In a file that others could have
 * written, a name stays a name.
 */
import { type Json, Secrets } from "../effects/index.ts";
import { ownVariables, perProcess } from "../process/index.ts";
import { jsonIn, parsedJson, sha256 } from "./checked-text.ts";
import type { Column, SqlRow } from "./database.ts";
import { type KeptKind, keptColumns } from "./schema/kept-columns.ts";

/** Those of this process; looked for at the first use, because most runs keep nothing here. */
const secretsHere = perProcess(() => Secrets.ofEnvironment(ownVariables()));

/** What a kept piece begins with that has an envelope. */
const envelope = '{"$hidden":';

export class KeptJson {
  private readonly isPrivate: () => boolean;
  private trusted: boolean | undefined;
  private readonly own: Secrets | undefined;

  /** `isPrivate`: whether nobody but its owner can write the store's file. `secrets`: default those of this process. */
  constructor(isPrivate: () => boolean, secrets?: Secrets) {
    this.isPrivate = isPrivate;
    this.own = secrets;
  }

  private get secrets(): Secrets {
    return this.own ?? secretsHere();
  }

  write(value: Json): string {
    return this.secrets.hide(JSON.stringify(value));
  }

  /** A row of a table as it is written. */
  hiddenRow(table: string, row: SqlRow): SqlRow {
    return this.changed(table, row, (text) => this.secrets.hide(text));
  }

  /** A row of a table as it was. */
  shownRow(table: string, row: SqlRow): SqlRow {
    return this.changed(table, row, (text, kind) => this.shown(text, kind));
  }

  /** A value of a column as it was. */
  shownCell(table: string, column: string, value: Column): Column {
    const kind = keptColumns[table]?.[column];
    return kind === undefined || typeof value !== "string" ? value : this.shown(value, kind);
  }

  /**
   * A large text as it is kept: in an envelope where a secret, or what looks like the name of one, stands in it. Texts without an
   * envelope, and those of earlier versions, are what they are.
   */
  hiddenPiece(text: string): string {
    const hidden = this.secrets.hide(text);
    if (hidden === text && !text.startsWith(envelope)) return text;
    const as = parsedJson(text) === undefined ? "text" : "json";
    return `${envelope}${JSON.stringify(hidden)},"as":"${as}","sum":"${sha256(as + hidden)}"}`;
  }

  /** A large text in an envelope as it was; `undefined`: it has none that is whole. */
  shownPiece(body: string): string | undefined {
    if (!body.startsWith(envelope)) return undefined;
    const kept = parsedJson(body) as
      | { readonly $hidden: string; readonly as: KeptKind; readonly sum?: string }
      | undefined;
    if (kept === undefined) return undefined;
    const { $hidden, as, sum } = kept;
    // Earlier versions wrote no sum.
    const isSound = sum === undefined ? Object.keys(kept).length === 2 : sum === sha256(as + $hidden);
    return isSound ? this.shown($hidden, as) : undefined;
  }

  private shown(text: string, kind: KeptKind): string {
    if (!text.includes("{{secret")) return text;
    if (!this.isTrusted()) return Secrets.readable(text);
    return kind === "json" ? this.secrets.revealInJson(text) : this.secrets.reveal(text);
  }

  private isTrusted(): boolean {
    this.trusted ??= this.isPrivate();
    return this.trusted;
  }

  /** The same row where nothing of it changes. */
  private changed(table: string, row: SqlRow, change: (text: string, kind: KeptKind) => string): SqlRow {
    const kinds = keptColumns[table];
    if (kinds === undefined) return row;
    let changed: Record<string, Column> | undefined;
    for (const column in kinds) {
      const value = row[column];
      if (typeof value !== "string") continue;
      const now = change(value, kinds[column] as KeptKind);
      if (now === value) continue;
      changed ??= { ...row };
      changed[column] = now;
    }
    return changed ?? row;
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
    return jsonIn(this.isTrusted() ? this.secrets.revealInJson(text) : text, what);
  }
}
