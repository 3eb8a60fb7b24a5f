/** Values of the program as JSON, for what is no value of a script: answers, the result of a forked step. */
import type { Json } from "../../effects/index.ts";
import { fromJs, toJson } from "../../values/index.ts";

export const jsonOfJs = (value: unknown): Json => toJson(fromJs(value)) as Json;
