/**
 * What a simulated user did wrong, found without a model: pure, so that the same dialogue has the same faults everywhere. What it
 * knows is what its scenario says, what the agent has said before, and what its own tools gave.
 */

import { Dict, List, textOf } from "../../values/index.ts";
import { canonicalJson, type Fault, type OnUserFault, type Score } from "../plan/index.ts";

export interface DialogueTurn {
  readonly role: "user" | "agent";
  readonly text: string;
}

interface DialogueFacts {
  /** All that the scenario says, as one text. */
  readonly scenario: string;
  readonly neverSays: readonly string[];
  readonly turns: readonly DialogueTurn[];
  /** Results of the user's own tools. */
  readonly toolResults: readonly string[];
  /** The user ended the dialogue. */
  readonly stopped: boolean;
  /** It had said as much as it may. */
  readonly outOfReplies: boolean;
  /** How often it was asked and said nothing. */
  readonly silences: number;
}

export function userFaults(facts: DialogueFacts): Fault[] {
  return [
    ...inventedFacts(facts),
    ...leakedTexts(facts),
    ...earlyStop(facts),
    ...repeatedMessages(facts),
    ...silentTurns(facts),
    ...endlessTalk(facts),
  ];
}

// ── invented facts ────────────────────────────────────────────────────────────────────────────────────────────────

/** Each is named once, at the turn in which it first occurs. */
function inventedFacts({ scenario, turns, toolResults }: DialogueFacts): Fault[] {
  const known = new Set([scenario, ...toolResults].flatMap(knownForms));
  const faults: Fault[] = [];
  let turn = 0;
  for (const { role, text } of turns) {
    if (role === "agent") {
      for (const form of knownForms(text)) known.add(form);
      continue;
    }
    turn += 1;
    for (const { token, form } of factTokens(text)) {
      if (known.has(form)) continue;
      known.add(form);
      faults.push({ kind: "invented", severity: "hindered", turn, evidence: token });
    }
  }
  return faults;
}

const opening = /^[\s"'([{<#$€*_]+/u;
const closing = /[\s"')\]}>.,;:!?*_]+$/u;
const email = /^[^\s@]+@[^\s@]+\.[^\s@]+$/u;

/** Without case, commas in numbers, leading `# $ €` and closing punctuation; numbers by value. */
function factForm(word: string): string {
  const bare = word
    .replace(opening, "")
    .replace(closing, "")
    .toLowerCase()
    .replace(/(?<=\d),(?=\d)/gu, "");
  return /^\d+(?:\.\d+)?$/u.test(bare) ? String(Number(bare)) : bare;
}

const spacedWords = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== "");

/** Words with a digit, except 0 to 10 alone, and e-mail addresses. */
function factTokens(text: string): { readonly token: string; readonly form: string }[] {
  return spacedWords(text).flatMap((word) => {
    const form = factForm(word);
    const isFact = email.test(form) || (/\d/u.test(form) && !/^(?:\d|10)$/u.test(form));
    return isFact ? [{ token: word.replace(opening, "").replace(closing, ""), form }] : [];
  });
}

/** What a text makes known: its words, and what stands between their punctuation (`2026-11-22` also makes `22` known). */
function knownForms(text: string): string[] {
  return spacedWords(text).flatMap((word) => [
    factForm(word),
    ...word.split(/[^\p{L}\p{N}@.,]+/u).map(factForm),
    ...word.split(/[^\p{L}\p{N}@]+/u).map(factForm),
  ]);
}

// ── the others ────────────────────────────────────────────────────────────────────────────────────────────────────

const userTurns = (turns: readonly DialogueTurn[]): string[] =>
  turns.filter(({ role }) => role === "user").map(({ text }) => text);

function leakedTexts({ turns, neverSays }: DialogueFacts): Fault[] {
  return userTurns(turns).flatMap((text, at) =>
    neverSays
      .filter((secret) => secret !== "" && text.toLowerCase().includes(secret.toLowerCase()))
      .map((secret): Fault => ({ kind: "leaked", severity: "helped", turn: at + 1, evidence: secret })),
  );
}

function earlyStop({ turns, stopped }: DialogueFacts): Fault[] {
  const last = turns.findLast(({ role }) => role === "agent");
  if (!stopped || last === undefined || !/[?？]["')\]*_\s]*$/u.test(last.text)) return [];
  const turn = userTurns(turns).length;
  return [{ kind: "early_stop", severity: "hindered", turn, evidence: lastSentence(last.text) }];
}

const lastSentence = (text: string): string =>
  (/[^.!?？\n]*[?？][^?？]*$/u.exec(text)?.[0] ?? text).trim().slice(-200);

function repeatedMessages({ turns }: DialogueFacts): Fault[] {
  const said = userTurns(turns).map((text) => text.trim());
  return said.flatMap((text, at): Fault[] => {
    const third = text !== "" && at >= 2 && said[at - 1] === text && said[at - 2] === text;
    return third && said[at - 3] !== text
      ? [{ kind: "repeats", severity: "hindered", turn: at + 1, evidence: text.slice(0, 200) }]
      : [];
  });
}

const silentTurns = ({ silences, turns }: DialogueFacts): Fault[] =>
  silences < 2
    ? []
    : [
        {
          kind: "silent",
          severity: "hindered",
          turn: userTurns(turns).length,
          evidence: "said nothing twice",
        },
      ];

const endlessTalk = ({ outOfReplies, turns }: DialogueFacts): Fault[] =>
  outOfReplies
    ? [
        {
          kind: "no_stop",
          severity: "minor",
          turn: userTurns(turns).length,
          evidence: "all its replies were used",
        },
      ]
    : [];

/**
 * Trials that were made again because their simulated user failed (`on_user_fault: "redo"`). Each attempt that was given up is
 * kept among the faults of the trial: reports count it, because choosing what to repeat shifts results, and what goes on with
 * the trial knows from it which stream its user has.
 */
const kind = "redone";

/** Streams of users lie so far apart for each attempt that no epoch has them: there are at most 1,000. */
const streamsApart = 1000;

/** Attempts that were given up, by their notes among the faults. */
export const redoneIn = (faults: readonly Fault[]): Fault[] => faults.filter((fault) => fault.kind === kind);

/** The note of an attempt that is given up for a fault; undefined where the trial stays as it is. */
export function redoneFor(
  rule: OnUserFault,
  before: readonly Fault[],
  found: readonly Fault[],
): Fault | undefined {
  const fault = found.find(({ severity }) => severity !== "minor");
  if (rule.kind !== "redo" || fault === undefined || redoneIn(before).length >= rule.times) return undefined;
  return { kind, severity: "minor", turn: fault.turn, evidence: `${fault.kind}: ${fault.evidence}` };
}

/** Notes of attempts of which nothing is known any more but that they were given up. */
export const forgottenRedone = (count: number): Fault[] =>
  Array.from({ length: count }, () => ({
    kind,
    severity: "minor",
    turn: 0,
    evidence: "its machine was lost",
  }));

/** The stream of the user in an epoch, after so many attempts that were given up. */
export const userStream = (epoch: number, redone: number): number => epoch + redone * streamsApart;

/** Those that the dialogue found, and those that a reviewer added. */
export function faultsOf(outcome: Dict, scores: readonly Score[]): Fault[] {
  const dialogue = outcome.get("dialogue");
  const found = dialogue instanceof Dict ? dialogue.get("faults") : null;
  return [found, ...scores.map(({ meta }) => meta?.get("faults"))].flatMap((list) =>
    list instanceof List
      ? list.toArray().flatMap((one) => (one instanceof Dict ? [faultFrom(one)] : []))
      : [],
  );
}

const faultFrom = (options: Dict): Fault => ({
  kind: textOf(options.get("kind") ?? ""),
  severity: (options.get("severity") ?? "minor") as Fault["severity"],
  turn: Number(options.get("turn") ?? 0),
  evidence: textOf(options.get("evidence") ?? ""),
});

/** Canonical JSON, as the store keeps them. */
export const faultsText = (faults: readonly Fault[]): string =>
  canonicalJson(
    new List(faults.map(({ kind, severity, turn, evidence }) => Dict.of({ kind, severity, turn, evidence }))),
  );
