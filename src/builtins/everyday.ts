/** The areas that most programs use. They are on the way of every start, so: small, and without heavy imports. */
import type { BuiltinSpec } from "../table/index.ts";
import { assertions } from "./assertions.ts";
import { collections } from "./data/collections.ts";
import { conversion } from "./data/conversion.ts";
import { json } from "./data/json.ts";
import { math } from "./data/math.ts";
import { results } from "./data/results.ts";
import { output } from "./process/output.ts";
import { strings } from "./text/strings.ts";

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
