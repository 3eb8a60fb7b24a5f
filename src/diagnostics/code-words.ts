/**
 * A code in words for people who look it up (`harn explain`, docs/reference/errors.md): its message and its advice with the names of
 * what they are about, `Expected EXPECTED, got FOUND at AT`, and what the catalogue explains.
 */
import { type Code, catalogue } from "./catalogue.ts";
import type { CatalogueEntry, Severity } from "./diagnostic.ts";

export interface CodeWords {
  readonly code: Code;
  readonly severity: Severity;
  /** The message; where a program words it itself, the first sentence of what it means. */
  readonly title: string;
  /** What it means and why it is reported. */
  readonly text: string;
  readonly advice: string | undefined;
}

/** The words of a code; `undefined` for an unknown one. Accepts `par-1` and `PAR-001` too. */
export function explain(code: string): CodeWords | undefined {
  const wanted = normalise(code);
  if (wanted === undefined || !Object.hasOwn(catalogue, wanted)) return undefined;
  return wordsOf(wanted as Code);
}

export function wordsOf(code: Code): CodeWords {
  // One cast: the table's value type is a union over codes.
  const { severity, message, help, explain: text } = catalogue[code] as unknown as CatalogueEntry<object>;
  const said = worded(message) ?? "";
  const title = /[a-z]{3}/.test(said) ? said : firstSentence(text);
  return { code, severity, title, text, advice: help === undefined ? undefined : worded(help) };
}

const firstSentence = (text: string): string =>
  /^[\s\S]*?[.:](?=\s|$)/.exec(text)?.[0].replace(/[.:]$/, "") ?? text;

/** The words for parameters that are their own names; `undefined` for words that want more than that, or are a parameter. */
function worded(words: (params: object) => unknown): string | undefined {
  try {
    const text = words(new Proxy({}, { get: (_target, key) => wordPlaceholder(String(key)) }));
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

/** `NAME` as a text, a list, and whatever else words make a text of. */
function wordPlaceholder(key: string): unknown {
  const name = key.replaceAll(/(?=[A-Z])/g, "_").toUpperCase();
  return Object.assign([name], { toString: () => name, toJSON: () => name });
}

function normalise(code: string): string | undefined {
  const parts = /^(?:harn-)?([a-z]+)-(\d+)$/i.exec(code.trim());
  return parts === null ? undefined : `HARN-${parts[1]!.toUpperCase()}-${parts[2]!.padStart(3, "0")}`;
}
