/** Scorers that look at what an agent did and said: tool calls, texts to the user, figures of the trial. */
import { callMatches, type ExpectedCall } from "../../../model/index.ts";
import { at, type Row, row, rows } from "../../../table/index.ts";
import {
  Callable,
  Dict,
  display,
  jsonStringify,
  List,
  runtimeError,
  type Value,
} from "../../../values/index.ts";
import {
  asNumber,
  expectedRow,
  expectedValue,
  quotedText,
  type ScorerArguments,
  type ScorerInput,
  scorerKind,
  verdict,
} from "../scorer-kind.ts";
import { foldCase, saysIn, withoutThousands } from "../text-forms.ts";
import { saidByAgent } from "./texts.ts";

interface ScorerCall {
  readonly name: string;
  readonly arguments: Value;
}

const callRows = () => ({
  expected: expectedRow("Names or `{name, arguments}`: a list, or `fn(sample)`."),
  mode: row.oneOf(
    ["all", "in_order", "exactly", "any", "none"],
    "How the calls and what is expected belong together.",
    "all",
  ),
  args: row.oneOf(["subset", "equal", "ignore"], "How arguments are compared.", "subset"),
});
type CallsMode = ScorerArguments<typeof callRows>["mode"];

const toolCalls = scorerKind(callRows, {
  check({ args: { expected } }) {
    if (expected !== null && !(expected instanceof Callable)) expectedCalls(expected);
  },
  async score(input) {
    const expected = expectedCalls(await expectedValue(input));
    const { mode, args: how } = input.args;
    const why = modes[mode](expected, outcomeCalls(input), (one, call) => callMatches(one, call, how));
    return verdict(why === undefined, why === undefined ? {} : { why });
  },
});

type Fits = (expected: ExpectedCall, call: ScorerCall) => boolean;

/** What is wrong, in words; undefined when all is well. */
const modes: Readonly<
  Record<
    CallsMode,
    (expected: readonly ExpectedCall[], calls: readonly ScorerCall[], fits: Fits) => string | undefined
  >
> = {
  all: (expected, calls, fits) => {
    const left = [...calls];
    const missing = expected.filter((one) => {
      const at = left.findIndex((call) => fits(one, call));
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    return missing.length === 0
      ? undefined
      : `not called: ${shownCalls(missing)}; called: ${shownCalls(calls)}`;
  },
  in_order: (expected, calls, fits) => {
    let at = 0;
    for (const call of calls) {
      const next = expected[at];
      if (next !== undefined && fits(next, call)) at += 1;
    }
    const missing = expected[at];
    return missing === undefined
      ? undefined
      : `not called in this order: ${shownCalls([missing])}; called: ${shownCalls(calls)}`;
  },
  exactly: (expected, calls, fits) => {
    const same =
      expected.length === calls.length && expected.every((one, at) => fits(one, calls[at] as ScorerCall));
    return same ? undefined : `expected exactly ${shownCalls(expected)}; called: ${shownCalls(calls)}`;
  },
  any: (expected, calls, fits) =>
    expected.some((one) => calls.some((call) => fits(one, call)))
      ? undefined
      : `none of ${shownCalls(expected)} was called; called: ${shownCalls(calls)}`,
  none: (expected, calls, fits) => {
    const wrong = calls.filter((call) => expected.some((one) => fits(one, call)));
    return wrong.length === 0 ? undefined : `called, and must not be: ${shownCalls(wrong)}`;
  },
};

const expectedRows = rows(
  () => ({
    name: row.text().required(),
    arguments: row.value("", "a value that the arguments are compared with"),
  }),
  { strict: true },
);
const expectedCall = row
  .either([row.text(), row.dict(expectedRows)])
  .to((read): ExpectedCall => (typeof read === "string" ? { name: read, arguments: null } : read));

function expectedCalls(value: Value): ExpectedCall[] {
  const items = value instanceof List ? value.toArray() : [value];
  return items.map((item, index) => expectedCall.read(item, at("tool_calls", `expected[${index}]`)));
}

function outcomeCalls({ outcome }: ScorerInput): ScorerCall[] {
  const tools = outcome.get("tools") ?? null;
  return (tools instanceof List ? tools.toArray() : []).flatMap((one) =>
    one instanceof Dict
      ? [{ name: display(one.get("name") ?? null), arguments: one.get("arguments") ?? new Dict() }]
      : [],
  );
}

const maxShown = 20;

function shownCalls(calls: readonly (ScorerCall | ExpectedCall)[]): string {
  if (calls.length === 0) return "nothing";
  const shown = calls.slice(0, maxShown).map(({ name, arguments: args }) => {
    const text = args === null ? "" : jsonStringify(args);
    return `${name}${text.length <= 200 ? text : `${text.slice(0, 200)}…`}`;
  });
  return shown.join(", ") + (calls.length > maxShown ? ` and ${calls.length - maxShown} more` : "");
}

const saysRows = () => ({
  expected: expectedRow("Texts that must occur: a list, or `fn(sample)`."),
  case: row.bool("Case counts.", false),
});

const says = scorerKind(saysRows, {
  async score(input) {
    const argument = await expectedValue(input);
    const wanted = (argument instanceof List ? argument.toArray() : [argument]).map((one) => display(one));
    const form = (text: string): string => withoutThousands(input.args.case ? text : foldCase(text));
    const said = form(saidByAgent(input));
    const missing = wanted.filter((text) => !saysIn(said, form(text)));
    return verdict(missing.length === 0, { why: `never said: ${missing.map(quotedText).join(", ")}` });
  },
});

// ── figures ───────────────────────────────────────────────────────────────────────────────────────────────────────

const noError = scorerKind(() => ({}), {
  score({ outcome }) {
    const error = outcome.get("error") ?? null;
    const message = error instanceof Dict ? display(error.get("message") ?? null) : display(error);
    return verdict(error === null, { why: message, parts: { errors: error === null ? 0 : 1 } });
  },
});

const limitRow = row.number("What it must be under.");
/** A time is no number of turns. */
const timeRow = row
  .either([row.duration(), row.number()], "What it must be under: a duration, or a number of milliseconds.")
  .to((ms) => ms);

/** A figure of the outcome that must be below a bound. */
const belowLimit = (
  what: string,
  read: (outcome: Dict) => number | undefined,
  limit: Row<number> = limitRow,
) =>
  scorerKind(() => ({ limit: limit.where("a number above 0", (bound) => bound > 0).required() }), {
    score({ args, outcome }) {
      const figure = read(outcome);
      if (figure === undefined) throw runtimeError(`the outcome does not say its ${what}`);
      return verdict(figure < args.limit, {
        why: `${what} ${figure}, must be under ${args.limit}`,
        parts: { [what]: figure },
      });
    },
  });

const numberAt = (dict: Value | undefined, key: string): number | undefined =>
  dict instanceof Dict ? asNumber(dict.get(key) ?? null) : undefined;

const turnsUnder = belowLimit("turns", (outcome) => numberAt(outcome, "turns"));
const costUnder = belowLimit("cost_usd", (outcome) => numberAt(outcome.get("usage"), "cost_usd"));
const tokensUnder = belowLimit("tokens", (outcome) => {
  const usage = outcome.get("usage");
  const [input, output] = [numberAt(usage, "input_tokens"), numberAt(usage, "output_tokens")];
  return input === undefined || output === undefined ? undefined : input + output;
});
const fasterThan = belowLimit("working_ms", (outcome) => numberAt(outcome, "working_ms"), timeRow);

export const callScorers = {
  tool_calls: toolCalls,
  says,
  no_error: noError,
  turns_under: turnsUnder,
  cost_under: costUnder,
  tokens_under: tokensUnder,
  faster_than: fasterThan,
} as const;
