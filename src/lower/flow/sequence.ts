/**
 * Statement lists. A statement that gives `undefined` is done; anything else ends the list (or is a promise of either).
 * So a list that never waits costs one comparison per statement, and one that may wait no more than that.
 */
import { Exit, type Frame, type Run } from "../../interp/index.ts";
import { type Ex, ex, type St, st } from "../node.ts";

/** The statements after one that waits. */
async function restOfSequence(
  f: Frame,
  runs: readonly Run[],
  from: number,
  pending: Promise<unknown>,
): Promise<unknown> {
  const first = await pending;
  if (first !== undefined) return first;
  for (let i = from; i < runs.length; i++) {
    let result = runs[i]!(f);
    if (result === undefined) continue;
    if (result instanceof Promise) result = await result;
    if (result !== undefined) return result;
  }
  return undefined;
}

function sequenceMay(runs: readonly Run[]): Run {
  const last = runs.length - 1;
  return (f) => {
    for (let i = 0; i <= last; i++) {
      const result = runs[i]!(f);
      if (result === undefined) continue;
      if (i < last && result instanceof Promise) return restOfSequence(f, runs, i + 1, result);
      return result;
    }
    return undefined;
  };
}

function sequenceSync(runs: readonly Run[]): Run {
  const [a, b, c, d] = runs as [Run, Run, Run, Run];
  switch (runs.length) {
    case 2:
      return (f) => {
        const r = a(f);
        return r !== undefined ? r : b(f);
      };
    case 3:
      return (f) => {
        let r = a(f);
        if (r !== undefined) return r;
        r = b(f);
        return r !== undefined ? r : c(f);
      };
    case 4:
      return (f) => {
        let r = a(f);
        if (r !== undefined) return r;
        r = b(f);
        if (r !== undefined) return r;
        r = c(f);
        return r !== undefined ? r : d(f);
      };
    case 5:
    case 6:
    case 7:
      // A level more, but no loop over an array.
      return sequenceSync([a, b, c, sequenceSync(runs.slice(3))]);
    default:
      return (f) => {
        for (let i = 0; i < runs.length; i++) {
          const r = runs[i]!(f);
          if (r !== undefined) return r;
        }
        return undefined;
      };
  }
}

const nothing: St = st(() => undefined);

/** How deep statements may be nested into those before them: each level is a level of the stack. */
const maxDepth = 8;

/** One statement after the other. */
export function sequence(all: readonly St[], depth = 0): St {
  if (all.length === 0) return nothing;
  if (all.length === 1) return all[0]!;
  const guard = depth < maxDepth ? all.findIndex((one) => one.before !== undefined) : -1;
  if (guard >= 0 && guard < all.length - 1) {
    const rest = sequence(all.slice(guard + 1), depth + 1);
    return sequence([...all.slice(0, guard), all[guard]!.before!(rest)], maxDepth);
  }
  const runs = all.map((one) => one.run);
  const may = all.some((one) => one.may);
  // Only the last may wait: its promise is the list's.
  const middle = all.slice(0, -1).some((one) => one.may);
  const one = {
    ...st(
      middle ? sequenceMay(runs) : sequenceSync(runs),
      may,
      all.some((one) => one.abrupt),
    ),
    ends: all.at(-1)!.ends === true,
  };
  return may ? one : { ...one, parts: runs };
}

/** Statements, then the expression that is the block's value. */
export function sequenceValue(first: St, last: Ex): Ex {
  const lead = first.run;
  const value = last.run;
  if (!first.may && !first.abrupt)
    return ex(
      (f) => {
        lead(f);
        return value(f);
      },
      last.may,
      last.exits,
    );
  const go = (f: Frame, completion: unknown) => (completion === undefined ? value(f) : new Exit(completion));
  if (!first.may) return ex((f) => go(f, lead(f)), last.may, true);
  return ex(
    (f) => {
      const completion = lead(f);
      return completion instanceof Promise ? completion.then((c) => go(f, c)) : go(f, completion);
    },
    true,
    first.abrupt || last.exits,
  );
}

/** Statements, then the one that gives the function's result (never `undefined`). */
export function sequenceReturn(first: St | undefined, last: St): St {
  return first === undefined ? last : sequence([first, last]);
}
