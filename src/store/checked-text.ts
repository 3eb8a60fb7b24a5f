/** What is read from the store is looked at before it is used: a disk may have lost parts of it. */
import { createHash } from "node:crypto";
import type { Json } from "../effects/index.ts";
import { StoreError } from "./store-error.ts";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A piece is named by the hash of its JSON, the text of a script by the hash of the text. */
export function hasHash(body: string, hash: string): boolean {
  if (!isJsonText(body)) return false;
  if (sha256(body).startsWith(hash)) return true;
  const text: unknown = JSON.parse(body);
  return typeof text === "string" && sha256(text) === hash;
}

export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The data in a column; a `StoreError` "corrupt" that names what is damaged. */
export function jsonIn(text: unknown, what: string): Json {
  try {
    return JSON.parse(String(text)) as Json;
  } catch {
    throw new StoreError("corrupt", `${what} is damaged: it is not what was written`, [
      "`harn runs repair` begins a new store with everything that can still be read",
    ]);
  }
}
