/**
 * The catalogue of codes: one file per family under `catalogue/`, joined here. To add a code, add it to its family's
 * file with its `explain` text; to add a family, add a file and a line below. A code is never reused; wording may improve.
 */
import type { SourceFile, Span } from "../source/index.ts";
import { cli } from "./catalogue/cli.ts";
import { cmp } from "./catalogue/cmp.ts";
import { dep } from "./catalogue/dep.ts";
import { evl } from "./catalogue/evl.ts";
import { lnt } from "./catalogue/lnt.ts";
import { mat } from "./catalogue/mat.ts";
import { mod } from "./catalogue/mod.ts";
import { nam } from "./catalogue/nam.ts";
import { opt } from "./catalogue/opt.ts";
import { orc } from "./catalogue/orc.ts";
import { own } from "./catalogue/own.ts";
import { par } from "./catalogue/par.ts";
import { rmd } from "./catalogue/rmd.ts";
import { run } from "./catalogue/run.ts";
import { srv } from "./catalogue/srv.ts";
import { std } from "./catalogue/std.ts";
import { sus } from "./catalogue/sus.ts";
import { typ } from "./catalogue/typ.ts";
import type { CatalogueEntry, Diagnostic } from "./diagnostic.ts";

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
  ...cli,
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
