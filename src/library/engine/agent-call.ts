/** What `agent_loop` is called with for an agent of a program. */
import type { Json } from "../../effects/index.ts";
import { harnError } from "../errors.ts";
import { toolDefinitions } from "../host-tools.ts";
import { agentLoopOptions } from "../loop-options.ts";
import { jsonSchemaOf, resultSchemaOf } from "../schema.ts";
import type { AnyTool, Schema } from "../types.ts";

export interface ProgramAgent {
  /** The function of the library, for messages. */
  readonly caller: string;
  readonly prompt: string;
  readonly output: Schema | undefined;
  /** Options of `agent_loop`, in camelCase. */
  readonly loop: { readonly [name: string]: unknown };
  readonly tools: readonly AnyTool[];
}

export function agentProgramCall({ caller, prompt, output, loop, tools }: ProgramAgent): {
  readonly prompt: string;
  readonly options: { readonly [name: string]: unknown };
} {
  const definitions: readonly Json[] = toolDefinitions(tools);
  const schema =
    output === undefined ? undefined : (resultSchemaOf(output) ?? refusedOutput(output, loop, caller));
  return {
    prompt,
    options: {
      ...(schema === undefined ? {} : { output_schema: schema, output_validation: "error" }),
      ...agentLoopOptions(loop, caller),
      ...(definitions.length === 0 ? {} : { tools: definitions }),
    },
  };
}

/** Without it nobody would tell the model what to answer. */
function refusedOutput(output: Schema, { outputSchema }: ProgramAgent["loop"], caller: string): undefined {
  if (outputSchema !== undefined) return undefined;
  const own = jsonSchemaOf(output);
  const problem = "problem" in own ? own.problem : "it has no JSON Schema of what it gives";
  const line = "problem" in own ? own.line : "inputSchema: { … }";
  const write = line.replace(/^inputSchema\b/, "outputSchema").replace(/^input\b/, "output");
  throw harnError("HARN-LIB-001", `${caller}: \`output\`: ${problem}; write\n  ${write}`);
}

/** A tool that stands later in the list stands in for one of its name. */
export const lastByName = (tools: readonly AnyTool[]): readonly AnyTool[] => [
  ...new Map(tools.map((one) => [one.name, one])).values(),
];
