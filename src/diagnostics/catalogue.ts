/**
 * The catalogue of codes: families in files under `catalogue/`, joined here. To add a code, add it to its family with its
 * `explain` text; to add a family, add it to the file of its subject and to the table below. A code is never reused; wording may
 * improve.
 */
import type { SourceFile, Span } from "../source/index.ts";
import { opt, std } from "./catalogue/calls.ts";
import { cli } from "./catalogue/cli.ts";
import { clu } from "./catalogue/clu.ts";
import { cmp } from "./catalogue/cmp.ts";
import { evl } from "./catalogue/evl.ts";
import { lib } from "./catalogue/lib.ts";
import { lnt } from "./catalogue/lnt.ts";
import { nam } from "./catalogue/nam.ts";
import { orc } from "./catalogue/orc.ts";
import { par } from "./catalogue/par.ts";
import { dep, mat, mod, own } from "./catalogue/program.ts";
import { rmd, run, sus } from "./catalogue/run.ts";
import { srv } from "./catalogue/srv.ts";
import { typ } from "./catalogue/typ.ts";
import type { CatalogueEntry, Diagnostic, Severity } from "./diagnostic.ts";

export const catalogue = {
  ...par,
  ...nam,
  ...cmp,
  ...typ,
  ...mat,
  ...own,
  ...dep,
  ...std,
  ...lnt,
  ...mod,
  ...opt,
  ...orc,
  ...rmd,
  ...sus,
  ...run,
  ...evl,
  ...srv,
  ...lib,
  ...cli,
  ...clu,
};

export type Code = keyof typeof catalogue;

/** What a code's wording needs to know. */
export type ParamsOf<C extends Code> =
  Parameters<(typeof catalogue)[C]["message"]> extends [infer P] ? P : undefined;

/** Makes the diagnostic of a code at a span. */
export function diagnostic<C extends Code>(
  code: C,
  source: SourceFile,
  span: Span,
  params: ParamsOf<C>,
): Diagnostic {
  // One cast: the table's value type is a union over codes, `params` belongs to this one.
  const words = catalogue[code] as unknown as CatalogueEntry<ParamsOf<C>>;
  const nearlyCertain = words.nearlyCertain?.(params) === true;
  return {
    code,
    severity: nearlyCertain ? "warning" : words.severity,
    message: words.message(params),
    source,
    span,
    label: words.label?.(params),
    help: words.help?.(params),
    ...(nearlyCertain ? { nearlyCertain } : {}),
    ...(words.whenRun === undefined ? {} : { whenRun: words.whenRun(params) }),
  };
}

/** As `harn check` judges: what is nearly certainly a mistake is an error there, though a run only warns of it. */
export function judgedByCheck(found: Diagnostic): Diagnostic {
  return isNearlyCertain(found) ? { ...found, severity: "error" } : found;
}

/** A mistake that a run survives, and only warns of. */
export function isNearlyCertain({ code, nearlyCertain }: Diagnostic): boolean {
  if (nearlyCertain === true) return true;
  return Object.hasOwn(catalogue, code) && catalogue[code as Code].atCheck === "error";
}

/**
 * A code in words for people who look it up (`harn explain`, docs/reference/errors.md): its message and its advice with the names of
 * what they are about, `Expected EXPECTED, got FOUND at AT`, and what the catalogue explains.
 */
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
