/**
 * Summaries merge as data: entries are added, named as no longer true or as finished, and never written anew. An entry
 * without a source in what was summarized is refused; so is one that says a number, path, hash or quotation that none of its
 * sources has.
 *
 *     prior entries ─┐
 *     delta ─────────┼─▶ mergeSummary ─▶ entries (ids count on) + what was refused and why
 *     sources ───────┘
 */
import type { StructuredSummary, SummaryFact, Trust } from "../../../../model/index.ts";
import { noSummary } from "../../../../model/index.ts";
import type { SummaryDelta } from "./delta.ts";
import { foldBlanks, ungrounded } from "./grounding.ts";

/** A message that a summary may cite. */
export interface SummarySource {
  readonly id: string;
  readonly text: string;
  readonly trust: Trust;
}

export interface RefusedEntry {
  readonly text: string;
  readonly why: "no source" | "ungrounded" | "empty" | "unknown id";
  /** What stands in none of its sources. */
  readonly found: readonly string[];
}

export interface MergedSummary {
  readonly summary: StructuredSummary;
  readonly refused: readonly RefusedEntry[];
  /** How many entries of the delta there were, changes of earlier ones among them. */
  readonly received: number;
  /** Messages of people that newer words of theirs take back. */
  readonly revoked: ReadonlySet<string>;
}

const ranks: Readonly<Record<Trust, number>> = { tool: 0, model: 1, user: 2 };

/** Every entry by its id, as text. */
export function summaryEntries(summary: StructuredSummary): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { id, text } of summary.facts) texts.set(id, text);
  for (const { id, text, why } of summary.decisions) texts.set(id, why === "" ? text : `${text} (${why})`);
  for (const { id, text } of summary.open_items) texts.set(id, text);
  for (const { id, tool, text, ok } of summary.tool_outcomes)
    texts.set(id, `${tool}: ${ok ? "" : "failed: "}${text}`);
  for (const { id, ref, what } of summary.artifact_refs) texts.set(id, what === "" ? ref : `${ref}: ${what}`);
  return texts;
}

/** What each entry says word for word wherever it is shown. */
export function entryTexts(summary: StructuredSummary): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { id, text } of [
    ...summary.facts,
    ...summary.decisions,
    ...summary.open_items,
    ...summary.tool_outcomes,
  ])
    texts.set(id, text);
  for (const { id, ref } of summary.artifact_refs) texts.set(id, ref);
  return texts;
}

/**
 * Pure. `sources` are the messages of the span and what people said beside it, in the order in which they were said; entries may
 * cite earlier entries, too.
 */
export function mergeSummary(
  prior: StructuredSummary | null,
  delta: SummaryDelta,
  sources: readonly SummarySource[],
): MergedSummary {
  return new Merge(prior ?? noSummary, sources).with(delta);
}

type SummaryOutcome = StructuredSummary["tool_outcomes"][number];

interface Cited {
  readonly sources: readonly string[];
  readonly texts: readonly string[];
}

class Merge {
  private readonly prior: StructuredSummary;
  private readonly byId = new Map<string, { readonly text: string; readonly trust: Trust }>();
  private readonly entries: ReadonlyMap<string, string>;
  private readonly all: readonly string[];
  /** What people said, in order. */
  private readonly people: readonly string[];
  private readonly refused: RefusedEntry[] = [];
  private readonly revoked = new Set<string>();
  private received = 0;

  constructor(prior: StructuredSummary, sources: readonly SummarySource[]) {
    this.prior = prior;
    this.entries = summaryEntries(prior);
    const trusts = new Map(prior.facts.map(({ id, trust }) => [id, trust]));
    for (const [id, text] of this.entries) this.byId.set(id, { text, trust: trusts.get(id) ?? "model" });
    for (const { id, text, trust } of sources) this.byId.set(id, { text, trust });
    this.people = sources.filter(({ trust }) => trust === "user").map(({ id }) => id);
    this.all = [...this.byId.values()].map(({ text }) => text);
  }

  with(delta: SummaryDelta): MergedSummary {
    const { prior } = this;
    const facts = [...prior.facts];
    for (const { text, sources } of delta.facts) {
      const cited = this.cited([text], sources);
      if (cited === null) continue;
      const same = indexOfText(facts, text);
      const trust = this.weakest(cited.sources);
      if (same < 0) facts.push({ id: `F${facts.length + 1}`, text, sources: cited.sources, trust });
      else facts[same] = sharedFact(facts[same] as SummaryFact, cited.sources, trust);
    }
    const decisions = [...prior.decisions];
    for (const { text, why, sources } of delta.decisions) {
      const cited = this.cited([text, why], sources);
      if (cited === null) continue;
      const same = indexOfText(decisions, text);
      if (same < 0) decisions.push({ id: `D${decisions.length + 1}`, text, why, sources: cited.sources });
      else decisions[same] = withSources(decisions[same] as (typeof decisions)[number], cited.sources);
    }
    const items = [...prior.open_items];
    for (const { text, sources } of delta.open_items) {
      const cited = this.cited([text], sources);
      if (cited === null) continue;
      const same = indexOfText(items, text);
      if (same < 0) items.push({ id: `O${items.length + 1}`, text, status: "open", sources: cited.sources });
      else items[same] = withSources(items[same] as (typeof items)[number], cited.sources);
    }
    const outcomes = [...prior.tool_outcomes];
    // There are as many as calls were summarized.
    const outcomeAt = new Map<string, number>();
    const outcomeKey = ({ tool, text, ok }: Pick<SummaryOutcome, "tool" | "text" | "ok">): string =>
      `${ok} ${tool}\0${text}`;
    if (delta.tool_outcomes.length > 0)
      for (const [at, entry] of outcomes.entries()) outcomeAt.set(outcomeKey(entry), at);
    for (const { tool, text, ok, sources } of delta.tool_outcomes) {
      const cited = this.cited([text], sources);
      if (cited === null) continue;
      const same = outcomeAt.get(outcomeKey({ tool, text, ok }));
      if (same !== undefined) {
        outcomes[same] = withSources(outcomes[same] as SummaryOutcome, cited.sources);
        continue;
      }
      outcomeAt.set(outcomeKey({ tool, text, ok }), outcomes.length);
      outcomes.push({ id: `T${outcomes.length + 1}`, tool, text, ok, sources: cited.sources });
    }
    const artifacts = [...prior.artifact_refs];
    for (const { ref, what, sources } of delta.artifact_refs) {
      const cited = this.cited([ref, what], sources);
      if (cited === null) continue;
      const same = artifacts.findIndex((entry) => entry.ref === ref && entry.what === what);
      if (same < 0) artifacts.push({ id: `A${artifacts.length + 1}`, ref, what, sources: cited.sources });
      else artifacts[same] = withSources(artifacts[same] as (typeof artifacts)[number], cited.sources);
    }
    const made = { facts, decisions, open_items: items, tool_outcomes: outcomes, artifact_refs: artifacts };
    const superseded = this.superseded(delta, made);
    for (const { id, sources } of delta.closes) {
      const at = items.findIndex((item) => item.id === id);
      if (this.named(id, at >= 0, sources))
        items[at] = { ...(items[at] as (typeof items)[number]), status: "closed" };
    }
    return {
      summary: {
        ...made,
        current_task: this.current(delta.current_task, prior.current_task),
        current_plan: this.current(delta.current_plan, prior.current_plan),
        superseded,
      },
      refused: this.refused,
      received: this.received,
      revoked: this.revoked,
    };
  }

  private superseded(
    { supersedes }: SummaryDelta,
    made: Omit<StructuredSummary, "current_task" | "current_plan" | "superseded">,
  ): StructuredSummary["superseded"] {
    const list = [...this.prior.superseded];
    const now = summaryEntries({ ...noSummary, ...made });
    for (const { id, by, reason, sources } of supersedes) {
      const takenBack = this.isTakenBack(id, sources);
      if (!this.named(id, takenBack || this.entries.has(id), sources)) continue;
      if (takenBack) this.revoked.add(id);
      if (list.some((entry) => entry.id === id)) continue;
      const other = by === null ? null : now.has(by) ? by : [...now].find(([, text]) => text === by)?.[0];
      const grounded = ungrounded(reason, this.textsOf(sources)).length === 0;
      list.push({ id, by: other === id ? null : (other ?? null), reason: grounded ? reason : "" });
    }
    return list;
  }

  /** Whether it is something that a person said, and newer words of people are named as the reason. */
  private isTakenBack(id: string, sources: readonly string[]): boolean {
    const at = this.people.indexOf(id);
    return at >= 0 && sources.some((source) => this.people.indexOf(source) > at);
  }

  /** Whether an earlier entry may be changed: it is there, and something in the span says so. */
  private named(id: string, known: boolean, sources: readonly string[]): boolean {
    this.received++;
    if (known && this.known(sources).length > 0) return true;
    this.refused.push({ text: id, why: known ? "no source" : "unknown id", found: [] });
    return false;
  }

  /** Task and plan as they are now; what the span does not bear out stays as it was. */
  private current(text: string, before: string): string {
    if (text === "") return before;
    const found = ungrounded(text, [...this.all, before]);
    if (found.length === 0) return text;
    this.refused.push({ text, why: "ungrounded", found });
    return before;
  }

  private known(ids: readonly string[]): string[] {
    return [...new Set(ids)].filter((id) => this.byId.has(id));
  }

  private textsOf(ids: readonly string[]): string[] {
    return this.known(ids).map((id) => (this.byId.get(id) as { text: string }).text);
  }

  private weakest(ids: readonly string[]): Trust {
    let trust: Trust = "user";
    for (const id of ids) {
      const own = this.byId.get(id)?.trust ?? "model";
      if (ranks[own] < ranks[trust]) trust = own;
    }
    return trust;
  }

  /** The sources of a new entry that there are; `null`: it is refused. */
  private cited(texts: readonly string[], ids: readonly string[]): Cited | null {
    this.received++;
    const text = texts.filter((part) => part !== "").join(" ");
    const refuse = (why: RefusedEntry["why"], found: readonly string[] = []): null => {
      this.refused.push({ text, why, found });
      return null;
    };
    if ((texts[0] ?? "") === "") return refuse("empty");
    const sources = this.known(ids);
    if (sources.length === 0) return refuse("no source");
    const from = this.textsOf(sources);
    const found = ungrounded(text, from);
    return found.length > 0 ? refuse("ungrounded", found) : { sources, texts: from };
  }
}

const indexOfText = (entries: readonly { readonly text: string }[], text: string): number => {
  const folded = foldBlanks(text);
  return entries.findIndex((entry) => foldBlanks(entry.text) === folded);
};

const unionOfTexts = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];

const withSources = <T extends { readonly sources: readonly string[] }>(
  entry: T,
  sources: readonly string[],
): T => ({ ...entry, sources: unionOfTexts(entry.sources, sources) });

function sharedFact(fact: SummaryFact, sources: readonly string[], trust: Trust): SummaryFact {
  const weaker = ranks[trust] < ranks[fact.trust] ? trust : fact.trust;
  return { ...fact, sources: unionOfTexts(fact.sources, sources), trust: weaker };
}
