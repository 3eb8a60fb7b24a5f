/** Tools of a program whose calls are counted. */
import type { AnyTool, ToolContext } from "../types.ts";

/** The calls of a tool with one key. */
export interface ToolCalls {
  readonly tool: string;
  /** Its idempotency key without the name of the run: `PATH#N`. */
  readonly key: string;
  readonly times: number;
  /** It reads, or is said to be idempotent. */
  readonly mayRepeat: boolean;
}

/** How long a call that the killed run had made is waited for: it may still be working, and is not to be met by its own repetition. */
const graceMs = 1000;

export class CountedTools {
  private readonly counted = new Map<string, ToolCalls>();
  private readonly made = new Map<AnyTool, AnyTool>();
  private readonly open = new Set<Promise<unknown>>();

  of(tools: readonly AnyTool[]): readonly AnyTool[] {
    return tools.map((tool) => {
      const counted = this.made.get(tool) ?? this.counting(tool);
      this.made.set(tool, counted).set(counted, counted);
      return counted;
    });
  }

  private counting(tool: AnyTool): AnyTool {
    return {
      ...tool,
      call: (input, context) => {
        this.count(tool, context);
        const call = tool.call(input, context);
        this.open.add(call);
        const over = (): void => void this.open.delete(call);
        call.then(over, over);
        return call;
      },
    };
  }

  private count({ name, effect, idempotent }: AnyTool, { run, idempotencyKey }: ToolContext): void {
    const key = idempotencyKey.slice(run.length + 1);
    const times = (this.counted.get(idempotencyKey)?.times ?? 0) + 1;
    const mayRepeat = effect === "read" || idempotent;
    this.counted.set(idempotencyKey, { tool: name, key, times, mayRepeat });
  }

  get calls(): readonly ToolCalls[] {
    return [...this.counted.values()];
  }

  async settled(): Promise<void> {
    const late = new AbortController();
    const time = new Promise<void>((over) => {
      const timer = setTimeout(over, graceMs);
      late.signal.addEventListener("abort", () => clearTimeout(timer));
    });
    await Promise.race([Promise.allSettled(this.open), time]);
    late.abort();
  }
}
