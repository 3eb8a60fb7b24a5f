/** The dict that `trigger_register` takes, checked and read. */
import { type AutonomyTier, autonomyTiers } from "../../../agent/index.ts";
import { showText } from "../../../diagnostics/index.ts";
import { milliseconds, type Task } from "../../../interp/index.ts";
import { Callable, Dict, List, runtimeError, typeOf, type Value } from "../../../values/index.ts";
import { type Argument, intOr, isInt, numberOf, option, textOf } from "../../arguments.ts";
import { writeError } from "../../process/output.ts";
import { triggerFields } from "../../rows/people.ts";
import type { BindingConfig, Handler, PredicateBudget } from "./binding.ts";
import { exhaustions, type OnExhausted, type TriggerBudget } from "./budget.ts";
import { parseCron } from "./cron.ts";
import { type EventPath, type EventTest, readFilter, readPath } from "./filter-text.ts";
import { RateWindow } from "./flow-control.ts";
import { type BackoffKind, noRetry, type RetryPolicy } from "./retry.ts";

const caller = "trigger_register";
const fail = (text: string): never => {
  throw runtimeError(`${caller}: ${text}`);
};

/** Reads a config; `freshId` names a trigger that has no id. */
export function bindingConfig(task: Task, input: Argument, freshId: () => string): BindingConfig {
  if (!(input instanceof Dict)) return fail(`config must be a dict, got ${typeOf(input ?? null)}`);
  warnOfUnknown(task, input);
  const text = (key: string): string | undefined => {
    const value = option(input, key);
    return value === undefined ? undefined : textOf(value);
  };
  const provider = text("provider") ?? text("kind") ?? fail("provider is required");
  const id = text("id") ?? freshId();
  if (id === "") return fail("id must not be empty");
  const budget = option(input, "budget");
  if (budget !== undefined && !(budget instanceof Dict))
    return fail(`budget must be a dict {daily_cost_usd, max_concurrent}, got ${typeOf(budget)}`);
  const when = callableOf("when", option(input, "when"));
  const whenBudget = predicateBudget(option(input, "when_budget"), budget);
  if (whenBudget !== undefined && when === undefined) return fail("when_budget requires a when predicate");
  const manifestPath = text("manifest_path");
  if (manifestPath !== undefined && when !== undefined && when.params.length !== 1)
    return fail(`when must take one event, ${when.name} takes ${when.params.length}`);
  return {
    id,
    kind: text("kind") ?? provider,
    provider,
    source: manifestPath === undefined ? "dynamic" : "manifest",
    handler: triggerHandlerOf(option(input, "handler"), option(input, "allow_cleartext") === true),
    when,
    whenBudget,
    retry: triggerRetryOf(option(input, "retry")),
    events: eventsOf(input),
    dedupeKey: dedupeOf(option(input, "dedupe_key")),
    filter: filterOf(option(input, "filter")),
    budget: triggerBudgetOf(budget),
    rate: rateOf(option(input, "rate_limit")),
    tenantId: text("tenant_id"),
    autonomyTier: autonomyTier(text("autonomy_tier") ?? text("tier") ?? "act_auto"),
    manifestPath,
    packageName: text("package_name"),
    ...scheduleOf(task, id, text("schedule"), text("timezone")),
  };
}

const autonomyTier = (name: string): AutonomyTier =>
  autonomyTiers.find((tier) => tier === name) ??
  fail(`unknown autonomy_tier '${name}'; expected ${autonomyTiers.join(", ")}`);

/** Not an error: manifests of other products carry more. */
function warnOfUnknown(task: Task, config: Dict): void {
  const unknown = config.keys().filter((key) => triggerFields.get(key) === undefined);
  if (unknown.length > 0) {
    writeError(task, showText(`warning: ${caller}: unknown keys are ignored: ${unknown.join(", ")}\n`));
  }
}

function callableOf(name: string, value: Value | undefined): Callable | undefined {
  if (value === undefined || value instanceof Callable) return value;
  return fail(`${name} must be a function, got ${typeOf(value)}`);
}

function triggerHandlerOf(value: Value | undefined, allowCleartext: boolean): Handler {
  if (value instanceof Callable) return { kind: "local", run: value };
  if (typeof value !== "string") {
    return fail(
      value === undefined
        ? "handler is required"
        : `handler must be a function or an a2a:// or worker:// address, got ${typeOf(value)}`,
    );
  }
  const [, scheme, rest = ""] = /^(a2a|worker):\/\/(.+)$/.exec(value) ?? [];
  if (scheme === "worker") return { kind: "worker", address: value, queue: rest };
  if (scheme === "a2a") {
    return { kind: "a2a", address: value, url: `${allowCleartext ? "http" : "https"}://${rest}` };
  }
  return fail(`handler must be a function or an a2a:// or worker:// address, got '${value}'`);
}

/** `when_budget`, and what `budget` says about the predicate; of two limits the smaller one counts. */
function predicateBudget(value: Value | undefined, budget: Argument): PredicateBudget | undefined {
  if (value !== undefined && !(value instanceof Dict))
    return fail(`when_budget must be a dict, got ${typeOf(value)}`);
  const amount = (of: Argument, path: string, key: string) => budgetAmount(`${path}.${key}`, option(of, key));
  const limits: PredicateBudget = {
    maxCostUsd: least(amount(value, "when_budget", "max_cost_usd"), amount(budget, "budget", "max_cost_usd")),
    maxTokens: least(
      amount(value, "when_budget", "tokens_max"),
      amount(value, "when_budget", "max_tokens"),
      amount(budget, "budget", "max_tokens"),
    ),
    timeoutMs: timeOf("when_budget.timeout", option(value, "timeout")),
  };
  const bounded = Object.values(limits).some((limit) => limit !== undefined);
  return value !== undefined || bounded ? limits : undefined;
}

function least(...limits: readonly (number | undefined)[]): number | undefined {
  const present = limits.filter((limit) => limit !== undefined);
  return present.length === 0 ? undefined : Math.min(...present);
}

function triggerBudgetOf(budget: Argument): TriggerBudget {
  const amount = (key: string) => budgetAmount(`budget.${key}`, option(budget, key));
  const count = (key: string) => decisionCount(`budget.${key}`, option(budget, key));
  return {
    daily: { costUsd: amount("daily_cost_usd"), decisions: count("max_autonomous_decisions_per_day") },
    hourly: { costUsd: amount("hourly_cost_usd"), decisions: count("max_autonomous_decisions_per_hour") },
    maxConcurrent: count("max_concurrent"),
    onExhausted: exhaustionOf(option(budget, "on_budget_exhausted")),
  };
}

/** `false`: the event is skipped, as without it. */
function exhaustionOf(value: Value | undefined): OnExhausted {
  if (value === undefined || value === false || value === "false") return "skip";
  const named = textOf(value);
  return (
    exhaustions.find((one) => one === named && one !== "skip") ??
    fail(`unsupported budget.on_budget_exhausted '${named}'`)
  );
}

const backoffs: readonly BackoffKind[] = ["svix", "immediate", "exponential"];

function triggerRetryOf(value: Value | undefined): RetryPolicy {
  if (value === undefined) return noRetry;
  if (!(value instanceof Dict)) return fail(`retry must be a dict {max, backoff}, got ${typeOf(value)}`);
  const named = textOf(option(value, "backoff"), "svix");
  const backoff =
    backoffs.find((one) => one === named) ??
    fail(`unknown retry.backoff '${named}'; expected ${backoffs.join(", ")}`);
  return {
    max: decisionCount("retry.max", option(value, "max")) ?? 7,
    backoff,
    baseMs: timeOf("retry.base_ms", option(value, "base_ms")) ?? 1000,
  };
}

/** A limit of money or tokens; one that can't be read would be no limit. */
function budgetAmount(name: string, value: Value | undefined): number | undefined {
  if (value === undefined) return undefined;
  const amount = numberOf(value);
  if (amount !== undefined && amount >= 0) return amount;
  return fail(`${name} must be a number of at least 0, got ${textOf(value)}`);
}

function decisionCount(name: string, value: Value | undefined): number | undefined {
  if (value === undefined) return undefined;
  return isInt(value) && intOr(value, 0) >= 1
    ? intOr(value, 1)
    : fail(`${name} must be an int of at least 1`);
}

/** `match: {events}` or `events`. */
function eventsOf(config: Dict): readonly string[] {
  const match = option(config, "match");
  if (match !== undefined && !(match instanceof Dict))
    return fail(`match must be a dict {events}, got ${typeOf(match)}`);
  const value = option(match, "events") ?? option(config, "events");
  if (value === undefined) return [];
  if (value instanceof List) return value.toArray().map((one) => textOf(one));
  return typeof value === "string" ? [value] : fail(`events must be a list of kinds, got ${typeOf(value)}`);
}

function dedupeOf(value: Value | undefined): Callable | EventPath | undefined {
  if (value === undefined || value instanceof Callable) return value;
  if (typeof value === "string") return readPath("dedupe_key", value);
  return fail(`dedupe_key must be a function or a path such as "provider_payload.id", got ${typeOf(value)}`);
}

function filterOf(value: Value | undefined): Callable | Dict | EventTest | undefined {
  if (value === undefined || value instanceof Callable || value instanceof Dict) return value;
  if (typeof value === "string") return readFilter("filter", value);
  return fail(
    `filter must be a function, a text such as "kind == issue.opened", or a dict that events must contain, ` +
      `got ${typeOf(value)}`,
  );
}

/** `{max, window}`: so many events in so long. */
function rateOf(value: Value | undefined): RateWindow | undefined {
  if (value === undefined) return undefined;
  const max = decisionCount("rate_limit.max", option(value, "max"));
  const windowMs = timeOf("rate_limit.window", option(value, "window"));
  if (max === undefined || windowMs === undefined || windowMs <= 0)
    return fail("rate_limit must be a dict {max, window}");
  return new RateWindow(max, windowMs);
}

function scheduleOf(
  task: Task,
  id: string,
  schedule: string | undefined,
  timezone: string | undefined,
): { schedule: string | undefined; timezone: string | undefined } {
  if (schedule !== undefined) {
    const cron = parseCron(task.runtime.host.libraries.croner(), schedule, timezone ?? "UTC");
    if (typeof cron === "string") return fail(cron);
    // A program that waits for it would wait for ever.
    writeError(
      task,
      showText(
        `warning: trigger \`${id}\`: nothing fires its schedule here; call \`trigger_fire\` when it is due\n`,
      ),
    );
  }
  return { schedule, timezone };
}

/** Times in the config of a trigger: durations, milliseconds, or texts such as `5s`. */
const units: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Milliseconds; `name` is the key as messages call it. */
function timeOf(name: string, value: Value | undefined): number | undefined {
  if (value === undefined) return undefined;
  const fail = (text: string): never => {
    throw runtimeError(`trigger_register: ${text}`);
  };
  if (typeof value !== "string") {
    const ms = milliseconds(value);
    return ms === undefined || ms < 0 ? fail(`${name} must be a duration, got ${typeOf(value)}`) : ms;
  }
  const text = value.trim();
  if (text === "") return fail(`${name} cannot be empty`);
  const [, digits, unit] = /^(\d+)(\p{L}*)$/u.exec(text) ?? [];
  const ms = Number(digits) * (units.get(unit ?? "") ?? 1);
  if (digits === undefined || !Number.isSafeInteger(ms)) return fail(`invalid ${name} '${value}'`);
  return units.has(unit ?? "") ? ms : fail(`unsupported ${name} unit in '${value}'`);
}
