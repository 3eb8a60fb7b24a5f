/** How big a model is, judged by its name (agents.md §5.2). */

const tierNames = ["small", "mid", "frontier"] as const;

export type Tier = (typeof tierNames)[number];

/** The tier that a selector names: `small`, `tier/small`. */
export const tierNamed = (selector: string | undefined): Tier | undefined =>
  tierNames.find((tier) => selector === tier || selector === `tier/${tier}`);

const smallName = /(?:^|[-_.:/])(?:mini|nano|haiku|flash|tiny|lite|small)(?:$|[-_.:/0-9])/;
/** A parameter count up to 9 billion; `27b` and `235b` are not small. */
const smallCount = /(?:^|[^0-9.])(?:[0-9]|[0-9]\.[0-9]+)b(?:$|[^a-z0-9])/;
const frontierName = /claude-(?:[0-9.-]+)?(?:sonnet|opus|fable|mythos)|gpt-4o|gpt-[5-9]/;

/** The tier of a model id. */
export function tierOf(model: string): Tier {
  const id = model.toLowerCase();
  if (smallName.test(id) || smallCount.test(id)) return "small";
  return frontierName.test(id) ? "frontier" : "mid";
}
