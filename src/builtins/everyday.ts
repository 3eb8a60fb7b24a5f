/** The areas that most programs use. They are on the way of every start, so: small, and without heavy imports. */
import type { BuiltinSpec } from "../table/index.ts";
import { assertions } from "./assertions.ts";
import { collections } from "./collections.ts";
import { conversion } from "./conversion.ts";
import { json } from "./json.ts";
import { math } from "./math.ts";
import { output } from "./output.ts";
import { results } from "./results.ts";
import { strings } from "./strings.ts";

export const everyday: readonly (readonly BuiltinSpec[])[] = [
  output,
  assertions,
  conversion,
  results,
  strings,
  math,
  collections,
  json,
];
