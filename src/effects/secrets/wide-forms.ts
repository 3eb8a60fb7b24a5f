/**
 * Secrets in forms that no list holds: percent-encoded in any case, escaped in JSON in any way and depth (`\u00fc`, `\/`), and
 * base64 that is broken into lines. They are looked for only in what is stored; what is asked is compared by the forms of
 * `secret-forms.ts` alone, so that recordings of before are asked the same.
 *
 *     {{secret:NAME|low:url}}           percent-encoded with small letters (`low:form`: with `+` for a blank)
 *     {{secret:NAME|ascii}}             JSON in ASCII; `slash`: with `\/`; `asciislash`: both; `all`: every character escaped
 *     {{secret:NAME|in:2:ascii}}        the same inside of JSON inside of JSON
 *     {{secret:NAME|html}}  {{…|csv}}   in a page (`html2` to `html4`: with other quotes); with doubled quotes
 *     {{secret64:=w20,76n2:…}}          base64 in lines: of the first 20 characters, of 76 then, each with two blanks before it
 *
 * What is written in yet another way is stored in the nearest of these: it means the same, and is another text when it is read again.
 */
import { base64Cores, bytesOf, formOf, jsonEscaped, stretchAt } from "./secret-forms.ts";

/** Where a secret stands, and what is stored instead. */
export interface WideMark {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly placeholder: string;
}

/** What is looked for. */
export interface SecretNeedle {
  readonly name: string;
  readonly value: string;
}

const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, "0");
const asciiOf = (json: string): string => json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${hexOf(unit)}`);
const slashed = (json: string): string => json.replaceAll("/", "\\/");
const lowerEscapes = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());

/** A form of a value by its name; `undefined` for a name that is none of these. */
export function wideFormOf(value: string, form: string): string | undefined {
  if (form.startsWith("low:")) {
    const encoded = formOf(value, form.slice(4));
    return encoded === undefined ? undefined : lowerEscapes(encoded);
  }
  const deeper = /^in:([1-3]):(\w+)$/.exec(form);
  if (deeper !== null) {
    let text = wideFormOf(value, deeper[2] as string) ?? formOf(value, deeper[2] as string);
    for (let depth = Number(deeper[1]); depth > 0 && text !== undefined; depth--) text = jsonEscaped(text);
    return text;
  }
  const written = Object.hasOwn(writtenForms, form) ? writtenForms[form] : undefined;
  if (written !== undefined) return written(value);
  const json = jsonEscaped(value);
  if (form === "ascii") return asciiOf(json);
  if (form === "slash") return slashed(json);
  if (form === "asciislash") return slashed(asciiOf(json));
  if (form === "all") return value.replace(/[\s\S]/g, (unit) => `\\u${hexOf(unit)}`);
  return undefined;
}

const inHtml =
  (quote: string, apostrophe: string) =>
  (value: string): string =>
    value
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', quote)
      .replaceAll("'", apostrophe);

/** Forms that are one text for a value: of pages, and of tables with commas. */
const writtenForms: Readonly<Record<string, (value: string) => string>> = {
  html: inHtml("&quot;", "&#39;"),
  html2: inHtml("&#34;", "&#39;"),
  html3: inHtml("&quot;", "'"),
  html4: inHtml('"', "'"),
  csv: (value) => value.replaceAll('"', '""'),
};

/** Secrets in a page or in a table with commas. */
function writtenMarks(text: string, sought: readonly SecretNeedle[]): WideMark[] {
  const marks: WideMark[] = [];
  for (const { name, value } of sought) {
    if (!/[&<>"']/.test(value)) continue;
    for (const [form, write] of Object.entries(writtenForms)) {
      const written = write(value);
      if (written === value) continue;
      for (let at = text.indexOf(written); at >= 0; at = text.indexOf(written, at + written.length))
        marks.push({ from: at, to: at + written.length, name, placeholder: `{{secret:${name}|${form}}}` });
    }
  }
  return marks;
}

const percentForms = ["low:url", "low:url2", "url2", "url"];
const plusForms = ["low:form", "form"];
const jsonForms = ["ascii", "slash", "asciislash", "all", "json"];

/** A text that was read in some way, and where its characters stood. */
class DecodedText {
  readonly text: string;
  private readonly before: DecodedText | undefined;
  /** Places in this text, those in the text before, and how long a token was there; one character each here. */
  private readonly here: number[] = [];
  private readonly there: number[] = [];
  private readonly lengths: number[] = [];

  constructor(source: string, before?: DecodedText, tokens?: RegExp, read?: (token: string) => string) {
    this.before = before;
    if (tokens === undefined || read === undefined) {
      this.text = source;
      return;
    }
    let text = "";
    let done = 0;
    for (const { 0: token, index } of source.matchAll(tokens)) {
      const shown = read(token);
      text += source.slice(done, index);
      for (let unit = 0; unit < shown.length; unit++) {
        this.here.push(text.length + unit);
        // A pair of units is one token: all of it belongs to each.
        this.there.push(index);
        this.lengths.push(token.length);
      }
      text += shown;
      done = index + token.length;
    }
    this.text = text + source.slice(done);
  }

  get hasTokens(): boolean {
    return this.here.length > 0;
  }

  /** Where the character at `at` begins or ends in the first text. */
  source(at: number, isEnd: boolean): number {
    if (this.before === undefined) return at;
    const place = isEnd ? at - 1 : at;
    let low = 0;
    let high = this.here.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.here[middle] as number) <= place) low = middle + 1;
      else high = middle;
    }
    const token = low - 1;
    if (token < 0) return this.before.source(at, isEnd);
    const [here, there, length] = [this.here[token]!, this.there[token]!, this.lengths[token]!];
    if (here === place) return this.before.source(isEnd ? there + length : there, isEnd);
    return this.before.source(there + length + (at - here - 1), isEnd);
  }
}

const jsonToken = /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/g;
const jsonRead = (token: string): string => JSON.parse(`"${token}"`) as string;
/** One character in UTF-8. */
const percentToken =
  /%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi;

function percentRead(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token.slice(0, 1);
  }
}

/** JSON inside of JSON inside of JSON. */
const maxDepth = 3;

/** Secrets in escaped forms. `known`: exact forms that are found otherwise. */
function escapedMarks(
  text: string,
  sought: readonly SecretNeedle[],
  known: (form: string) => boolean,
): WideMark[] {
  const hasJson = /\\[u/\\]/.test(text);
  if (!hasJson && !/%[0-9a-fA-F]{2}/.test(text)) return [];
  const marks: WideMark[] = [];
  const look = (
    decoded: DecodedText,
    forms: readonly string[],
    as = (value: string): string => value,
  ): void => {
    for (const one of sought) {
      const value = as(one.value);
      for (
        let at = decoded.text.indexOf(value);
        at >= 0;
        at = decoded.text.indexOf(value, at + value.length)
      ) {
        const from = decoded.source(at, false);
        const to = decoded.source(at + value.length, true);
        const written = text.slice(from, to);
        if (written === one.value || known(written)) continue;
        marks.push({ from, to, name: one.name, placeholder: placeholderOf(one, written, forms) });
      }
    }
  };
  let level = new DecodedText(text);
  for (let depth = 0; depth <= maxDepth; depth++) {
    const inUrl = new DecodedText(level.text, level, percentToken, percentRead);
    if (inUrl.hasTokens) {
      look(inUrl, percentForms);
      look(inUrl, plusForms, (value) => value.replaceAll(" ", "+"));
    }
    if (!hasJson || depth === maxDepth) break;
    level = new DecodedText(level.text, level, jsonToken, jsonRead);
    if (!level.hasTokens) break;
    look(level, depth === 0 ? jsonForms : jsonForms.map((form) => `in:${depth}:${form}`));
  }
  return marks;
}

/** The form that gives the same text again, else the last one of its kind, which means the same. */
function placeholderOf({ name, value }: SecretNeedle, written: string, forms: readonly string[]): string {
  const same = forms.find((form) => (wideFormOf(value, form) ?? formOf(value, form)) === written);
  return `{{secret:${name}|${same ?? (forms.at(-1) as string)}}}`;
}

/** Lines of base64, as they are or inside of JSON. Begins at a word, so that a long line costs linear time. */
const inLines = /(?<![\w+/-])[\w+/-]{8,}(?:(?:\r?\n|(?:\\+r)?\\+n)[ \t]*(?<=[\n\t ]|\\n)[\w+/-]+)+={0,2}/g;
const lineBreak = /(\r?\n|(?:\\+r)?\\+n)([ \t]*)/g;

/** Secrets in base64 that is broken into lines. */
function brokenMarks(text: string, sought: readonly SecretNeedle[], digits: Digits): WideMark[] {
  const { cores, pattern } = digits;
  if (cores.size === 0 || !/\n|\\n/.test(text)) return [];
  const marks: WideMark[] = [];
  const values = sought.map(({ value }) => bytesOf(value.toWellFormed()));
  for (const { 0: block, index } of text.matchAll(inLines)) {
    const breaks = [...block.matchAll(lineBreak)];
    const joined = block.replace(lineBreak, "");
    const source = (at: number, isEnd: boolean): number => {
      let moved = index + at;
      let joinedAt = 0;
      let done = 0;
      for (const found of breaks) {
        joinedAt += found.index - done;
        done = found.index + found[0].length;
        if (isEnd ? joinedAt >= at : joinedAt > at) break;
        moved += found[0].length;
      }
      return moved;
    };
    pattern.lastIndex = 0;
    for (let match = pattern.exec(joined); match !== null; match = pattern.exec(joined)) {
      const known = cores.get(match[0]) as { readonly name: string; readonly form: string };
      const stretch = stretchAt(joined, match.index, match[0].length, values);
      const [begin, end] =
        stretch === undefined ? [match.index, match.index + match[0].length] : [stretch.from, stretch.to];
      const [from, to] = [source(begin, false), source(end, true)];
      pattern.lastIndex = end;
      // On one line it is found without this.
      if (to - from === end - begin) continue;
      const placeholder =
        stretch === undefined
          ? `{{secret:${known.name}|${known.form}}}`
          : digits.stretch(stretch.bytes, joined.slice(begin, end), layoutOf(text.slice(from, to)));
      marks.push({ from, to, name: known.name, placeholder });
    }
  }
  return marks;
}

/** What secrets leave in base64, and how a stretch of it is stored. */
export interface Digits {
  readonly cores: ReadonlyMap<string, { readonly name: string; readonly form: string }>;
  readonly pattern: RegExp;
  readonly stretch: (bytes: string, encoded: string, layout: string) => string;
}

/** All cores of the secrets, by their text. */
export const coresOf = (sought: readonly SecretNeedle[]): Map<string, { name: string; form: string }> =>
  new Map(
    sought.flatMap(({ name, value }) =>
      base64Cores(value).map(({ text, form }) => [text, { name, form }] as const),
    ),
  );

const breakWords: readonly (readonly [letter: string, text: string])[] = [
  ["n", "\n"],
  ["r", "\r\n"],
  ["j", "\\n"],
  ["k", "\\r\\n"],
];

/** How a text is broken into lines: `w20,76n2`. */
function layoutOf(written: string): string {
  const [first, ...others] = [...written.matchAll(lineBreak)];
  if (first === undefined) return "";
  const width = (others[0]?.index ?? written.length) - first.index - first[0].length;
  const letter = breakWords.find(([, text]) => text === first[1])?.[0] ?? "n";
  return `w${first.index},${width}${letter}${(first[2] as string).length}`;
}

/** The same text in lines again. */
export function inLayout(encoded: string, layout: string): string {
  const parts = /^w(\d+),(\d+)([nrjk])(\d+)$/.exec(layout);
  if (parts === null) return encoded;
  const [first, width, indent] = [Number(parts[1]), Math.max(1, Number(parts[2])), Number(parts[4])];
  const between = (breakWords.find(([letter]) => letter === parts[3])?.[1] ?? "\n") + " ".repeat(indent);
  const lines = [encoded.slice(0, first)];
  for (let at = first; at < encoded.length; at += width) lines.push(encoded.slice(at, at + width));
  return lines.join(between);
}

/** All of them, in their order; of two that overlap the one that begins first. */
export function wideMarks(
  text: string,
  sought: readonly SecretNeedle[],
  known: (form: string) => boolean,
  digits: Digits,
): WideMark[] {
  const all = [
    ...writtenMarks(text, sought),
    ...escapedMarks(text, sought, known),
    ...brokenMarks(text, sought, digits),
  ];
  all.sort((a, b) => a.from - b.from || b.to - a.to);
  let done = 0;
  return all.filter(({ from, to }) => {
    if (from < done) return false;
    done = to;
    return true;
  });
}
