/** Keys of `compaction` that are the ladder's own. */
import { asideCall, callRoute } from "../../model/index.ts";
import { providerBodies, row, rows } from "../../table/index.ts";
import { Callable } from "../../values/index.ts";
import { durabilityClasses } from "../tools/durability.ts";

/** The route of the summarizing call. A route may have fields of its provider's own; a misspelling is none. */
export const summarizerFields = rows(() => ({ ...callRoute(), ...asideCall() }), {
  ...providerBodies,
  strict: true,
});

const part = <A extends number | null = null>(doc: string, usual = null as A) =>
  row.number(doc, usual, { min: 0, max: 1 }).where("float above 0 and at most 1", (read) => read > 0);

const verifyFields = rows(
  () => ({
    min_retention: part("The part of exact words that a summary must keep or name the message of.", 0.9),
    probes: row.int(
      "Questions that a model asks about what leaves, and answers from the summary; two calls a pass.",
      0,
      { min: 0, max: 50 },
    ),
    model: row.text("The model that asks and answers them; else the summarizer's."),
  }),
  { strict: true },
);

const durabilityFields = rows(
  () => ({
    class: row.oneOf(durabilityClasses, "How far results can be had again.").required(),
    keep: row.list(row.text(), "Fields of a result that stay.").full().or([]),
  }),
  { strict: true },
);

const patternFields = rows(() => ({ regex: row.filled("In the syntax of the regex builtins.").required() }), {
  strict: true,
});

/** By aggressiveness. */
const allRungs = ["clear", "externalize", "summarize", "drop"] as const;
export type Rung = (typeof allRungs)[number];

export interface MustSurvive {
  readonly texts: readonly string[];
  /** In the syntax of the regex builtins. */
  readonly patterns: readonly string[];
  readonly functions: readonly Callable[];
}

const nothing: MustSurvive = { texts: [], patterns: [], functions: [] };

export const ladderKnobs = () => ({
  max_input_tokens: row.int("Tokens that a request may have; else what the route's window leaves.", null, {
    min: 100,
  }),
  soft: part("The part of the budget from which a pass is made.", 0.8),
  soft_threshold_percent: part("Another name for `soft`."),
  threshold_ratio: part("In place of `soft`: the part of the model's window, as far as `hard` allows it."),
  hard: part("The part from which a pass is made whatever hooks say, and everything may go.", 0.95),
  target: part("The part that a pass brings the request down to.").usually("0.5"),
  keep_exchanges: row.int(
    "Last calls with their results that stay, as far as a quarter of the budget holds them.",
    4,
    { min: 1 },
  ),
  keep_messages: row.int(
    "Last messages that stay byte for byte; results in them are cut only when they alone can't be sent.",
    0,
    { min: 0 },
  ),
  user_tokens: row.int(
    "Tokens of people's older messages that stay word for word; else a tenth of the budget, at most 8,000.",
    null,
    { min: 0 },
  ),
  rungs: row
    .list(
      row.oneOf(allRungs),
      "What a pass may do, always in this order: `clear`, `externalize`, `summarize`, `drop`.",
      allRungs,
    )
    .full()
    .where("at least one of them", (read) => read.length > 0)
    .to((read): ReadonlySet<Rung> => new Set(read)),
  durability: row
    .map(
      row.either([row.oneOf(durabilityClasses), row.dict(durabilityFields)]),
      "How far results can be had again, by patterns of tool names: a class, or `{class, keep: [fields]}`.",
    )
    .to((read) =>
      [...read].map(([glob, said]) =>
        typeof said === "string" ? { glob, class: said, keep: [] } : { glob, ...said },
      ),
    )
    .or([]),
  summarizer: row
    .either(
      [row.bool(), row.dict(null).with({ nested: summarizerFields }), row.closure()],
      "Who writes summaries: the loop's model, another route, a function `fn({span, prior, policy, cap})`, or false for none.",
    )
    .usually("true"),
  must_survive: row
    .list(
      row.either([row.words(), row.dict(patternFields), row.closure()]),
      "What always stays word for word: texts, `{regex}`, functions of a message's text that give texts.",
    )
    .full()
    .to(
      (read): MustSurvive => ({
        texts: read.filter((one) => typeof one === "string"),
        patterns: read.flatMap((one) =>
          typeof one === "string" || one instanceof Callable ? [] : [one.regex],
        ),
        functions: read.filter((one) => one instanceof Callable),
      }),
    )
    .or(nothing),
  verify: row
    .either(
      [row.dict(verifyFields), row.closure()],
      "How a summary is checked beyond the runtime's own look: figures, or a function that gives a reason to reject.",
    )
    .to((read) => (read instanceof Callable ? { ...verifyFields.usual, by: read } : { ...read, by: null }))
    .or({ ...verifyFields.usual, by: null }),
  tool: row.bool("Offer the model `compact_context({focus?})`.", false),
});

export const ladderFields = rows(ladderKnobs);
