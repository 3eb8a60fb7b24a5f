/** Keys of `compaction` that are the ladder's own. */
import { asideRows, routeRows } from "../../model/index.ts";
import { type Field, field, fieldTable } from "../../table/index.ts";

/** The route of the summarizing call. */
export const summarizerFields = fieldTable(() => [...routeRows(), ...asideRows()]);

export const verifyFields = fieldTable(
  () => [
    field(
      "min_retention",
      "float",
      "The part of exact words that a summary must keep or name the message of.",
      {
        default: "0.9",
        range: [0, 1],
      },
    ),
    field(
      "probes",
      "int",
      "Questions that a model asks about what leaves, and answers from the summary; two calls a pass.",
      {
        default: "0",
        range: [0, 50],
      },
    ),
    field("model", "string", "The model that asks and answers them; else the summarizer's."),
  ],
  { strict: true },
);

export const ladderRows = (): readonly Field[] => [
  field("max_input_tokens", "int", "Tokens that a request may have; else what the route's window leaves.", {
    range: [100, null],
  }),
  field("soft", "float", "The part of the budget from which a pass is made.", {
    default: "0.8",
    range: [0, 1],
  }),
  field("soft_threshold_percent", "float", "Another name for `soft`.", { range: [0, 1] }),
  field(
    "threshold_ratio",
    "float",
    "In place of `soft`: the part of the model's window, as far as `hard` allows it.",
    {
      range: [0, 1],
    },
  ),
  field("hard", "float", "The part from which a pass is made whatever hooks say, and everything may go.", {
    default: "0.95",
    range: [0, 1],
  }),
  field("target", "float", "The part that a pass brings the request down to.", {
    default: "0.5",
    range: [0, 1],
  }),
  field(
    "keep_exchanges",
    "int",
    "Last calls with their results that stay, as far as a quarter of the budget holds them.",
    {
      default: "4",
      range: [1, null],
    },
  ),
  field(
    "keep_messages",
    "int",
    "Last messages that stay byte for byte; results in them are cut only when they alone can't be sent.",
    {
      default: "0",
      range: [0, null],
    },
  ),
  field(
    "user_tokens",
    "int",
    "Tokens of people's older messages that stay word for word; else a tenth of the budget, at most 8,000.",
    {
      range: [0, null],
    },
  ),
  field(
    "rungs",
    "list<string>",
    "What a pass may do, always in this order: `clear`, `externalize`, `summarize`, `drop`.",
    {
      default: '["clear", "externalize", "summarize", "drop"]',
    },
  ),
  field(
    "durability",
    "dict",
    "How far results can be had again, by patterns of tool names: a class, or `{class, keep: [fields]}`.",
  ),
  field(
    "summarizer",
    "bool | dict | closure",
    "Who writes summaries: the loop's model, another route, a function `fn({span, prior, policy, cap})`, or false for none.",
    {
      default: "true",
      nested: summarizerFields,
    },
  ),
  field(
    "must_survive",
    "list",
    "What always stays word for word: texts, `{regex}`, functions of a message's text that give texts.",
  ),
  field(
    "verify",
    "dict | closure",
    "How a summary is checked beyond the runtime's own look: figures, or a function that gives a reason to reject.",
    {
      nested: verifyFields,
    },
  ),
  field("tool", "bool", "Offer the model `compact_context({focus?})`.", { default: "false" }),
];
