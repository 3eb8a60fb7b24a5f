/** `killAtEachRecord()`: a program is killed at each place where that makes a difference, and must come through all of them. */
import { isDeepStrictEqual } from "node:util";
import { type HarnError, harnError } from "../errors.ts";
import { CallSite, calledBy } from "../handles/call-site.ts";
import { checkWord, fn, run } from "../option-checks.ts";
import { checkHarn } from "../option-tables.ts";
import type { Order } from "../orders.ts";
import type { Harn, HarnOptions, ResumeOptions, Run, RunEnd, RunOptions } from "../types.ts";
import { benchHarn } from "./bench-harn.ts";
import { BrokenOffJournal } from "./broken-off.ts";
import { CountedTools, type ToolCalls } from "./counted-tools.ts";

export type { ToolCalls };

/** A run that was killed after a record of its journal, and resumed. */
export interface Kill {
  /** So many records were written; what it did after that was lost. */
  readonly record: number;
  /** The last of them, in words: `intent tool.pay 0#3`. */
  readonly after: string;
  /**
   * How it ended when it was resumed: `waiting` where it asks whether a call happened that may not be made twice (`onDoubt`), and nobody
   * answers.
   */
  readonly end: RunEnd;
  /** Calls of its tools, those before the kill included. */
  readonly calls: readonly ToolCalls[];
}

export interface Ledger {
  /** The run that was not killed. */
  readonly end: RunEnd;
  /** Records of its journal. */
  readonly records: number;
  readonly calls: readonly ToolCalls[];
  readonly kills: readonly Kill[];
  /** Calls that were made more than once although their tools neither read nor are idempotent. */
  readonly twice: readonly (ToolCalls & { readonly record: number })[];
  /** Kills after which the run did not end as the whole one did, nor waits for somebody who knows what happened. */
  readonly differing: readonly Kill[];
}

/**
 * Runs a program to its end, then again for each record of its journal, from those on that are written together when it begins: stopped
 * where it wants to write the next, and resumed. `make`
 * begins the run, the same each time, in the `testHarn` that it is given; `options` are those of `testHarn`. What tools change outside of
 * the runs is the test's to look at.
 */
export async function killAtEachRecord(
  make: (h: Harn) => Run<unknown>,
  options: HarnOptions = {},
): Promise<Ledger> {
  const site = new CallSite(killAtEachRecord);
  calledBy(killAtEachRecord, () => {
    checkWord("killAtEachRecord", "the first argument", make, fn);
    checkHarn("killAtEachRecord", options);
    if (options.store === false) throw killsRefusal("what is not stored can't be resumed (`store: false`)");
  });
  const whole = await oneRun(make, options, Number.POSITIVE_INFINITY, site);
  const records = whole.written.length;
  const kills: Kill[] = [];
  // After the last one there is nothing left to do.
  for (let record = whole.begun; record < records; record++) {
    const { end, calls, written } = await oneRun(make, options, record, site);
    kills.push({ record, after: written.at(-1) ?? "", end, calls });
  }
  return {
    end: whole.end,
    records,
    calls: whole.calls,
    kills,
    twice: kills.flatMap(({ record, calls }) =>
      calls.filter(({ times, mayRepeat }) => times > 1 && !mayRepeat).map((call) => ({ ...call, record })),
    ),
    differing: kills.filter(({ end }) => !endsAlike(end, whole.end) && !asksWhatHappened(end)),
  };
}

const killsRefusal = (why: string): HarnError => harnError("HARN-LIB-001", `killAtEachRecord: ${why}`);

/** The run that the function gives. An awaited one is its output, and which run that is of can't be told. */
function begunRun(given: unknown, site: CallSite): Run<unknown> {
  if (run.fits(given)) return given as Run<unknown>;
  const isPromise = given instanceof Promise;
  // It fails when its harn is closed, and nobody waits for it any more.
  if (isPromise) given.catch(() => {});
  const error = killsRefusal(
    isPromise
      ? "the function gives a promise, and must give the run itself, not awaited: (h) => h.run(…), without `async`"
      : `the function must give ${run.words}`,
  );
  site.mark(error);
  throw error;
}

interface OneRun {
  readonly end: RunEnd;
  readonly calls: readonly ToolCalls[];
  readonly written: readonly string[];
  readonly begun: number;
}

async function oneRun(
  make: (h: Harn) => Run<unknown>,
  options: HarnOptions,
  records: number,
  site: CallSite,
): Promise<OneRun> {
  const tools = new CountedTools();
  const journal = new BrokenOffJournal(records);
  const orders = new Map<string, Order>();
  await using h = benchHarn(
    killAtEachRecord,
    "killAtEachRecord",
    { ...options, ...(options.tools === undefined ? {} : { tools: tools.of(options.tools) }) },
    {
      order: (order) => {
        const counted = withTools(order, tools);
        orders.set(order.run, counted);
        return counted;
      },
      writer: (writer) => (writer.name === begun.id ? journal.of(writer) : writer),
    },
  );
  const begun = begunRun(make(h), site);
  let end = await begun.done;
  const order = orders.get(begun.id);
  if (order === undefined || !isBegun(order)) {
    const error = killsRefusal("the function gives a run that it has not begun in the `h` that it is given");
    site.mark(error);
    throw error;
  }
  if (journal.isDead) {
    await tools.settled();
    end = await h.resume(begun.id, resumeOptions(order)).done;
  }
  return { end, calls: tools.calls, written: journal.written, begun: journal.begun };
}

const withTools = (order: Order, counted: CountedTools): Order =>
  "tools" in order.options && Array.isArray(order.options.tools)
    ? ({ ...order, options: { ...order.options, tools: counted.of(order.options.tools) } } as Order)
    : order;

type BegunOrder = Extract<Order, { kind: "script" | "agent" | "flow" }>;
const isBegun = (order: Order): order is BegunOrder => ["script", "agent", "flow"].includes(order.kind);

function resumeOptions({ options }: BegunOrder): ResumeOptions {
  const { tools, output, signal, timeout, onPrint } = options as RunOptions;
  const kept = { tools, output, signal, timeout, onPrint };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}

const endsAlike = (one: RunEnd, other: RunEnd): boolean =>
  one.status === other.status &&
  one.error?.code === other.error?.code &&
  isDeepStrictEqual(one.output, other.output);

const asksWhatHappened = ({ status, questions = [] }: RunEnd): boolean =>
  status === "waiting" && questions.some(({ kind }) => kind === "doubt");
