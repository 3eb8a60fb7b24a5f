/**
 * An operation: what several processes decide on, as a named, synchronous, pure function over a transaction. No clock, no
 * randomness, no input or output: an engine may run it again from its beginning, on another machine, and gets the same.
 */
import type { Json } from "../effects/index.ts";
import { StoreError } from "../store/index.ts";
import { type Field, oneOf, parseType, type SignatureType } from "../table/index.ts";
import type { Tx } from "./tx.ts";

export interface OperationSpec<Args, Result> {
  /** What it does, in one sentence. */
  readonly doc: string;
  /** A row for each argument. One whose type does not name `nil` must be there. */
  readonly args: readonly Field[];
  /**
   * Whose business it is: `session:42`. Writers of the same things name the same scope; an engine may lock them, and those
   * who watch a scope are told.
   */
  readonly scopes: (args: Args) => readonly string[];
  /** It only looks. */
  readonly reads?: true;
  /**
   * `disk` (default): survives a power loss when the operation returns. `process`: survives the end of the process; the
   * next commit to the disk brings it there, too.
   */
  readonly commit?: "disk" | "process";
  /** Arguments and result are JSON, so that both can cross a pipe. */
  readonly run: (tx: Tx, args: Args) => Result;
}

export interface Operation<Args, Result> extends OperationSpec<Args, Result> {
  /** `session.begin` */
  readonly name: string;
}

/** An operation whose types somebody else knows. */
export type AnyOperation = Operation<never, unknown>;

/** For inference: the types of arguments and result come from `run`. */
export const operation = <Args, Result>(spec: OperationSpec<Args, Result>): OperationSpec<Args, Result> =>
  spec;

type Named<S> = {
  readonly [K in keyof S]: S[K] extends OperationSpec<infer Args, infer Result>
    ? Operation<Args, Result>
    : never;
};

/** The operations of an area, each with its full name. */
export function defineOperations<S extends { readonly [name: string]: OperationSpec<never, unknown> }>(
  area: string,
  specs: S,
): Named<S> {
  const named = Object.entries(specs).map(([name, spec]) => [name, { ...spec, name: `${area}.${name}` }]);
  return Object.fromEntries(named) as Named<S>;
}

/** Throws a `StoreError` "invalid" that names the first argument that does not fit its row. */
export function checkArguments({ name, args }: AnyOperation, input: Json): void {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw new StoreError("invalid", `${name}: arguments must be an object, got ${operationShapeOf(input)}`);
  const fields = input as { readonly [key: string]: Json | undefined };
  for (const row of args) {
    const value = fields[row.name];
    if (!fits(typeOf(row.type), value)) throw wrong(name, row.name, row.type, value);
    if (row.values !== undefined && typeof value === "string" && !row.values.includes(value))
      throw wrong(name, row.name, oneOf(row.values), value);
    const [min, max] = row.range ?? [null, null];
    if (typeof value === "number" && (value < (min ?? value) || value > (max ?? value)))
      throw wrong(name, row.name, `${row.type} from ${min ?? "any"} to ${max ?? "any"}`, value);
  }
  for (const key of Object.keys(fields)) {
    if (fields[key] === undefined || args.some((row) => row.name === key)) continue;
    throw new StoreError("invalid", `${name}: there is no argument \`${key}\``, [
      `it has ${args.map((row) => row.name).join(", ")}`,
    ]);
  }
}

const wrong = (operation: string, argument: string, expected: string, value: Json | undefined): StoreError =>
  new StoreError(
    "invalid",
    `${operation}: ${argument}: expected ${expected}, got ${operationShapeOf(value)}`,
  );

/** Texts of types are parsed once. */
const types = new Map<string, SignatureType>();

function typeOf(text: string): SignatureType {
  let type = types.get(text);
  if (type === undefined) {
    type = parseType(text);
    types.set(text, type);
  }
  return type;
}

/** As `fitsType`, for JSON instead of script values; what is absent is nil. */
function fits(type: SignatureType, value: Json | undefined): boolean {
  if (type.kind === "union") return type.members.some((member) => fits(member, value));
  if (type.kind === "literal") return value === type.value;
  if (type.kind !== "name") return type.kind === "shape" && operationShapeOf(value) === "dict";
  const [first, second] = type.args;
  switch (type.name) {
    case "any":
      return value !== undefined;
    case "float":
      return typeof value === "number";
    case "list":
      return Array.isArray(value) && (first === undefined || value.every((item) => fits(first, item)));
    case "dict":
      return (
        operationShapeOf(value) === "dict" &&
        (second === undefined || Object.values(value as object).every((item) => fits(second, item as Json)))
      );
    default:
      return operationShapeOf(value) === type.name;
  }
}

function operationShapeOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "nil";
  if (Array.isArray(value)) return "list";
  if (typeof value === "object") return "dict";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  return typeof value === "boolean" ? "bool" : typeof value;
}
