/**
 * What a pass leaves alone: the conversation's task, the running loop's prompt and a person's newest words, their older words
 * as far as they are few, the last exchanges, and what the model has not answered yet.
 */

import type { LadderSettings } from "../../../options/ladder-options.ts";
import { messageWeight } from "../../meter.ts";
import type { Group, ViewMessage } from "../exchanges.ts";
import { userTokensOf } from "./settings.ts";

export interface ProtectInput {
  readonly view: readonly ViewMessage[];
  readonly groups: readonly Group[];
  readonly settings: LadderSettings;
  readonly budget: number;
  readonly factor: number;
  /** Bodies that stay whatever happens: answers of people, pinned results, what was recalled just now. */
  readonly holds: (group: Group) => boolean;
}

export const groupTokens = (view: readonly ViewMessage[], { from, to }: Group, factor: number): number => {
  let tokens = 0;
  for (let at = from; at < to; at++)
    tokens += (messageWeight((view[at] as ViewMessage).message) / 4 + 4) * factor;
  return tokens;
};

/** The protected groups, by position in `groups`. */
export function protectedGroups(input: ProtectInput): Set<number> {
  const { view, groups, settings, budget, factor, holds } = input;
  const kept = new Set<number>();
  let lastModel = -1;
  for (const [index, group] of groups.entries()) {
    if (group.kind === "task" || holds(group)) kept.add(index);
    if (group.kind === "exchange" || group.kind === "text") lastModel = index;
  }
  // What came after the model's last message waits for its answer.
  for (let index = lastModel + 1; index < groups.length; index++)
    if (groups[index]?.kind !== "summary") kept.add(index);
  keepExchanges(input, kept);
  const untouched = view.length - settings.keepMessages;
  for (const [index, { kind, to }] of groups.entries())
    if (to > untouched && kind !== "summary") kept.add(index);
  let left = userTokensOf(settings, budget);
  let newest = true;
  for (let index = groups.length - 1; index >= 0; index--) {
    const group = groups[index] as Group;
    if (group.kind !== "person" && group.kind !== "task") continue;
    if (newest || kept.has(index)) kept.add(index);
    else {
      left -= groupTokens(view, group, factor);
      if (left >= 0) kept.add(index);
    }
    newest = false;
  }
  return kept;
}

/** The last exchanges, as far as a quarter of the budget holds them; at least one. */
function keepExchanges({ view, groups, settings, budget, factor }: ProtectInput, kept: Set<number>): void {
  let left = budget / 4;
  let count = 0;
  for (let index = groups.length - 1; index >= 0 && count < Math.max(1, settings.keepExchanges); index--) {
    const group = groups[index] as Group;
    if (group.kind !== "exchange") continue;
    left -= groupTokens(view, group, factor);
    if (count > 0 && left < 0) return;
    kept.add(index);
    count++;
  }
}
