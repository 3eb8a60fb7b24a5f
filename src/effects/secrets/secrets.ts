/**
 * Secrets never reach a journal, nor what else a run leaves behind: wherever a registered value occurs, `{{secret:NAME}}` is
 * stored (`secret-forms.ts` lists the forms that are found and their placeholders), and fingerprints are made of names alone,
 * so that a replay without the secret still matches. This is the only place that does so.
 *
 * A placeholder is a value, not text: what merely looks like one is stored with a star (`{{secret*:NAME}}`) and read back as it
 * was, so nothing from outside can become a secret. Journals up to format 2 have no stars and no forms; they are read and gone
 * on with as they were written (`old`).
 *
 * Where a secret is not at hand, as in a replay, a stand-in takes its place: `{{secret:NAME#MARK}}`, with a mark that nobody
 * outside can know. So it does in a job of another machine (`jobMark`), whose records anybody may have written: there a name becomes
 * the secret of this machine only where the program itself has read the variable, as it is allowed to.
 */
import { escapePattern } from "../../source/index.ts";
import type { Json } from "../../values/index.ts";

import {
  base64Cores,
  bytesOf,
  byteText,
  encodedStretch,
  formOf,
  formsOf,
  jsonEscaped,
  type SecretForm,
  secretFlagsOf,
  stretchAt,
  textOfBytes,
} from "./secret-forms.ts";
import { coresOf, type Digits, inLayout, type SecretNeedle, wideFormOf, wideMarks } from "./wide-forms.ts";

/** Environment variables that are taken for secrets without being told. */
const looksSecret =
  /(_API_?KEY|_KEY_ID|_KEY$|_TOKEN|TOKEN$|SECRET|PASSWORD|PASSWD|_PASS$|PASSPHRASE|CREDENTIALS|PRIVATE_KEY|ACCESS_KEY|_AUTH$)/i;

/** The variable of a process that does a job of another machine: it names the job. */
export const jobMark = "HARN_WORKER_JOB";

/** Shorter values would be found everywhere in ordinary text. */
const shortestSecret = 6;

/** What every placeholder begins with. */
const lead = "{{secret";

const placeholder =
  /\{\{secret(?:(\*)|64:([u=]*)(w\d+,\d+[nrjk]\d+)?:([^{}]*)\}\}|:([^{}|#]+)(?:\|([\w:]+))?\}\})/g;

/** The first journal format with forms and stars. */
const formatWithForms = 3;

/** Whether a journal of this format is written and read without stars and forms. */
const isOldFormat = (format: number): boolean => format < formatWithForms;

/**
 * A secret as an effect gives it to be recorded: stored as its placeholder even if it is too short to be looked for
 * elsewhere. Nothing from outside can be one.
 */
export class HiddenSecret {
  readonly name: string;
  readonly value: string;
  constructor(name: string, value: string) {
    this.name = name;
    this.value = value;
  }
  /** For `encode` of an effect. */
  get json(): Json {
    return this as unknown as Json;
  }
}

interface SecretEntry {
  readonly name: string;
  readonly value: string;
  /** The value as bytes in UTF-8, a character a byte. */
  readonly bytes: string;
  readonly forms: readonly SecretForm[];
  readonly cores: readonly { readonly text: string; readonly form: string }[];
}

export class Secrets {
  /** No stars, no forms: for a journal that was begun so. */
  private old = false;
  /** What tells stand-ins from text: of a run, made of its seed. */
  private mark = "missing";
  /** A replay: the program gets stand-ins, also for what this process knows. */
  private replays = false;
  /** By value: of two names for one value the first counts. */
  private readonly byValue = new Map<string, SecretEntry>();
  private readonly byName = new Map<string, SecretEntry>();
  private readonly standIns = new Map<string, SecretEntry>();
  private env: ReadonlyMap<string, string> = new Map();
  /** In a job of another machine: values that the program has read, or made. No other is revealed. */
  private read: Set<string> | undefined;
  private found: SecretFinder | undefined = undefined;
  /** Those that the program has met. */
  private readonly met = new Set<SecretEntry>();
  private noting = false;
  /** Called when the program meets its first secret. */
  onMet: (() => void) | undefined = undefined;
  private metPattern: RegExp | undefined = undefined;

  /** All variables of an environment whose names look like keys. */
  static ofEnvironment(env: Iterable<readonly [string, string]>): Secrets {
    const secrets = new Secrets();
    const all: ReadonlyMap<string, string> = env instanceof Map ? env : new Map(env);
    secrets.env = all;
    for (const [name, value] of all) if (looksSecret.test(name)) secrets.register(name, value);
    if (all.has(jobMark)) secrets.read = new Set();
    return secrets;
  }

  /** From now on the value is stored as `{{secret:NAME}}`. Values under six characters are not looked for. */
  register(name: string, value: string): void {
    this.read?.add(value);
    if (value.length < shortestSecret) return;
    this.enter(shownName(name), value);
  }

  private enter(name: string, value: string): SecretEntry {
    const known = this.byValue.get(value);
    if (known !== undefined) return known;
    let own = name;
    for (let version = 2; this.byName.has(own); version++) own = `${name}~${version}`;
    const entry = this.add(own, value);
    this.byName.set(own, entry);
    return entry;
  }

  private add(own: string, value: string): SecretEntry {
    const entry: SecretEntry = {
      name: own,
      value,
      bytes: bytesOf(value.toWellFormed()),
      forms: formsOf(own, value),
      cores: base64Cores(value.toWellFormed()),
    };
    this.byValue.set(value, entry);
    this.found = undefined;
    return entry;
  }

  /** What a program asks for by its name it may have, also where the answer is a recorded one. */
  noteAsked(variable: string | undefined): void {
    const value = variable === undefined ? variable : this.env.get(variable);
    if (value !== undefined) this.read?.add(value);
  }

  private isRevealed(value: string): boolean {
    return this.read?.has(value) !== false;
  }

  /** What belongs to a run: how its journal is written, its mark, and whether it is only shown again. */
  follow(run: { readonly format: number; readonly mark: string; readonly replays?: boolean }): void {
    this.old = isOldFormat(run.format);
    this.mark = run.mark;
    this.replays = run.replays === true;
    if (this.replays) this.met.clear();
  }

  get size(): number {
    return this.byValue.size;
  }

  /** A run that begins in another one goes on with what its program was given there. What it has met is its own. */
  adoptStandIns(of: Secrets): void {
    for (const value of of.read ?? []) this.read?.add(value);
    for (const [name, { value }] of of.standIns)
      if (!this.standIns.has(name)) this.standIns.set(name, this.add(name, value));
  }

  /** The text with placeholders. */
  hide(text: string): string {
    return this.old ? this.hideOld(text) : this.widelyHidden(text);
  }

  /** As `hidden`, where a secret is written in a form that no list holds, too. */
  private widelyHidden(text: string): string {
    if (text.length < shortestSecret || this.byValue.size === 0) return this.hidden(text, false);
    this.found ??= new SecretFinder(this.byValue.values());
    const { sought, forms, digits } = this.found;
    const marks = wideMarks(text, sought, (form) => forms.has(form), {
      ...digits,
      stretch: (bytes, encoded, layout) =>
        `${lead}64:${secretFlagsOf(encoded)}${layout}:${percentEncodedBytes(this.hiddenBytes(bytes))}}}`,
    });
    let shown = "";
    let done = 0;
    for (const { from, to, name, placeholder: instead } of marks) {
      if (this.noting) this.noteName(name);
      shown += this.hidden(text.slice(done, from), false) + instead;
      done = to;
    }
    return shown + this.hidden(text.slice(done), false);
  }

  /**
   * How many of the last characters must wait for what follows them, because a secret may begin or go on there: of a text that
   * comes in pieces, the rest can be told.
   */
  openEnd(text: string): number {
    this.found ??= new SecretFinder(this.byValue.values());
    return this.found.openEnd(text);
  }

  /** The same with one placeholder for all forms: two texts that differ in the secrets alone are equal so. */
  named(text: string): string {
    return this.old ? this.hideOld(text) : this.hidden(text, true);
  }

  /** The text as it was, with the secrets of this process in place of their placeholders; stand-ins where it has none. */
  reveal(text: string): string {
    return this.revealed(text, false);
  }

  /** The same for a JSON text, which stays one whatever the values are now. */
  revealInJson(text: string): string {
    return this.revealed(text, true);
  }

  private revealed(text: string, isJson: boolean): string {
    if (!text.includes(lead)) return text;
    if (this.old) return this.replays ? text : this.revealOld(text);
    return text.replace(placeholder, (all, star, flags, layout, stretch, name, form) => {
      if (star !== undefined) return lead;
      if (stretch !== undefined) {
        const encoded = encodedStretch(this.revealBytes(percentDecodedBytes(stretch)), flags);
        return layout === undefined ? encoded : inLayout(encoded, layout);
      }
      const value = this.note(this.entryOf(name)).value;
      if (form === undefined) return isJson ? jsonEscaped(value) : value;
      return formOf(value, form) ?? wideFormOf(value, form) ?? all;
    });
  }

  /** For people: stand-ins as placeholders. */
  shown(text: string): string {
    return text.includes(`#${this.mark}}}`) ? text.replaceAll(`#${this.mark}}}`, "}}") : text;
  }

  /** A stored text for people: placeholders stay, everything else as it was. */
  static readable(text: string): string {
    return text.replaceAll(`${lead}*`, lead);
  }

  /** The data with secrets in place of their placeholders. */
  revealIn(json: Json): Json {
    return mapTexts(json, (text) => this.reveal(text));
  }

  /** The data with placeholders in all its strings and keys; the same object where there is none to replace. */
  hideIn(json: Json): Json {
    return mapTexts(
      json,
      (text) => this.hide(text),
      (secret) => this.hiddenName(secret),
    );
  }

  /** The data as it is compared: as `hideIn`, with one placeholder for all forms. */
  namedIn(json: Json): Json {
    return mapTexts(
      json,
      (text) => this.named(text),
      (secret) => this.hiddenName(secret),
    );
  }

  /** `hideIn` for what becomes a result of the program: what secrets are in it the program has met. */
  hideResult(json: Json): Json {
    this.noting = !this.old;
    try {
      return this.hideIn(json);
    } finally {
      this.noting = false;
    }
  }

  private note(entry: SecretEntry): SecretEntry {
    if (!this.met.has(entry)) {
      this.met.add(entry);
      if (this.met.size === 1) this.onMet?.();
      this.metPattern = undefined;
    }
    return entry;
  }

  private noteName(name: string): void {
    const entry = this.byName.get(name) ?? this.standIns.get(name);
    if (entry !== undefined) this.note(entry);
  }

  /** Whether the program has met a secret at all. */
  get anyMet(): boolean {
    return this.met.size > 0;
  }

  /** Whether a secret that the program has met is in the text, or in bytes. */
  isIn(data: string | Uint8Array): boolean {
    if (this.met.size === 0 || data.length < shortestSecret) return false;
    this.metPattern ??= alternation(
      [...this.met].flatMap(({ forms, cores, bytes }) => [
        ...forms.filter(({ whole }) => whole).map(({ text }) => text),
        ...cores.map(({ text }) => text),
        bytes,
      ]),
    );
    this.metPattern.lastIndex = 0;
    return this.metPattern.test(typeof data === "string" ? data : byteText(data));
  }

  private hiddenName(secret: HiddenSecret): string {
    const entry = this.byValue.get(secret.value);
    if (entry !== undefined && this.noting) this.note(entry);
    const name = entry?.name ?? (this.old ? secret.name : shownName(secret.name));
    return `${lead}:${name}}}`;
  }

  private entryOf(name: string): SecretEntry {
    const known = this.replays ? undefined : this.byName.get(name);
    if (known !== undefined && this.isRevealed(known.value)) return known;
    const own = this.replays ? undefined : this.env.get(name);
    if (own !== undefined && own !== "" && this.isRevealed(own)) return this.enter(name, own);
    let standIn = this.standIns.get(name);
    if (standIn === undefined) {
      standIn = this.add(name, `${lead}:${name}#${this.mark}}}`);
      this.standIns.set(name, standIn);
    }
    return standIn;
  }

  private hidden(text: string, namesOnly: boolean): string {
    if (text.length < shortestSecret) return text;
    this.found ??= new SecretFinder(this.byValue.values());
    const { pattern, forms, cores, values } = this.found;
    pattern.lastIndex = 0;
    let shown = "";
    let done = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const [found] = match;
      let from = match.index;
      let to = from + found.length;
      let instead: string;
      const form = forms.get(found);
      const core = cores.get(found);
      if (this.noting && found !== lead) this.noteName(form?.name ?? (core?.name as string));
      if (form !== undefined) instead = namesOnly && form.whole ? form.named : form.placeholder;
      else if (core !== undefined) {
        const stretch = stretchAt(text, from, found.length, values);
        if (stretch !== undefined && stretch.from >= done) {
          ({ from, to } = stretch);
          const flags = namesOnly ? "" : secretFlagsOf(text.slice(from, to));
          instead = `${lead}64:${flags}:${percentEncodedBytes(this.hiddenBytes(stretch.bytes))}}}`;
        } else instead = namesOnly ? `${lead}:${core.name}|core}}` : core.placeholder;
      } else instead = `${lead}*`;
      shown += text.slice(done, from) + instead;
      done = to;
      pattern.lastIndex = to;
    }
    return done === 0 ? text : shown + text.slice(done);
  }

  private hiddenBytes(bytes: string): string {
    this.found ??= new SecretFinder(this.byValue.values());
    const { inBytes, names } = this.found;
    return bytes.replace(inBytes, (value) => (value === lead ? `${lead}*` : `${lead}:${names.get(value)}}}`));
  }

  private revealBytes(shown: string): string {
    return shown.replace(placeholder, (all, star, _flags, _layout, _stretch, name) => {
      if (star !== undefined) return lead;
      return name === undefined ? all : this.note(this.entryOf(name)).bytes;
    });
  }

  private byLength(): SecretEntry[] {
    return [...this.byValue.values()].sort((a, b) => b.value.length - a.value.length);
  }

  // ── formats 1 and 2 ─────────────────────────────────────────────────────────────────────────────────────────────

  private hideOld(text: string): string {
    let shown = text;
    for (const { value, name } of this.byLength()) {
      for (const form of [value, encodeURIComponent(value.toWellFormed())])
        if (shown.includes(form)) shown = shown.replaceAll(form, () => `${lead}:${name}}}`);
    }
    return shown;
  }

  private revealOld(text: string): string {
    let shown = text;
    for (const { value, name } of this.byLength())
      if (this.isRevealed(value)) shown = shown.replaceAll(`${lead}:${name}}}`, () => value);
    return shown;
  }
}

/** Where anything stands that has to be stored in another way. */
class SecretFinder {
  readonly pattern: RegExp;
  private readonly texts: readonly string[];
  readonly forms = new Map<string, SecretForm & { readonly name: string; readonly named: string }>();
  readonly cores = new Map<string, { readonly name: string; readonly placeholder: string }>();
  /** Of the values as bytes. */
  readonly inBytes: RegExp;
  readonly names = new Map<string, string>();
  readonly values: readonly string[];
  /** For forms that no list holds. */
  readonly sought: SecretNeedle[] = [];
  readonly digits: Omit<Digits, "stretch">;

  constructor(entries: Iterable<SecretEntry>) {
    for (const { name, value, bytes, forms, cores } of entries) {
      this.sought.push({ name, value });
      this.names.set(bytes, name);
      for (const form of forms)
        if (!this.forms.has(form.text))
          this.forms.set(form.text, { ...form, name, named: `${lead}:${name}}}` });
      for (const { text, form } of cores)
        if (!this.cores.has(text)) this.cores.set(text, { name, placeholder: `${lead}:${name}|${form}}}` });
    }
    this.values = [...this.names.keys()];
    this.inBytes = alternation([...this.values, lead]);
    this.texts = [...this.forms.keys(), ...this.cores.keys(), lead];
    this.pattern = alternation(this.texts);
    const known = coresOf(this.sought);
    this.digits = { cores: known, pattern: alternation([...known.keys()]) };
  }

  openEnd(text: string): number {
    let open = 0;
    for (const known of this.texts) {
      let length = Math.min(known.length - 1, text.length);
      while (length > open && !text.endsWith(known.slice(0, length))) length--;
      open = Math.max(open, length);
    }
    if (open === 0) return 0;
    // The beginning of another one may stand inside one that is whole.
    const cut = text.length - open;
    this.pattern.lastIndex = 0;
    for (
      let match = this.pattern.exec(text);
      match !== null && match.index < cut;
      match = this.pattern.exec(text)
    )
      if (match.index + match[0].length > cut) return text.length - match.index;
    return open;
  }
}

/** Finds any of the texts; of two at one place the longer. */
function alternation(texts: readonly string[]): RegExp {
  const byLength = [...new Set(texts)].sort((a, b) => b.length - a.length);
  return new RegExp(byLength.map(escapePattern).join("|"), "g");
}

/** A name as it stands in a placeholder. */
const shownName = (name: string): string =>
  name.replace(/[^\w./:@~-]/g, (char) => encodeURIComponent(char.toWellFormed()));

/** A character a byte, in ASCII without braces. */
const percentEncodedBytes = (bytes: string): string =>
  encodeURIComponent(textIfSame(bytes) ?? bytes).replace(/^/, textIfSame(bytes) === undefined ? "~" : "");

function percentDecodedBytes(text: string): string {
  return text.startsWith("~") ? decodeURIComponent(text.slice(1)) : bytesOf(decodeURIComponent(text));
}

/** The text of bytes that are UTF-8: shorter and readable. */
function textIfSame(bytes: string): string | undefined {
  if (bytes.startsWith("~")) return undefined;
  const text = textOfBytes(bytes);
  return bytesOf(text) === bytes ? text : undefined;
}

/** The data with all its strings and keys changed; the same object where nothing has changed. */
function mapTexts(
  json: Json,
  change: (text: string) => string,
  hidden?: (secret: HiddenSecret) => string,
): Json {
  if (typeof json === "string") return change(json);
  if (json === null || typeof json !== "object") return json;
  if (json instanceof HiddenSecret) return hidden === undefined ? json.value : hidden(json);
  if (Array.isArray(json)) return mapList(json, (item) => mapTexts(item, change, hidden));
  const fields = json as { readonly [name: string]: Json };
  const names = Object.keys(fields);
  let copy: Record<string, Json> | undefined;
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string;
    const changedName = change(name);
    const part = mapTexts(fields[name] as Json, change, hidden);
    if (copy === undefined) {
      if (changedName === name && Object.is(part, fields[name])) continue;
      copy = Object.create(null) as Record<string, Json>;
      for (const same of names.slice(0, at)) copy[same] = fields[same] as Json;
    }
    copy[changedName] = part;
  }
  return copy ?? json;
}

/** The list with all its items changed; the same one where none is. */
function mapList(list: readonly Json[], change: (item: Json) => Json): readonly Json[] {
  let copy: Json[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const item = list[at] as Json;
    const part = change(item);
    if (copy === undefined && !Object.is(part, item)) copy = list.slice(0, at);
    copy?.push(part);
  }
  return copy ?? list;
}

/** The mark of a run's stand-ins: nobody who only sends it text knows its seed. */
export const standInMark = (seed: string, digest: (text: string) => string): string =>
  digest(`stand-ins of ${seed}`).slice(0, 8);
