/**
 * Schemas of programs (Standard Schema): validating, and the JSON Schema that models are given. No schema library is named but in
 * the lines that people are told to write. Light: the root has it.
 */
import type { JsonSchema, Schema, ValidationIssue } from "./types.ts";

/** The part of Standard JSON Schema that is used here. */
interface JsonSchemaSide {
  input?(options: { readonly target: string }): unknown;
  output?(options: { readonly target: string }): unknown;
}

/** A value does not fit its schema. `category` is the error's in scripts (`error_category`). */
export class SchemaMismatch extends Error {
  override readonly name = "SchemaMismatch";
  readonly category = "schema_validation";
  readonly issues: readonly ValidationIssue[];
  constructor(what: string, issues: readonly ValidationIssue[]) {
    super(`${what} does not fit its schema: ${issuesText(issues)}`);
    this.issues = issues;
  }
}

/** The value as the schema reads it. `what`: `the input of lookup`. */
export async function validated<T>(schema: Schema<T>, value: unknown, what: string): Promise<T> {
  let checked: Awaited<ReturnType<Schema<T>["~standard"]["validate"]>>;
  try {
    checked = await schema["~standard"].validate(value);
  } catch (error) {
    throw new Error(`the schema of ${what} failed: ${thrownInWords(error)}`, { cause: error });
  }
  // Whatever its type says: it is somebody else's.
  if (!isValidation(checked))
    throw new Error(
      `the schema of ${what} failed: its \`validate\` gives neither {value} nor {issues}, as Standard Schema has it`,
    );
  if (checked.issues !== undefined) throw new SchemaMismatch(what, checked.issues);
  return checked.value;
}

function isValidation(checked: unknown): boolean {
  if (typeof checked !== "object" || checked === null) return false;
  const { issues } = checked as { readonly issues?: unknown };
  return issues === undefined ? "value" in checked : Array.isArray(issues);
}

/** So many are told one by one. */
const shownIssues = 5;

/** `$.user.age: expected a number; $: …` */
export function issuesText(issues: readonly ValidationIssue[]): string {
  const shown = issues
    .slice(0, shownIssues)
    .map(({ path, message }) => `${issuePath(path ?? [])}: ${message}`);
  const more = issues.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

const issuePath = (path: NonNullable<ValidationIssue["path"]>): string =>
  path.reduce<string>((text, step) => text + stepText(typeof step === "object" ? step.key : step), "$");

function stepText(key: PropertyKey): string {
  if (typeof key === "number") return `[${key}]`;
  if (typeof key === "symbol") return `[${String(key)}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** An error in one line. */
export const thrownInWords = (error: unknown): string =>
  error instanceof Error && error.message !== ""
    ? `${error.name === "Error" ? "" : `${error.name}: `}${error.message}`
    : String(error);

/** A JSON Schema, or why there is none. */
export type SchemaForModels =
  | { readonly schema: JsonSchema }
  | { readonly problem: string; readonly line: string };

const draft = { target: "draft-2020-12" };

/** The JSON Schema of what a schema reads, as it says itself. */
export function jsonSchemaOf(schema: Schema): SchemaForModels {
  const { vendor, jsonSchema } = schema["~standard"] as Schema["~standard"] & {
    readonly jsonSchema?: JsonSchemaSide;
  };
  const line = lineFor(vendor);
  if (typeof jsonSchema?.input !== "function") {
    return { problem: `this ${vendor} schema can't say its JSON Schema by itself`, line };
  }
  try {
    return { schema: withoutDialect(jsonSchema.input(draft)) };
  } catch (error) {
    return { problem: `its JSON Schema can't be had: ${thrownInWords(error)}`, line: ownSchema };
  }
}

/** The JSON Schema of what a schema gives; undefined where it can't say it: nobody needs it. */
export function resultSchemaOf(schema: Schema | undefined): JsonSchema | undefined {
  const side = (schema?.["~standard"] as { readonly jsonSchema?: JsonSchemaSide } | undefined)?.jsonSchema;
  try {
    return typeof side?.output === "function" ? withoutDialect(side.output(draft)) : undefined;
  } catch {
    return undefined;
  }
}

/** Vendors of models take the draft for granted, and some refuse its name. */
function withoutDialect(schema: unknown): JsonSchema {
  const { $schema: _, ...rest } = schema as JsonSchema;
  return rest;
}

const ownSchema = 'inputSchema: { type: "object", properties: { … }, required: [ … ] }';

/** What to write where a schema can't say its JSON Schema. */
function lineFor(vendor: string): string {
  switch (vendor) {
    case "valibot":
      return 'input: toStandardJsonSchema(…)   // import { toStandardJsonSchema } from "@valibot/to-json-schema"';
    case "zod":
      return "inputSchema: z.toJSONSchema(…)   // zod says it by itself from 4.2 on";
    case "arktype":
      return "inputSchema: ….toJsonSchema()   // arktype says it by itself from 2.1.28 on";
    default:
      return ownSchema;
  }
}
