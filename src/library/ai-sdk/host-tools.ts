/** Tools that `HarnessAgent` executes: for the run they are tools of its program, whose calls are handed over and answered. */
import type { AnyTool, JsonSchema, ToolContext } from "../types.ts";
import type { HostTool, StreamPart, TurnControl } from "./contract.ts";

type Result = Parameters<TurnControl["submitToolResult"]>[0];

export class HostTools {
  readonly tools: readonly AnyTool[];
  readonly names: ReadonlySet<string>;
  private readonly emit: (part: StreamPart) => void;
  private readonly waiting = new Map<string, (result: Result) => void>();

  constructor(tools: readonly HostTool[], emit: (part: StreamPart) => void) {
    this.emit = emit;
    this.names = new Set(tools.map(({ name }) => name));
    this.tools = tools.map((tool) => this.handedOver(tool));
  }

  private handedOver({ name, description = "", inputSchema }: HostTool): AnyTool {
    return {
      name,
      description,
      // Nobody says what it does outside: a run that was killed asks whether it was done.
      effect: "write",
      idempotent: false,
      timeout: undefined,
      approval: false,
      parameters: (inputSchema ?? { type: "object" }) as JsonSchema,
      returns: undefined,
      call: (input, context) => this.call(name, input, context),
    };
  }

  private async call(
    toolName: string,
    input: unknown,
    { idempotencyKey, signal }: ToolContext,
  ): Promise<unknown> {
    const answer = Promise.withResolvers<Result>();
    this.waiting.set(idempotencyKey, answer.resolve);
    const stop = (): void => answer.reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    // What was said before it comes first.
    await new Promise((next) => setTimeout(next, 0));
    this.emit({ type: "tool-call", toolCallId: idempotencyKey, toolName, input: JSON.stringify(input) });
    try {
      const { output, isError } = await answer.promise;
      if (isError === true) throw new Error(typeof output === "string" ? output : JSON.stringify(output));
      return output ?? null;
    } finally {
      this.waiting.delete(idempotencyKey);
      signal.removeEventListener("abort", stop);
    }
  }

  give(result: Result): void {
    this.waiting.get(result.toolCallId)?.(result);
  }
}
