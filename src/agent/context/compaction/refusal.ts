/** Why steps of a script's own strategy are not carried out: they name what is pinned, half a pair, or what is not there. */
import type { MessageGroup, ViewMessage } from "./exchanges.ts";
import { leavesView, type StrategyStep } from "./strategy.ts";

/** `null`: nothing speaks against them. `pinned`: groups by position. */
export function whyRefused(
  steps: readonly StrategyStep[],
  view: readonly ViewMessage[],
  groups: readonly MessageGroup[],
  pinned: ReadonlySet<number>,
): string | null {
  const groupAt = new Map<string, number>();
  for (const [index, { from, to, bodies }] of groups.entries()) {
    for (const { id } of view.slice(from, to)) groupAt.set(id, index);
    for (const { at, index: nth } of bodies) groupAt.set(`${(view[at] as ViewMessage).id}/${nth}`, index);
  }
  const taken = new Set(steps.filter(leavesView).flatMap(({ ids }) => ids));
  for (const [index, step] of steps.entries()) {
    const where = `step ${index + 1} (${step.by})`;
    const unknown = step.ids.find((id) => !groupAt.has(id));
    if (unknown !== undefined) return `${where} names ${unknown}, which is not in view`;
    // Long words of people may be shown as head and tail, whoever said them.
    const held = step.ids.find((id) => {
      const at = groupAt.get(id) as number;
      const isWords = groups[at]?.kind === "person" || groups[at]?.kind === "task";
      return pinned.has(at) && !(step.by === "externalize" && isWords);
    });
    if (held !== undefined) return `${where} names ${held}, which is pinned`;
    const half = leavesView(step) ? halfOf(step.ids, taken, view, groups, groupAt) : null;
    if (half !== null) return `${where} takes ${half}: a call and its results go together`;
  }
  return null;
}

/** `msg_4 without msg_5`; `taken`: by all steps together. */
function halfOf(
  ids: readonly string[],
  taken: ReadonlySet<string>,
  view: readonly ViewMessage[],
  groups: readonly MessageGroup[],
  groupAt: ReadonlyMap<string, number>,
): string | null {
  for (const id of ids) {
    const { from, to } = groups[groupAt.get(id) as number] as MessageGroup;
    const left = view.slice(from, to).find((one) => !taken.has(one.id));
    if (left !== undefined) return `${id} without ${left.id}`;
  }
  return null;
}
