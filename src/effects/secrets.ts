/**
 * Secrets never reach a journal: wherever a registered value occurs in a string, `{{secret:NAME}}` is stored, and
 * fingerprints are made of that form, so that a replay without the secret still matches.
 */
import type { Json } from "./port.ts";

/** Environment variables that are taken for secrets without being told. */
const looksSecret =
  /(_API_?KEY|_KEY_ID|_TOKEN|TOKEN$|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS|PRIVATE_KEY|ACCESS_KEY|_AUTH$)/i;

/** Shorter values would be found everywhere in ordinary text. */
const shortestSecret = 6;

export class Secrets {
  /** Longest first: a secret that contains another one is replaced as a whole. */
  private entries: { readonly value: string; readonly placeholder: string }[] = [];

  /** All variables of an environment whose names look like keys. */
  static ofEnvironment(env: Iterable<readonly [string, string]>): Secrets {
    const secrets = new Secrets();
    for (const [name, value] of env) if (looksSecret.test(name)) secrets.register(name, value);
    return secrets;
  }

  /** From now on the value is stored as `{{secret:NAME}}`. Values under six characters are not secrets. */
  register(name: string, value: string): void {
    if (value.length < shortestSecret || this.entries.some((entry) => entry.value === value)) return;
    this.entries.push({ value, placeholder: `{{secret:${name}}}` });
    const encoded = encodeURIComponent(value.toWellFormed());
    if (encoded !== value) this.entries.push({ value: encoded, placeholder: `{{secret:${name}}}` });
    this.entries.sort((a, b) => b.value.length - a.value.length);
  }

  get size(): number {
    return this.entries.length;
  }

  /** The text with placeholders. */
  hide(text: string): string {
    let hidden = text;
    for (const { value, placeholder } of this.entries) {
      if (hidden.includes(value)) hidden = hidden.replaceAll(value, () => placeholder);
    }
    return hidden;
  }

  /** The text with the secrets of this process in place of their placeholders, where it has them. */
  reveal(text: string): string {
    if (!text.includes("{{secret:")) return text;
    let shown = text;
    for (const { value, placeholder } of this.entries) {
      // The encoded form of a value has the same placeholder: the value itself is meant.
      if (!value.includes("%") || !this.isEncoded(value)) shown = shown.replaceAll(placeholder, () => value);
    }
    return shown;
  }

  private isEncoded(value: string): boolean {
    return this.entries.some((entry) => entry.value !== value && encodeURIComponent(entry.value) === value);
  }

  /** The data with secrets in place of their placeholders. */
  revealIn(json: Json): Json {
    if (this.entries.length === 0) return json;
    if (typeof json === "string") return this.reveal(json);
    if (json === null || typeof json !== "object") return json;
    if (Array.isArray(json)) return json.map((item) => this.revealIn(item));
    const copy: Record<string, Json> = Object.create(null);
    for (const [key, value] of Object.entries(json)) copy[this.reveal(key)] = this.revealIn(value);
    return copy;
  }

  /** The data with placeholders in all its strings and keys; the same object where there is none to replace. */
  hideIn(json: Json): Json {
    if (this.entries.length === 0) return json;
    if (typeof json === "string") return this.hide(json);
    if (json === null || typeof json !== "object") return json;
    if (Array.isArray(json)) return json.map((item) => this.hideIn(item));
    const copy: Record<string, Json> = Object.create(null);
    for (const [key, value] of Object.entries(json)) copy[this.hide(key)] = this.hideIn(value);
    return copy;
  }
}
