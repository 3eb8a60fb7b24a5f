/**
 * What a chunk has of its set. Trials: as many as are expected to take a minute by what was measured so far, and towards the end so few
 * that all who work have some. Connections to providers, money, tokens: set aside when it is handed out and given back with its end, so
 * nothing is ever exceeded, whoever dies. Pure.
 */
import type { SpentMoney } from "../../eval/engine/index.ts";
import { rulesOf } from "../../eval/engine/index.ts";

const wantedMs = 60_000;
/** What a chunk costs beyond its trials (a process, a file there and back) is worth it for no less. */
const leastMs = 5000;
const maxTrials = 64;
/** How much the newest chunk says beside those before it. */
const newest = 0.5;

interface ChunkNeeds {
  /** Trials that nobody has yet. */
  readonly open: number;
  /** Chunks that are handed out. */
  readonly chunks: number;
  /** Trials that whoever does a chunk runs at once. */
  readonly atOnce: number;
}

export class ChunkPace {
  /** Trials a millisecond; undefined: nothing was measured. */
  private rate: number | undefined;

  /** So many trials took so long, in one chunk. */
  measured(trials: number, ms: number): void {
    if (trials === 0) return;
    const rate = trials / Math.max(1, ms);
    this.rate = this.rate === undefined ? rate : newest * rate + (1 - newest) * this.rate;
  }

  trialsFor({ open, chunks, atOnce }: ChunkNeeds): number {
    const { rate } = this;
    const byTime = rate === undefined ? atOnce : Math.max(atOnce, Math.floor(rate * wantedMs));
    const share = Math.ceil(open / (2 * Math.max(1, chunks)));
    const least = rate === undefined ? 1 : Math.floor(rate * leastMs);
    return Math.max(1, Math.min(maxTrials, byTime, Math.max(share, least)));
  }
}

/** Chunks that wait for somebody beside those at work: who becomes free finds one, and the last ones are not all given away early. */
export const chunksAhead = (atWork: number): number => Math.max(2, Math.ceil(atWork / 2));

type ConnectionRules = Readonly<Record<string, string>>;

export interface ConnectionNeeds {
  /** `--connections`, by provider. */
  readonly rules: ConnectionRules;
  /** Of the chunks that are handed out. */
  readonly given: readonly ConnectionRules[];
  /** Trials that whoever does the chunk runs at once: each waits for one request at a time. */
  readonly atOnce: number;
}

/** The rules for one more chunk; undefined: there is nothing left of a provider. */
export function connectionShare({ rules, given, atOnce }: ConnectionNeeds): ConnectionRules | undefined {
  const share: Record<string, string> = {};
  const before = given.map(rulesOf);
  for (const [provider, { min, start, max }] of rulesOf(rules)) {
    const used = before.reduce((sum, one) => sum + (one.get(provider)?.max ?? 0), 0);
    const left = max - used;
    if (left < 1) return undefined;
    const wanted = Math.min(atOnce, Math.ceil(max / (given.length + 2)));
    const own = Math.min(left, Math.max(1, wanted));
    const part = (connections: number): number => Math.max(1, Math.floor((connections * own) / max));
    const isFixed = min === max;
    share[provider] = isFixed ? String(own) : `${part(min)}-${Math.max(part(min), part(start))}-${own}`;
  }
  return share;
}

export interface MoneyNeeds {
  /** Neither spent nor set aside; null: there is no limit. */
  readonly unspent: SpentMoney<number | null>;
  /** What the trials of the chunk may cost, as far as it is known; US dollars. */
  readonly expectedUsd: number;
  /** Shares that were too small for these trials. */
  readonly tooLittle: SpentMoney<number>;
  /** Chunks that are handed out. */
  readonly chunks: number;
}

/** The share of one more chunk; undefined: others have to come back first. Nobody is at work: it gets all there is. */
export function moneyShare({
  unspent,
  expectedUsd,
  tooLittle,
  chunks,
}: MoneyNeeds): SpentMoney<number | null> | undefined {
  const costUsd = shareOf(unspent.costUsd, { expected: expectedUsd, tooLittle: tooLittle.costUsd, chunks });
  const tokens = shareOf(unspent.tokens, { expected: 0, tooLittle: tooLittle.tokens, chunks });
  return costUsd === undefined || tokens === undefined ? undefined : { costUsd, tokens };
}

function shareOf(
  unspent: number | null,
  {
    expected,
    tooLittle,
    chunks,
  }: { readonly expected: number; readonly tooLittle: number; readonly chunks: number },
): number | null | undefined {
  if (unspent === null) return null;
  const wanted = Math.max(expected === 0 ? unspent / (chunks + 2) : expected, 2 * tooLittle);
  if (wanted <= unspent && unspent > 0) return wanted;
  return chunks === 0 ? unspent : undefined;
}
