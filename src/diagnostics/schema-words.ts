/**
 * What a value does not fit of a schema, in our words: "must be …", "is missing: …". For zod's parsers, as their option `error`;
 * texts that a schema brings itself stay. Rules, types and sizes are named, never what was given.
 */
import type { z } from "zod";

export const schemaWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return wrongType(issue);
    case "invalid_value":
      return issue.input === undefined
        ? `is missing: it must be ${oneOf(issue.values)}`
        : `must be ${oneOf(issue.values)}`;
    case "too_small":
      return tooSmall(issue);
    case "too_big":
      return tooBig(issue);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return issue.format === "regex"
        ? `must have the form ${issue.pattern ?? "of its rule"}`
        : `must be a valid ${issue.format}`;
    case "invalid_key":
      return "has a key that can't be used";
    case "invalid_union":
      return issue.input === undefined ? "is missing" : "has none of the forms that it may have";
    default:
      return "does not fit";
  }
};

/** `"a"`, `"b" or "c"`; numbers and `null` as they are. */
function oneOf(values: readonly unknown[]): string {
  const words = values.map((value) => (typeof value === "bigint" ? String(value) : JSON.stringify(value)));
  const last = words.pop() ?? "nothing";
  return words.length === 0 ? last : `${words.join(", ")} or ${last}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  bigint: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
  tuple: "a list",
  null: "null",
};

const nameOf = (type: string): string => typeNames[type] ?? type;

type Issue<Code> = Extract<z.core.$ZodRawIssue, { code: Code }>;

function wrongType(issue: Issue<"invalid_type">): string {
  const expected = nameOf(issue.expected);
  const { input } = issue;
  if (input === undefined) return `is missing: it must be ${expected}`;
  // A text that stands for a number is NaN by now; a fraction is a number, and not the expected one.
  if (typeof input === "number" && /number$/.test(expected)) return `must be ${expected}`;
  const found = input === null ? "null" : Array.isArray(input) ? "array" : typeof input;
  return found === "object" && expected === "an object"
    ? `must be ${expected}`
    : `must be ${expected}, it is ${nameOf(found)}`;
}

const units: Readonly<Record<string, readonly [string, string]>> = {
  string: ["character", "characters"],
  array: ["item", "items"],
};

function tooSmall({ origin, minimum, inclusive, input }: Issue<"too_small">): string {
  const unit = units[origin];
  if (unit === undefined) return `must be ${inclusive === false ? "above" : "at least"} ${minimum}`;
  if (Number(minimum) === 1) return "must not be empty";
  return `must have at least ${counted(Number(minimum), unit)}${itHas(input)}`;
}

function tooBig({ origin, maximum, inclusive, input }: Issue<"too_big">): string {
  const unit = units[origin];
  if (unit === undefined) return `must be ${inclusive === false ? "below" : "at most"} ${maximum}`;
  return `must have at most ${counted(Number(maximum), unit)}${itHas(input)}`;
}

const counted = (count: number, [one, many]: readonly [string, string]): string =>
  `${count} ${count === 1 ? one : many}`;

const itHas = (input: unknown): string =>
  typeof input === "string" || Array.isArray(input) ? `; it has ${input.length}` : "";

/** `body.list[1].path`; keys that are no names in quotes: `body["a b"]`. */
export const pathText = (where: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) =>
      typeof key === "number"
        ? `${text}[${key}]`
        : /^[A-Za-z_][\w-]*$/.test(String(key))
          ? `${text}${text === "" ? "" : "."}${String(key)}`
          : `${text}[${JSON.stringify(String(key))}]`,
    where,
  );
