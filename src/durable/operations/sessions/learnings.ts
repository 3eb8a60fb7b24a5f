/**
 * What agents learn by doing: normalised, so that two ways of writing one thing are one, kept per agent, and promoted to
 * `MEMORY.md` when the model asks for it or enough runs found it.
 */
import type { Json } from "../../../effects/index.ts";
import { compareTexts } from "../../../values/index.ts";
import { allEntries } from "../../entries.ts";
import type { Tx } from "../../tx.ts";

/** As a directive names it. */
export interface NewLearning {
  readonly text: string;
  readonly promote: boolean;
}

export interface Learning {
  readonly text: string;
  /** Milliseconds since the epoch: when it was first and last found. */
  readonly first: number;
  readonly last: number;
  /** Runs that found it. */
  readonly runs: number;
  /** Sessions that found it, the first ones. */
  readonly sessions: readonly string[];
  readonly promoted: boolean;
}

const maxLength = 500;
/** Of one agent; beyond, those go that are least worth keeping. */
const maxKept = 1000;
const maxSessions = 20;

/** One line without list mark and closing full stop; "" when it says nothing. */
export function normalisedLine(text: string): string {
  const line = text
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .replace(/^(?:[-*•–]|\d{1,3}[.)])\s+/u, "")
    .replace(/(?<!\.)\.$/u, "")
    .trim();
  if (!/[\p{L}\p{N}]/u.test(line)) return "";
  return [...line].slice(0, maxLength).join("").trim();
}

/** Equal for learnings that say the same: case, blanks, punctuation and Unicode form do not count. */
export function learningKey(text: string): string {
  const plain = normalisedLine(text).normalize("NFKC").toLowerCase();
  return plain.replace(/[\p{P}\p{S}\s]+/gu, " ").trim();
}

/** Those worth keeping, each once; asked twice, once for promotion, it is promoted. */
export function deduplicated(args: readonly NewLearning[]): NewLearning[] {
  const found = new Map<string, NewLearning>();
  for (const { text, promote } of args) {
    const line = normalisedLine(text);
    if (line === "") continue;
    const key = learningKey(line);
    const before = found.get(key);
    found.set(key, { text: before?.text ?? line, promote: promote || before?.promote === true });
  }
  return [...found.values()];
}

const learningSpace = (agent: string): string => `session.learnings/${agent}`;
const promotionsOf = (agent: string): string => `session.promotions/${agent}`;

/** The learnings of all agents, inside a transaction. */
export class Learnings {
  private readonly tx: Tx;
  constructor(tx: Tx) {
    this.tx = tx;
  }

  /** The most useful first. */
  list(agent: string): Learning[] {
    return [...allEntries(this.tx, learningSpace(agent))]
      .map(({ value }) => value as unknown as Learning)
      .sort(moreUseful);
  }

  /** Takes what a run found; gives the texts that are promoted by it. */
  learn(
    agent: string,
    found: readonly NewLearning[],
    by: { readonly session: string; readonly now: number; readonly promoteAfter: number },
  ): string[] {
    const promoted: string[] = [];
    for (const one of deduplicated(found)) {
      const learning = this.merged(agent, one, by);
      if (learning.promoted) {
        this.tx.put(promotionsOf(agent), learningKey(learning.text), learning.text);
        promoted.push(learning.text);
      }
    }
    if (found.length > 0) this.forgetTheLeast(agent);
    return promoted;
  }

  /** Writes one; `promoted` of what it gives is true when it was not before. */
  private merged(
    agent: string,
    { text, promote }: NewLearning,
    by: { readonly session: string; readonly now: number; readonly promoteAfter: number },
  ): Learning {
    const key = learningKey(text);
    const before = this.tx.get(learningSpace(agent), key) as unknown as Learning | undefined;
    const runs = (before?.runs ?? 0) + 1;
    const earlier = before?.sessions ?? [];
    const sessions = earlier.includes(by.session) ? earlier : [...earlier, by.session].slice(0, maxSessions);
    const wanted = promote || (by.promoteAfter > 0 && runs >= by.promoteAfter);
    const learning: Learning = {
      text: before?.text ?? text,
      first: before?.first ?? by.now,
      last: by.now,
      runs,
      sessions,
      promoted: before?.promoted === true || wanted,
    };
    this.tx.put(learningSpace(agent), key, learning as unknown as Json);
    return { ...learning, promoted: wanted && before?.promoted !== true };
  }

  private forgetTheLeast(agent: string): void {
    const known = this.list(agent);
    for (const { text } of known.filter(({ promoted }) => !promoted).slice(maxKept))
      this.tx.put(learningSpace(agent), learningKey(text), undefined);
  }

  /** Promoted, and perhaps not in `MEMORY.md` yet. */
  promotions(agent: string): string[] {
    return [...allEntries(this.tx, promotionsOf(agent))].map(({ value }) => String(value));
  }

  /** They are in the file. */
  written(agent: string, texts: readonly string[]): void {
    for (const text of texts) this.tx.put(promotionsOf(agent), learningKey(text), undefined);
  }
}

function moreUseful(a: Learning, b: Learning): number {
  return b.runs - a.runs || b.last - a.last || compareTexts(a.text, b.text);
}
