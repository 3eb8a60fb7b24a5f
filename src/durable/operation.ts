/**
 * An operation: what several processes decide on, as a named, synchronous, pure function over a transaction. No clock, no
 * randomness, no input or output: an engine may run it again from its beginning, on another machine, and gets the same.
 *
 * Its arguments are said once, by the type of `run`: who calls is code of this program. What comes from outside (a request, a
 * flag, a script's value) is checked where it comes in.
 */
import type { OperateOptions } from "./ledger.ts";
import type { Tx } from "./tx.ts";

export interface OperationSpec<Args, Result> {
  /** What it does, in one sentence. */
  readonly doc: string;
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
  /** Arguments and result are JSON, so that both can cross a pipe; `undefined` is nil there. */
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

type NoArgs = Record<string, never>;

type OperationsOf<S> = {
  readonly [K in keyof S]: S[K] extends OperationSpec<infer Args, infer Result>
    ? Operation<[Args] extends [never] ? NoArgs : Args, Result>
    : never;
};

/** The operations of an area, each with its full name: `session.begin_work` for `beginWork`. */
export function defineOperations<S extends { readonly [name: string]: OperationSpec<never, unknown> }>(
  area: string,
  specs: S,
): OperationsOf<S> {
  const named = Object.entries(specs).map(([key, spec]) => {
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [key, { ...spec, name: `${area}.${name}` }];
  });
  return Object.fromEntries(named) as OperationsOf<S>;
}

/** Whoever does operations: a ledger, or a step of a script, in which each is done once. */
export interface Engine {
  operateSync<Args, Result>(operation: Operation<Args, Result>, args: Args, options?: OperateOptions): Result;
}

/** A method for each operation of a table. `Filled`: names of arguments that the engine adds. */
export type ClientOf<O, Filled extends string = never> = {
  readonly [K in keyof O]: O[K] extends Operation<infer Args, infer Result>
    ? [Args] extends [NoArgs]
      ? () => Result
      : (args: Omit<Args, Filled>, options?: OperateOptions) => Result
    : never;
};

/** The class of those who call the operations of a table on an engine; its methods are the table. */
export function clientOf<O extends { readonly [name: string]: AnyOperation }>(
  operations: O,
): new (
  engine: Engine,
) => ClientOf<O> & { readonly engine: Engine } {
  class Client {
    readonly engine: Engine;

    constructor(engine: Engine) {
      this.engine = engine;
    }
  }
  for (const [name, one] of Object.entries(operations))
    Object.defineProperty(Client.prototype, name, {
      value(this: Client, args: unknown = {}, options?: OperateOptions): unknown {
        return this.engine.operateSync(one, args as never, options);
      },
    });
  return Client as never;
}
