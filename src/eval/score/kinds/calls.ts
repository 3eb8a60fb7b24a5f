/** Scorers that look at what an agent did and said: tool calls, texts to the user, figures of the trial. */
import { type ArgumentMatch, callMatches, type ExpectedCall } from "../../../model/index.ts";
import { field, fieldTable, inputText } from "../../../table/index.ts";
import {
  Callable,
  Dict,
  Duration,
  display,
  jsonStringify,
  List,
  runtimeError,
  thrown,
  type Value,
} from "../../../values/index.ts";
import {
  asNumber,
  expectedValue,
  quotedText,
  type ScorerInput,
  type ScorerKind,
  verdict,
} from "../scorer-kind.ts";
import { foldCase, saysIn, withoutThousands } from "../text-forms.ts";
import { saidByAgent } from "./texts.ts";

interface Call {
  readonly name: string;
  readonly arguments: Value;
}

type Mode = "all" | "in_order" | "exactly" | "any" | "none";

const toolCalls: ScorerKind = {
  fields: fieldTable(
    () => [
      field("expected", "any", "Names or `{name, arguments}`: a list, or `fn(sample)`.", {
        why: "a value, or a function of the sample that gives it",
      }),
      field("mode", "string", "How the calls and what is expected belong together.", {
        values: ["all", "in_order", "exactly", "any", "none"],
        default: '"all"',
      }),
      field("args", "string", "How arguments are compared.", {
        values: ["subset", "equal", "ignore"],
        default: '"subset"',
      }),
    ],
    { strict: true },
  ),
  check({ args }) {
    const expected = args.value("expected");
    if (expected !== null && !(expected instanceof Callable)) expectedCalls(expected);
  },
  async score(input) {
    const expected = expectedCalls(await expectedValue(input));
    const mode = input.args.text("mode") as Mode;
    const how = input.args.text("args") as ArgumentMatch;
    const why = modes[mode](expected, callsOf(input), (one, call) => callMatches(one, call, how));
    return verdict(why === undefined, why === undefined ? {} : { why });
  },
};

type Fits = (expected: ExpectedCall, call: Call) => boolean;

/** What is wrong, in words; undefined when all is well. */
const modes: Readonly<
  Record<Mode, (expected: readonly ExpectedCall[], calls: readonly Call[], fits: Fits) => string | undefined>
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
      expected.length === calls.length && expected.every((one, at) => fits(one, calls[at] as Call));
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

function expectedCalls(value: Value): ExpectedCall[] {
  const items = value instanceof List ? value.toArray() : [value];
  return items.map((item) => {
    if (typeof item === "string") return { name: item, arguments: null };
    const name = item instanceof Dict ? item.get("name") : null;
    if (!(item instanceof Dict) || typeof name !== "string")
      throw thrown(`tool_calls: expected calls are names or dicts {name, arguments}; got ${inputText(item)}`);
    const other = item.keys().find((key) => key !== "name" && key !== "arguments");
    if (other !== undefined)
      throw thrown(`tool_calls: an expected call has \`name\` and \`arguments\`, and no \`${other}\``);
    return { name, arguments: item.get("arguments") ?? null };
  });
}

function callsOf({ outcome }: ScorerInput): Call[] {
  const tools = outcome.get("tools") ?? null;
  return (tools instanceof List ? tools.toArray() : []).flatMap((one) =>
    one instanceof Dict
      ? [{ name: display(one.get("name") ?? null), arguments: one.get("arguments") ?? new Dict() }]
      : [],
  );
}

const maxShown = 20;

function shownCalls(calls: readonly (Call | ExpectedCall)[]): string {
  if (calls.length === 0) return "nothing";
  const shown = calls.slice(0, maxShown).map(({ name, arguments: args }) => {
    const text = args === null ? "" : jsonStringify(args);
    return `${name}${text.length <= 200 ? text : `${text.slice(0, 200)}…`}`;
  });
  return shown.join(", ") + (calls.length > maxShown ? ` and ${calls.length - maxShown} more` : "");
}

const says: ScorerKind = {
  fields: fieldTable(
    () => [
      field("expected", "any", "Texts that must occur: a list, or `fn(sample)`.", {
        why: "a value, or a function of the sample that gives it",
      }),
      field("case", "bool", "Case counts.", { default: "false" }),
    ],
    { strict: true },
  ),
  async score(input) {
    const argument = await expectedValue(input);
    const wanted = (argument instanceof List ? argument.toArray() : [argument]).map((one) => display(one));
    const form = (text: string): string =>
      withoutThousands(input.args.bool("case") === true ? text : foldCase(text));
    const said = form(saidByAgent(input));
    const missing = wanted.filter((text) => !saysIn(said, form(text)));
    return verdict(missing.length === 0, { why: `never said: ${missing.map(quotedText).join(", ")}` });
  },
};

// ── figures ───────────────────────────────────────────────────────────────────────────────────────────────────────

const noError: ScorerKind = {
  fields: fieldTable(() => [], { strict: true }),
  score({ outcome }) {
    const error = outcome.get("error") ?? null;
    const message = error instanceof Dict ? display(error.get("message") ?? null) : display(error);
    return verdict(error === null, { why: message, parts: { errors: error === null ? 0 : 1 } });
  },
};

/** A figure of the outcome that must be below a bound. */
const below = (who: string, what: string, read: (outcome: Dict) => number | undefined): ScorerKind => ({
  fields: fieldTable(
    () => [
      field("limit", "any", "What it must be under.", {
        why: "a number; what is none is said where it is read",
      }),
    ],
    { strict: true },
  ),
  check({ args }) {
    const limitInput = args.value("limit");
    const bound = boundOf(limitInput);
    // A time is no number of turns.
    if (bound === undefined || bound <= 0 || (limitInput instanceof Duration && what !== "working_ms"))
      throw thrown(
        `${who}: the limit must be ${what === "working_ms" ? "a duration or a number of milliseconds" : "a number"} above 0; got ${inputText(limitInput)}`,
      );
  },
  score({ args, outcome }) {
    const bound = boundOf(args.value("limit")) ?? 0;
    const figure = read(outcome);
    if (figure === undefined) throw runtimeError(`the outcome does not say its ${what}`);
    return verdict(figure < bound, {
      why: `${what} ${figure}, must be under ${bound}`,
      parts: { [what]: figure },
    });
  },
});

const boundOf = (input: Value): number | undefined =>
  input instanceof Duration ? input.ms : asNumber(input);

const figure = (dict: Value | undefined, key: string): number | undefined =>
  dict instanceof Dict ? asNumber(dict.get(key) ?? null) : undefined;

const turnsUnder = below("turns_under", "turns", (outcome) => figure(outcome, "turns"));
const costUnder = below("cost_under", "cost_usd", (outcome) => figure(outcome.get("usage"), "cost_usd"));
const tokensUnder = below("tokens_under", "tokens", (outcome) => {
  const usage = outcome.get("usage");
  const [input, output] = [figure(usage, "input_tokens"), figure(usage, "output_tokens")];
  return input === undefined || output === undefined ? undefined : input + output;
});
const fasterThan = below("faster_than", "working_ms", (outcome) => figure(outcome, "working_ms"));

export const callScorers = {
  tool_calls: toolCalls,
  says,
  no_error: noError,
  turns_under: turnsUnder,
  cost_under: costUnder,
  tokens_under: tokensUnder,
  faster_than: fasterThan,
} as const;
