/**
 * Where the program called the library: that is what the stack of an error shows. Our own frames tell nobody anything, and what a run
 * fails with is made when the call is long over.
 */
import { HarnError } from "../errors.ts";

/** A function that programs call. */
type Called = (...args: never[]) => unknown;

export class CallSite {
  declare private readonly stack: string;

  /** Made while `called` is called; it and what it has called are left out. */
  constructor(called: Called) {
    Error.captureStackTrace(this, called);
  }

  /** A failure, and ours that it comes from: with the stack of the call. */
  mark(failure: unknown): void {
    const frames = this.stack.indexOf("\n    at ");
    for (let one = failure; one instanceof HarnError; one = one.cause)
      one.stack = `${one.name}: ${one.message}${frames < 0 ? "" : this.stack.slice(frames)}`;
  }
}

/** What rejects, of ours, when the call of `called` is long over has its stack; what `called` was given to do has its own. */
export async function awaitedBy<T>(called: Called, work: () => PromiseLike<T>): Promise<T> {
  const site = new CallSite(called);
  try {
    return await work();
  } catch (error) {
    site.mark(error);
    throw error;
  }
}

/** The same of what is read one by one. */
export function readBy<T>(called: Called, work: () => AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  const site = new CallSite(called);
  return (async function* () {
    try {
      yield* work();
    } catch (error) {
      site.mark(error);
      throw error;
    }
  })();
}

/** What is thrown while `called` is called, of ours, has the stack of the call. */
export function calledBy<T>(called: Called, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof HarnError) Error.captureStackTrace(error, called);
    throw error;
  }
}
