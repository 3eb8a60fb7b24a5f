/** An answer to a why: a claim in a short sentence, and what it rests on, each a claim of its own. */

export interface WhyAnswer {
  readonly claim: string;
  readonly because: readonly WhyAnswer[];
  /** `known`: told where it happened; `found`: by a search through texts. */
  readonly certainty: "known" | "found";
  /** Further reasons that are not listed. */
  readonly more: number;
}

export const answer = (
  claim: string,
  because: readonly WhyAnswer[] = [],
  certainty: WhyAnswer["certainty"] = "known",
): WhyAnswer => ({ claim, because, certainty, more: 0 });

/** So deep, and so wide, is an answer unless somebody asks for more. */
export const usualDepth = 6;
const widest = 8;

/** The answer as far as people want to read it. */
export function cutAnswer(whole: WhyAnswer, depth: number = usualDepth): WhyAnswer {
  if (depth <= 1) return { ...whole, because: [], more: whole.more + whole.because.length };
  const kept = whole.because.slice(0, widest);
  return {
    ...whole,
    because: kept.map((part) => cutAnswer(part, depth - 1)),
    more: whole.more + whole.because.length - kept.length,
  };
}

/** Nobody can answer that: there is no such message, turn, tool. The message says which there are. */
export class NoAnswer extends Error {}

/** `1 message`, `3 messages` */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;

/** `msg_1, msg_2, msg_3 … msg_40` */
export function listed(names: readonly string[], max = 12): string {
  if (names.length === 0) return "none";
  if (names.length <= max) return names.join(", ");
  return `${names.slice(0, max - 1).join(", ")} … ${names.at(-1)}`;
}
