/** Views for tests of the ladder: a few words per message, tools by name. */
import { groupExchanges, type ViewMessage } from "../../../../src/agent/context/compaction/exchanges.ts";
import type { LadderInput } from "../../../../src/agent/context/compaction/planner.ts";
import { inputBudget, messageWeight, rawTokens } from "../../../../src/agent/context/meter.ts";
import { usualSettings } from "../../../../src/agent/options/ladder-options.ts";
import { durabilityOf } from "../../../../src/agent/tools/durability.ts";
import type { ModelMessage, Origin } from "../../../../src/model/index.ts";

const writing = new Set(["edit_file", "write_file"]);

export class ViewMaker {
  readonly view: ViewMessage[] = [];
  private calls = 0;

  private add(message: ModelMessage, by: Origin["by"], kind: string | null = null): string {
    const id = `msg_${this.view.length + 1}`;
    this.view.push({ id, message, original: message, origin: { by, kind } });
    return id;
  }

  person(text: string): string {
    return this.add({ role: "user", content: text }, "person");
  }

  runtime(text: string): string {
    return this.add({ role: "user", content: text }, "runtime", "nudge");
  }

  model(text: string): string {
    return this.add({ role: "assistant", content: text }, "model");
  }

  /** An exchange: calls and what they gave. Gives the ids of the results. */
  calling(...calls: readonly { tool: string; args?: object; gives: string; fails?: boolean }[]): string[] {
    const made = calls.map((call) => ({ ...call, id: `call_${++this.calls}` }));
    this.add(
      {
        role: "assistant",
        content: "",
        tool_calls: made.map(({ id, tool, args = {} }) => ({ id, name: tool, arguments: args as never })),
      },
      "model",
    );
    return made.map(({ id, tool, gives, fails = false }) =>
      this.add(
        {
          role: "tool",
          tool_call_id: id,
          name: tool,
          content: fails
            ? `[error from ${tool}]\n${gives}\n[end of ${tool} error]\n`
            : `[result of ${tool}]\n${gives}\n[end of ${tool} result]\n`,
          ...(fails ? { is_error: true } : {}),
        },
        "tool",
      ),
    );
  }
}

export const tokensOfView = (view: readonly ViewMessage[]): number =>
  rawTokens({
    weight: view.reduce((sum, { message }) => sum + messageWeight(message), 0),
    messages: view.length,
  });

export function inputOf(view: readonly ViewMessage[], input: Partial<LadderInput> = {}): LadderInput {
  return {
    view,
    task: view[0]?.id ?? null,
    trigger: "soft",
    tokens: tokensOfView(view),
    factor: 1,
    budget: inputBudget({ window: null, maxTokens: null, maxInputTokens: 10_000 }),
    settings: usualSettings,
    durability: ({ tool }) => durabilityOf(tool, undefined, []),
    written: ({ tool, args }) => (writing.has(tool) && typeof args?.path === "string" ? [args.path] : []),
    named: ({ args }) => (typeof args?.path === "string" ? [args.path] : []),
    isWriting: ({ tool }) => writing.has(tool),
    holds: () => false,
    ...input,
  };
}

export const kindsOf = (view: readonly ViewMessage[], task: string | null): string[] =>
  groupExchanges(view, task).map(({ kind }) => kind);

/** Lines of text that differ from each other. */
export const filler = (chars: number, seed = "line"): string =>
  Array.from({ length: Math.ceil(chars / 12) }, (_, n) => `${seed} number ${n} of it.`)
    .join("\n")
    .slice(0, chars);
