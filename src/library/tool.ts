/**
 * `tool({…})`: a function of the program's own, for models and scripts. What can be wrong with it is told here, when it is made.
 * Light: the root has it; how it is offered to a run is the engine's (`host-tools.ts`).
 */
import { harnError } from "./errors.ts";
import { calledBy } from "./handles/call-site.ts";
import {
  anyText,
  bool,
  countFrom,
  type Elsewhere,
  fn,
  type Kinds,
  oneOfWords,
  problemsOf,
  record,
  schema,
  text,
} from "./option-checks.ts";
import { jsonSchemaOf, resultSchemaOf, validated } from "./schema.ts";
import type { JsonSchema, Schema, Tool, ToolSpec, Unseen } from "./types.ts";

type AnySpec = ToolSpec<string, Schema, Schema, unknown>;

const kinds: Kinds<AnySpec> = {
  name: anyText,
  description: text,
  input: schema,
  output: schema,
  inputSchema: record,
  effect: oneOfWords("read", "write"),
  idempotent: bool,
  timeout: countFrom(1),
  approval: bool,
  execute: fn,
};

const needed = ["name", "description", "input", "execute"] as const;

/** What other libraries call them. */
const elsewhere: Elsewhere = new Map([
  ["parameters", "input"],
  ["schema", "input"],
  ["outputSchema", "output"],
  ["returns", "output"],
  ["handler", "execute"],
  ["run", "execute"],
  ["func", "execute"],
  ["call", "execute"],
  ["needsApproval", "approval"],
  ["timeoutMs", "timeout"],
  ["timeout_ms", "timeout"],
]);

/** Makes a tool. Throws a `HarnError` that says everything that is wrong with it. */
export function tool<const N extends string, I extends Schema, O extends Schema = Schema, const R = Unseen>(
  given: ToolSpec<N, I, O, R>,
): Tool<N> {
  return calledBy(tool, () => checkedTool(given as unknown as AnySpec & { readonly name: N }));
}

function checkedTool<N extends string>(spec: AnySpec & { readonly name: N }): Tool<N> {
  const problems = [...problemsWith(spec)];
  if (problems.length > 0) throw harnError("HARN-LIB-006", `${nameIn(spec)}: ${problems.join("; ")}`);
  const {
    name,
    description,
    input,
    output,
    effect = "write",
    idempotent = false,
    timeout,
    approval = false,
  } = spec;
  return Object.freeze({
    name,
    description,
    effect,
    idempotent,
    timeout,
    approval,
    parameters: argumentSchema(name, input, spec.inputSchema),
    returns: resultSchemaOf(output),
    call: async (args, context) => {
      const read = await validated(input, args, `the input of ${name}`);
      const result: unknown = await spec.execute(read, context);
      return output === undefined ? result : await validated(output, result, `the result of ${name}`);
    },
  } satisfies Tool<N>);
}

/** How messages call it: by its name, if it has one. */
const nameIn = (spec: unknown): string => {
  const name = (spec as { readonly name?: unknown } | undefined)?.name;
  return typeof name === "string" && name !== "" ? `tool \`${name}\`` : "tool";
};

function* problemsWith(spec: AnySpec): Generator<string> {
  const wrong = problemsOf<AnySpec>(spec, kinds, elsewhere);
  yield* wrong;
  if (typeof spec !== "object" || spec === null) return;
  const lacking = needed.filter((key) => spec[key] === undefined);
  if (lacking.length > 0) yield `it lacks ${lacking.map((key) => `\`${key}\``).join(", ")}`;
  if (typeof spec.name === "string" && !/^[A-Za-z0-9_-]{1,64}$/.test(spec.name))
    yield "`name` must have 1 to 64 letters, digits, `_` and `-`";
}

/** What models see: an object, whose properties are the arguments. */
function argumentSchema(name: string, input: Schema, given: JsonSchema | undefined): JsonSchema {
  const refuse = (why: string): never => {
    throw harnError("HARN-LIB-006", `tool \`${name}\`: ${why}`);
  };
  if (given !== undefined) {
    if (given.type !== "object")
      refuse('`inputSchema` must be the JSON Schema of an object: `type: "object"`');
    return given;
  }
  const own = jsonSchemaOf(input);
  if ("problem" in own) return refuse(`${own.problem}; write\n  ${own.line}`);
  const { type } = own.schema;
  if (type !== "object")
    refuse(
      `\`input\` must be the schema of an object, whose properties are the arguments; it is that of ${typeof type === "string" ? `type ${type}` : "something else (a union, anything)"}`,
    );
  return own.schema;
}
