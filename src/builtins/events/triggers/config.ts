/** The dict that `trigger_register` takes: its rows, and what a trigger is made of by them. */
import { autonomyTiers } from "../../../agent/index.ts";
import { showText } from "../../../diagnostics/index.ts";
import type { Task } from "../../../interp/index.ts";
import { type At, at, type Read, readRows, refusal, row, rows, subject } from "../../../table/index.ts";
import { type Dict, runtimeError, thrown } from "../../../values/index.ts";
import { writeError } from "../../process/output.ts";
import type { BindingConfig, Handler, PredicateBudget } from "./binding.ts";
import { parseCron } from "./cron.ts";
import { parseEventPath, parseFilter } from "./filter-text.ts";
import { RateWindow } from "./flow-control.ts";
import { noRetry } from "./retry.ts";

const time = (doc: string) => row.either([row.duration(), row.number(), row.text()], doc).to(timeOf);

/** A limit of money or tokens. */
const amount = (doc: string) => row.number(doc, null, { min: 0 });

const count = (doc: string) => row.int(doc, null, { min: 1 });

const retryFields = rows(() => ({
  max: row.int("Deliveries that are tried again.", 7, { min: 1 }).bounds(),
  backoff: row.oneOf(["svix", "immediate", "exponential"], "How long is rested between them.", "svix"),
  base_ms: time("The first rest, with `exponential`.").usually("1000").or(1000),
}));

const whenBudgetFields = rows(
  () => ({
    max_cost_usd: amount("Dollars that the predicate may cost."),
    tokens_max: amount("Tokens that it may use."),
    max_tokens: amount("Another name for `tokens_max`."),
    timeout: time("How long it may take: a duration, milliseconds, or a text such as `5s`."),
  }),
  { strict: true },
);

const triggerBudgetFields = rows(
  () => ({
    daily_cost_usd: amount("Dollars that its handlers may cost in a day (UTC)."),
    hourly_cost_usd: amount("Dollars that they may cost in an hour."),
    max_concurrent: count("Handlers that run at once."),
    max_autonomous_decisions_per_hour: count(
      "Events in an hour that go to its handlers while its tier is `act_auto`.",
    ),
    max_autonomous_decisions_per_day: count("And in a day (UTC)."),
    on_budget_exhausted: row
      .either(
        [row.oneOf(["retry_later", "fail", "warn", "false"]), row.exactly(false)],
        "What becomes of events then: `false` skips them, `retry_later` keeps them for `trigger_replay`, `fail` gives status `failed`, `warn` handles them.",
      )
      .to((named) => (named === false || named === "false" ? "skip" : named))
      .usually("false")
      .or("skip" as const),
    max_cost_usd: amount("As in `when_budget`."),
    max_tokens: amount("As in `when_budget`."),
  }),
  { strict: true },
);

const rateFields = rows(
  () => ({ max: count("So many events").required(), window: time("in so long.").required() }),
  { strict: true },
);

/** `trigger_register`. */
export const triggerFields = rows(() => ({
  id: row
    .shown("What the trigger is called; made up unless given.")
    .where("a text that is not empty", Boolean),
  kind: row.text("What kind of source its events have; the provider unless given."),
  provider: row.text("Where its events come from."),
  handler: row
    .either(
      [row.closure(), row.text().where("a function, or an a2a:// or worker:// address", isAddress)],
      "Who takes events: a function, or an `a2a://` or `worker://` address.",
    )
    .required(),
  when: row.closure("Asked whether an event is taken."),
  when_budget: row.dict(whenBudgetFields, "What the question may cost.").bounds(),
  retry: row.dict(retryFields, "How often a failed delivery is tried again."),
  match: row.dict(
    rows(() => ({ events: row.texts("Their kinds.").orNull() })),
    "Which events are taken.",
  ),
  events: row.texts("Short for `match: {events}`."),
  dedupe_key: row.either(
    [row.closure(), row.text().to((path) => parseEventPath("dedupe_key", path))],
    "What makes two events the same: a function or a path.",
  ),
  filter: row.either(
    [row.closure(), row.dict(null), row.text().to((text) => parseFilter("filter", text))],
    "A function, a dict that events must contain, or a text such as `kind == issue.opened`.",
  ),
  budget: row.dict(triggerBudgetFields, "What its handlers may cost.").bounds(),
  rate_limit: row
    .dict(rateFields, "So many events in so long.")
    .to(({ max, window }, place) => {
      if (window > 0) return new RateWindow(max, window);
      throw refusal(place, "a window above 0", null);
    })
    .bounds(),
  tenant_id: row.shown("Only events of this tenant are taken."),
  autonomy_tier: row
    .oneOf(
      autonomyTiers,
      "The ceiling of what its handler and its predicate do by themselves: `shadow` nothing, `suggest` and `act_with_approval` only reading (with the latter, what `request_approval` was granted for runs), `act_auto` everything.",
    )
    .usually('"act_auto"')
    .bounds(),
  tier: row.oneOf(autonomyTiers, "Another name for `autonomy_tier`.").bounds(),
  allow_cleartext: row.bool("An `a2a://` address may be asked without TLS.", false),
  manifest_path: row.shown("The manifest that it comes from."),
  package_name: row.shown("The package that it comes from."),
  schedule: row.text("When it fires, as a cron line."),
  timezone: row.text("The time zone of the schedule.").usually('"UTC"'),
}));

type TriggerOptions = Read<typeof triggerFields>;

const caller = "trigger_register";
const fail = (text: string): never => {
  throw runtimeError(`${caller}: ${text}`);
};

/** Reads a config; `freshId` names a trigger that has no id. */
export function bindingConfig(task: Task, input: Dict, freshId: () => string): BindingConfig {
  const read = readRows(input, triggerFields, at(caller));
  const provider = read.provider ?? read.kind ?? fail("provider is required");
  const { when, manifestPath, budget } = read;
  const whenBudget = predicateBudget(read);
  if (whenBudget !== undefined && when === null) return fail("when_budget requires a when predicate");
  if (manifestPath !== null && when !== null && when.params.length !== 1)
    return fail(`when must take one event, ${when.name} takes ${when.params.length}`);
  const id = read.id ?? freshId();
  checkSchedule(task, id, read);
  return {
    id,
    kind: read.kind ?? provider,
    provider,
    source: manifestPath === null ? "dynamic" : "manifest",
    handler: triggerHandlerOf(read),
    when: when ?? undefined,
    whenBudget,
    retry: read.retry ?? noRetry,
    events: read.match?.events ?? read.events,
    dedupeKey: read.dedupeKey ?? undefined,
    filter: read.filter ?? undefined,
    budget: {
      daily: {
        costUsd: budget?.dailyCostUsd ?? undefined,
        decisions: budget?.maxAutonomousDecisionsPerDay ?? undefined,
      },
      hourly: {
        costUsd: budget?.hourlyCostUsd ?? undefined,
        decisions: budget?.maxAutonomousDecisionsPerHour ?? undefined,
      },
      maxConcurrent: budget?.maxConcurrent ?? undefined,
      onExhausted: budget?.onBudgetExhausted ?? "skip",
    },
    rate: read.rateLimit ?? undefined,
    tenantId: read.tenantId ?? undefined,
    autonomyTier: read.autonomyTier ?? read.tier ?? "act_auto",
    manifestPath: manifestPath ?? undefined,
    packageName: read.packageName ?? undefined,
    schedule: read.schedule ?? undefined,
    timezone: read.timezone ?? undefined,
  };
}

const address = /^(a2a|worker):\/\/(.+)$/;
const isAddress = (text: string): boolean => address.test(text);

function triggerHandlerOf({ handler, allowCleartext }: TriggerOptions): Handler {
  if (typeof handler !== "string") return { kind: "local", run: handler };
  const [, scheme, rest = ""] = address.exec(handler)!;
  if (scheme === "worker") return { kind: "worker", address: handler, queue: rest };
  return { kind: "a2a", address: handler, url: `${allowCleartext ? "http" : "https"}://${rest}` };
}

/** `when_budget`, and what `budget` says about the predicate; of two limits the smaller one counts. */
function predicateBudget({ whenBudget, budget }: TriggerOptions): PredicateBudget | undefined {
  const limits: PredicateBudget = {
    maxCostUsd: least(whenBudget?.maxCostUsd, budget?.maxCostUsd),
    maxTokens: least(whenBudget?.tokensMax, whenBudget?.maxTokens, budget?.maxTokens),
    timeoutMs: whenBudget?.timeout ?? undefined,
  };
  const bounded = Object.values(limits).some((limit) => limit !== undefined);
  return whenBudget !== null || bounded ? limits : undefined;
}

function least(...limits: readonly (number | null | undefined)[]): number | undefined {
  const present = limits.filter((limit) => typeof limit === "number");
  return present.length === 0 ? undefined : Math.min(...present);
}

function checkSchedule(task: Task, id: string, { schedule, timezone }: TriggerOptions): void {
  if (schedule === null) return;
  const cron = parseCron(task.runtime.host.libraries.croner(), schedule, timezone ?? "UTC");
  if (typeof cron === "string") fail(cron);
  // A program that waits for it would wait for ever.
  writeError(
    task,
    showText(
      `warning: trigger \`${id}\`: nothing fires its schedule here; call \`trigger_fire\` when it is due\n`,
    ),
  );
}

/** Times in the config of a trigger: durations, milliseconds, or texts such as `5s`. */
const units: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Milliseconds of an amount, or of a text. */
function timeOf(value: number | string, place: At): number {
  const refused = refusal(place, "a duration, milliseconds or a text such as 5s", value);
  if (typeof value === "number") {
    if (value < 0) throw refused;
    return value;
  }
  const [, digits, unit = ""] = /^(\d+)(\p{L}*)$/u.exec(value.trim()) ?? [];
  const factor = units.get(unit);
  if (digits !== undefined && factor === undefined)
    throw thrown(`${subject(place)}: unsupported unit in '${value}'`);
  const ms = Number(digits) * (factor ?? Number.NaN);
  if (Number.isSafeInteger(ms)) return ms;
  throw refused;
}
