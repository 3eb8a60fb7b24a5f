/**
 * Autonomy tiers of triggers as ceilings: what a handler and its predicate may do by themselves, and everything that they start
 * (functions, tasks, agents, sub-agents). Held by the checks of effects and the judges of the machine, as every policy is.
 *
 * What a check refuses is noted in the scope, because a check decides the same on replay; what only a judge sees (it speaks inside
 * of an effect, and does not speak on replay) is known by its error.
 */
import type { Json } from "../../effects/index.ts";
import {
  type AccessJudge,
  addEffectCheck,
  addJudge,
  type EffectCheck,
  effectOwner,
  type HostAccess,
} from "../../host/index.ts";
import { type Runtime, type Task, TaskLocal } from "../../interp/index.ts";
import { Dict, fromJson, List, ScriptError, type Value } from "../../values/index.ts";
import { levelRank } from "./annotations.ts";
import { ceilingOf, isBookkeeping, levelOf, touchedByBuiltin } from "./builtin-guard.ts";

/** The most that a tier may do; `null`: whatever the program may. */
const ceilings = {
  shadow: "none",
  suggest: "read_only",
  act_with_approval: "read_only",
  act_auto: null,
} as const satisfies Readonly<Record<string, string | null>>;

export type AutonomyTier = keyof typeof ceilings;
export const autonomyTiers = Object.keys(ceilings) as readonly AutonomyTier[];

/** An effect that a tier refused: what would have been done. */
interface Proposal {
  readonly builtin: string;
  readonly arguments: Value;
  readonly reason: string;
}

/** One stretch of a handler. */
export class TierScope {
  readonly trigger: string;
  readonly tier: AutonomyTier;
  readonly refused: Proposal[] = [];
  /** A person has approved something: what follows runs. */
  isApproved = false;

  constructor(trigger: string, tier: AutonomyTier) {
    this.trigger = trigger;
    this.tier = tier;
  }

  /** The level that holds now; `null`: none. */
  get level(): string | null {
    return this.isApproved && this.tier === "act_with_approval" ? null : ceilings[this.tier];
  }

  refusal(builtin: string, need: string): ScriptError {
    const text = `trigger \`${this.trigger}\` runs as \`${this.tier}\`: ${builtin} needs \`${need}\``;
    return new ScriptError("thrown", text, { category: "tool_rejected" });
  }
}

/** Whether an error is the refusal of a tier. */
export const isTierRefusal = ({ category, value }: ScriptError): boolean =>
  category === "tool_rejected" &&
  typeof value === "string" &&
  /^trigger `.*` runs as `[a-z_]+`: /s.test(value);

const scopes = new TaskLocal<TierScope>("autonomy tiers", { binds: true });

/** Begins a stretch of a handler; the function that it gives ends it. */
export function enterTier(task: Task, scope: TierScope): () => void {
  if (scope.level !== null) installTiers(task.runtime);
  return scopes.enter(task, scope);
}

function installTiers(runtime: Runtime): void {
  addEffectCheck(runtime, checkTiers);
  addJudge(runtime, judgeTiers);
}

/** A person approved: handlers that may act with approval go on without their ceiling. */
export function noteApproval(task: Task): void {
  for (const scope of scopes.around(task)) scope.isApproved = true;
}

/** What needs no level of side effects, and is nothing that a `shadow` may do. */
const beyondLevels = ["llm.call", "people"] as const;

const levelGrants = (level: string, need: string): boolean =>
  (beyondLevels as readonly string[]).includes(need)
    ? level !== ceilings.shadow
    : levelRank(need) <= levelRank(level);

const checkTiers: EffectCheck = (task, call) => {
  const around = scopes.around(task);
  if (around.length === 0) return;
  const need = needOf(task, call);
  if (need === undefined) return;
  const builtin = call.kind.replaceAll(".", "_");
  for (const scope of around) {
    const { level } = scope;
    if (level === null || levelGrants(level, need)) continue;
    const error = scope.refusal(builtin, need);
    scope.refused.push({ builtin, arguments: proposedArguments(task, call), reason: error.value as string });
    throw error;
  }
};

/** Records of the runtime about what it does: questions to people, what became of events. */
const recordTopics = /^(?:hitl|trigger|autonomy)\./;

function needOf(task: Task, call: Parameters<EffectCheck>[1]): string | undefined {
  if (call.effect === "human") return "people";
  // A call that a mock answers does not leave.
  if (call.kind === "llm_call" && (call.args() as { mocked?: boolean } | null)?.mocked === true)
    return undefined;
  if (call.kind === "emit" && recordTopics.test((call.args() as { topic: string }).topic)) return undefined;
  const ceiling = ceilingOf(task, call);
  if (ceiling !== undefined) return levelOf(ceiling) ?? ceiling;
  const reads = task.runtime.builtins.get(call.kind)?.capability?.split(" ").includes("fs.read");
  return reads === true ? "read_only" : undefined;
}

const judgeTiers: AccessJudge = (access: HostAccess) => {
  const owner = effectOwner();
  if (owner === undefined || isBookkeeping(owner.kind)) return;
  const ceiling = touchedByBuiltin(access);
  const need = levelOf(ceiling) ?? ceiling;
  for (const scope of scopes.around(owner.task)) {
    const { level } = scope;
    if (level !== null && !levelGrants(level, need))
      throw scope.refusal(owner.kind.replaceAll(".", "_"), need);
  }
};

/** Characters of a text that a proposal shows. */
const shownChars = 2000;

/** The arguments of an effect as others may see them. */
function proposedArguments(task: Task, call: Parameters<EffectCheck>[1]): Value {
  const shown = (value: Value): Value => {
    if (typeof value === "string")
      return value.length > shownChars ? `${value.slice(0, shownChars)}…` : value;
    if (value instanceof List) return new List([...value].map(shown));
    return value instanceof Dict
      ? Dict.from([...value.entries()].map(([key, inner]): [string, Value] => [key, shown(inner)]))
      : value;
  };
  return shown(fromJson(task.runtime.secrets.hideIn(call.args()) as Json));
}
