/** What does not fit a schema, in words: every place with its rule, and what was probably meant. */
import { z } from "zod";
import { nearest, pathText, schemaWords } from "../diagnostics/index.ts";
import { type FieldError, HttpProblem } from "./problems.ts";

const maxErrors = 50;
const maxNamed = 12;

/**
 * A value as its schema has it, or what does not fit, at most 50 places. Messages name types, rules and what the schema knows, never
 * what was sent. Places begin with `where`; `""`: with the name of the field.
 */
export function parsedOr<T>(
  schema: z.ZodType<T>,
  value: unknown,
  where: string,
): { readonly value: T } | { readonly errors: readonly FieldError[] } {
  const parsed = schema.safeParse(value, { reportInput: false, error: schemaWords });
  if (parsed.success) return { value: parsed.data };
  // What is misspelt explains what is missing.
  const issues = parsed.error.issues.toSorted((a, b) => Number(isUnknown(b)) - Number(isUnknown(a)));
  return { errors: issues.flatMap((issue) => errorsOf(issue, schema, value, where)).slice(0, maxErrors) };
}

/** Throws 422 `invalid` with every place that does not fit; the first one is told in words, too. */
export function fitting(schema: z.ZodType, value: unknown, where: "query" | "body"): unknown {
  const parsed = parsedOr(schema, value, where);
  if ("value" in parsed) return parsed.value;
  throw new HttpProblem("invalid", errorSummary(parsed.errors), { errors: parsed.errors });
}

const isUnknown = ({ code }: z.core.$ZodIssue): boolean => code === "unrecognized_keys";

function errorSummary(errors: readonly FieldError[]): string {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return first === undefined ? "it does not fit" : `${first.path}: ${first.message}${more}`;
}

function errorsOf(issue: z.core.$ZodIssue, schema: z.ZodType, value: unknown, where: string): FieldError[] {
  const path = pathText(where, issue.path);
  const found = issue.path.reduce<unknown>(memberAt, value);
  switch (issue.code) {
    case "unrecognized_keys": {
      const known = fieldsOf(schemaAt(schema, issue.path));
      return issue.keys.map((key) => ({
        path: pathText(path, [key]),
        message: `there is no such field${meant(key, known) || named(known)}`,
      }));
    }
    case "invalid_value":
      return [{ path, message: `${issue.message}${meant(found, issue.values)}` }];
    case "invalid_key":
      return issue.issues.map(({ message }) => ({ path, message }));
    case "invalid_union": {
      const at = unwrapped(schemaAt(schema, issue.path));
      const forms = at instanceof z.ZodUnion ? (at.options as readonly z.ZodType[]) : [];
      const messages = forms.flatMap((form, index) => {
        const issues: readonly z.core.$ZodIssue[] = issue.errors[index] ?? [];
        return issues.some(isOfWhole) ? [] : [{ form, issues, distance: distance(issues, form, found) }];
      });
      // Of the forms that a value may have, the one that it is nearest to.
      const [likely] = messages.sort((a, b) => a.distance - b.distance);
      if (likely === undefined) return [{ path, message: noForm(issue.message, forms, found) }];
      return likely.issues.flatMap((one) => errorsOf(one, likely.form, found, path));
    }
    default:
      return [{ path, message: issue.message }];
  }
}

/** The value is of another type altogether: no form is nearer than the others. */
const isOfWhole = ({ code, path }: z.core.$ZodIssue): boolean => code === "invalid_type" && path.length === 0;

/** What is not there, and fields that are like none of the form, count double. */
function distance(issues: readonly z.core.$ZodIssue[], form: z.ZodType, value: unknown): number {
  return issues.reduce((sum, one) => {
    if (one.code !== "unrecognized_keys")
      return sum + (one.path.reduce<unknown>(memberAt, value) === undefined ? 2 : 1);
    const known = fieldsOf(schemaAt(form, one.path));
    return one.keys.reduce((inner, key) => inner + (meant(key, known) === "" ? 2 : 1), sum);
  }, 0);
}

/** What the forms are, where a value has none of them. */
function noForm(message: string, forms: readonly z.ZodType[], found: unknown): string {
  const described = forms.flatMap((form) => {
    const [first] = form.safeParse(undefined, { error: schemaWords }).error?.issues ?? [];
    const type = first?.message.replace(/^is missing: it must be /, "");
    const fields = fieldsOf(form);
    if (fields.length > 0) return [`an object with ${quoted(fields)}`];
    return type === undefined || type === first?.message ? [] : [type];
  });
  if (described.length < forms.length || described.length === 0) return message;
  const words = [...new Set(described)].join(", or ");
  return found === undefined ? `is missing: it must be ${words}` : `must be ${words}`;
}

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

/** The fields there are, where none is like the one that was sent. */
function named(known: readonly string[]): string {
  if (known.length === 0) return "";
  const rest = known.length - maxNamed;
  return `; there are ${quoted(known.slice(0, maxNamed))}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** `; did you mean …?`, or nothing. */
export function meant(input: unknown, known: readonly unknown[]): string {
  if (typeof input !== "string") return "";
  const names = known.filter((one) => typeof one === "string");
  const folded = names.find((one) => one.toLowerCase() === input.toLowerCase());
  const near = folded ?? nearest(input, names);
  return near === undefined ? "" : `; did you mean \`${near}\`?`;
}

const memberAt = (value: unknown, key: PropertyKey): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<PropertyKey, unknown>)[key]
    : undefined;

function fieldsOf(schema: z.ZodType | undefined): readonly string[] {
  const plain = unwrapped(schema);
  return plain instanceof z.ZodObject ? Object.keys(plain.shape) : [];
}

/** The part of a schema for a place of a value; `undefined` where a schema says nothing of its parts. */
function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let at = unwrapped(schema);
  for (const key of path) {
    if (at instanceof z.ZodObject) at = unwrapped((at.shape as Record<PropertyKey, z.ZodType>)[key]);
    else if (at instanceof z.ZodArray) at = unwrapped(at.element as z.ZodType);
    else if (at instanceof z.ZodRecord) at = unwrapped(at.valueType as z.ZodType);
    else return undefined;
  }
  return at;
}

/** Without what only says that it may be absent, or is computed. */
function unwrapped(schema: z.ZodType | undefined): z.ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrapped(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodLazy) return unwrapped(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in as z.ZodType);
  return schema;
}
