/** What is read from the store is looked at before it is used: a disk may have lost parts of it. */
import { createHash } from "node:crypto";
import { type JournalRecord, type Json, recordProblem } from "../effects/index.ts";
import { recordOfKept } from "./schema/kept-record.ts";
import { StoreError } from "./store-error.ts";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A piece is named by the hash of its JSON, the text of a script by the hash of the text. */
export function hasHash(body: string, hash: string): boolean {
  const piece = parsedJson(body);
  if (piece === undefined) return false;
  return sha256(body).startsWith(hash) || (typeof piece === "string" && sha256(piece) === hash);
}

/** `undefined`: it is no JSON. */
export function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The record of a journal in a column; `undefined` when what stands there is none. */
export function recordIn(text: unknown): JournalRecord | undefined {
  const kept = parsedJson(String(text));
  const record = kept === undefined ? undefined : recordOfKept(kept);
  return recordProblem(record) === undefined ? (record as unknown as JournalRecord) : undefined;
}

/** The data in a column; a `StoreError` "corrupt" that names what is damaged. */
export function jsonIn(text: unknown, what: string): Json {
  const json = parsedJson(String(text));
  if (json !== undefined) return json;
  throw damagedPart(what);
}

export const damagedPart = (what: string): StoreError =>
  new StoreError("corrupt", `${what} is damaged: it is not what was written`, [
    "`harn runs repair` begins a new store with everything that can still be read",
  ]);
