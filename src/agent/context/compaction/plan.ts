/**
 * What becomes of each message: a plan, never an edit. The log keeps every message as it was said; a view is made by
 * applying a plan to it.
 *
 *     kept first │ archived: summarized or dropped │ kept last: included, or cleared when a tool said too much
 *                ▲ the summary goes here
 */

export type StepDecision =
  /** Stays as it is. */
  | { readonly kind: "include" }
  /** Stays, with a shorter body. */
  | { readonly kind: "clear"; readonly text: string }
  /** Stays, with a note in place of its body, which is kept outside the view under this name. */
  | { readonly kind: "externalize"; readonly note: string }
  /** Goes; the summary speaks of it. */
  | { readonly kind: "summarize" }
  /** Goes without a word of its own. */
  | { readonly kind: "drop" };

export const include: StepDecision = { kind: "include" };
export const summarize: StepDecision = { kind: "summarize" };
export const drop: StepDecision = { kind: "drop" };

export interface ViewPlan {
  /** One per message. */
  readonly decisions: readonly StepDecision[];
  /** Where the summary is put; `null` when there is none. */
  readonly summaryAt: number | null;
}

/** The view that a plan makes. `changed` gives a message another body. */
export function applyPlan<T>(
  messages: readonly T[],
  plan: ViewPlan,
  changed: (message: T, body: string) => T,
  summary: () => T,
): T[] {
  const view: T[] = [];
  for (const [index, message] of messages.entries()) {
    if (index === plan.summaryAt) view.push(summary());
    const decision = plan.decisions[index] ?? include;
    if (decision.kind === "include") view.push(message);
    else if (decision.kind === "clear") view.push(changed(message, decision.text));
    else if (decision.kind === "externalize") view.push(changed(message, decision.note));
  }
  if (plan.summaryAt === messages.length) view.push(summary());
  return view;
}
