/** Programs with flows: one `harn` after the other on one store, as programs that end and are started again. */
import { join } from "node:path";
import { harn } from "../../src/library/index.ts";
import type { Flow, FlowContext, Harn, HarnOptions } from "../../src/library/types.ts";

export interface FlowProgram<I, O> extends AsyncDisposable {
  readonly h: Harn;
  readonly flow: Flow<I, O>;
}

/** A program whose flow `work` is this function. */
export function flowProgram<I, O>(
  folder: string,
  fn: (ctx: FlowContext, input: I) => O,
  options: HarnOptions = {},
): FlowProgram<I, Awaited<O>> {
  const h = harn({ cwd: folder, store: join(folder, "state"), env: {}, ...options });
  return { h, flow: h.flow("work", fn), [Symbol.asyncDispose]: () => h.close() };
}

/** Never: what a step waits for in a program that is stopped meanwhile. */
export const never = (): Promise<never> => new Promise(() => {});

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
