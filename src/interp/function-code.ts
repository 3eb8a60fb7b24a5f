/** The code of a function of the script: what calls of it need to know, and its body. */
import type { Run } from "./frame.ts";

/** A function, lowered when it is first called: what a module declares but never calls costs nothing. */
export class FunctionCode {
  readonly name: string;
  readonly params: readonly string[];
  /** Slots of a frame. */
  readonly size: number;
  /** Parameters, without the rest parameter. */
  readonly arity: number;
  readonly rest: boolean;
  /** The number of arguments that needs no adjusting; -1 with a rest parameter. */
  readonly exact: number;
  /** First slot of the captures. */
  readonly captureBase: number;
  /** What a missing argument's slot gets: nil, or `undefined` when the body's prologue looks at it (defaults, checks). */
  readonly missing: null | undefined;
  readonly maxDepth: number;
  /** The body may give a `TailCall`. */
  tails = false;
  /** Gives the result, `undefined` for nil, or a `TailCall`; or a promise of the result. */
  body: Run;

  constructor(options: {
    name: string;
    params: readonly string[];
    size: number;
    rest: boolean;
    captureBase: number;
    missing: null | undefined;
    maxDepth: number;
    lower: (code: FunctionCode) => Run;
  }) {
    this.name = options.name;
    this.params = options.params;
    this.size = options.size;
    this.rest = options.rest;
    this.arity = options.rest ? options.params.length - 1 : options.params.length;
    this.exact = options.rest ? -1 : this.arity;
    this.captureBase = options.captureBase;
    this.missing = options.missing;
    this.maxDepth = options.maxDepth;
    this.body = (f) => {
      this.body = options.lower(this);
      return this.body(f);
    };
  }
}
