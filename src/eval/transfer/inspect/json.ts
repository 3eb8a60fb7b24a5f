/** JSON as Inspect AI writes it: the bare words `NaN` and `Infinity` stand for numbers that JSON has no form for. */
import { isJsonObject, type Json, wellFormedJson } from "../../../values/index.ts";
import { ImportProblem } from "../imported-set.ts";

/** The bare words become null, which is unscored. */
export function parseInspectJson(written: string): Json {
  const text = wellFormedJson(written);
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Texts in quotes are passed over, so that only bare words change.
    const plain = text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gsu, (found) =>
      found.startsWith('"') ? found : "null",
    );
    try {
      return JSON.parse(plain) as Json;
    } catch {
      throw new ImportProblem("it is not JSON");
    }
  }
}

/** Stands for a value that is missing where Inspect wants one: it is written as the bare word `NaN`. */
export const unscored = Number.NaN;

/** Its text; a number that is none is written as a bare word. */
export function inspectText(value: Json): string {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(inspectText).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, part]) => part !== undefined);
  return `{${fields.map(([name, part]) => `${JSON.stringify(name)}:${inspectText(part)}`).join(",")}}`;
}
