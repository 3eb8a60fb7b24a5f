/** Scorers that look at the text of an answer. */
import { field, fieldTable } from "../../../table/index.ts";
import {
  Callable,
  Dict,
  display,
  jsonStringify,
  List,
  numberValue,
  runtimeError,
  thrown,
  type Value,
} from "../../../values/index.ts";
import { mathAnswer, mathEqual } from "../mathematics/equality.ts";
import {
  acceptedTexts,
  acceptedValues,
  answerText,
  asNumber,
  quotedText,
  type ScorerInput,
  type ScorerKind,
  unscored,
  verdict,
} from "../scorer-kind.ts";
import {
  type ExactOptions,
  foldCase,
  levenshteinRatio,
  namedChoice,
  normalised,
  numbersIn,
  rougeL,
  type TextNumber,
  targetChoice,
  tokenF1,
} from "../text-forms.ts";

const expectedRow = field(
  "expected",
  "any",
  "What is compared with: a value, a list of accepted ones, or `fn(sample)`; the sample's `target` unless given.",
);
const caseRow = field("case", "bool", "Case counts.", { default: "false" });

const punctuationRow = field("punctuation", "bool", "Punctuation counts.", { default: "false" });

/** What counts of a text, as the arguments say; blanks apart. */
const countsOf = ({ args }: ScorerInput): ExactOptions => ({
  case: args.bool("case") === true,
  punctuation: args.bool("punctuation") === true,
  whitespace: false,
});

const exact: ScorerKind = {
  fields: fieldTable(
    () => [
      expectedRow,
      caseRow,
      punctuationRow,
      field("whitespace", "bool", "Blanks count.", { default: "false" }),
    ],
    { strict: true },
  ),
  async score(input) {
    const counts = { ...countsOf(input), whitespace: input.args.bool("whitespace") === true };
    const text = normalised(answerText(input), counts);
    const targets = await acceptedTexts(input);
    return verdict(
      targets.some((target) => normalised(target, counts) === text),
      {
        answer: text,
        why: `expected ${targets.map(quotedText).join(" or ")}, got ${quotedText(answerText(input))}`,
      },
    );
  },
};

const notEmpty = "a text that is not empty, or a list of such texts: every answer includes an empty one";

const isBlank = (text: string): boolean => text.trim() === "";

const isEmptyTarget = (target: Value): boolean =>
  target instanceof List
    ? target.length === 0 || target.toArray().some((one) => isBlank(display(one)))
    : isBlank(display(target));

const includes: ScorerKind = {
  fields: fieldTable(
    () => [expectedRow, caseRow, field("all", "bool", "Every one must occur.", { default: "false" })],
    { strict: true },
  ),
  check({ args }) {
    const expected = args.value("expected");
    if (expected !== null && !(expected instanceof Callable) && isEmptyTarget(expected))
      throw thrown(`includes: expected must be ${notEmpty}; got ${jsonStringify(expected)}`);
  },
  lookAt({ args, sample }) {
    const target = sample.get("target") ?? null;
    return args.value("expected") === null && target !== null && isEmptyTarget(target) ? notEmpty : undefined;
  },
  async score(input) {
    const form = input.args.bool("case") === true ? (text: string) => text : foldCase;
    const text = form(answerText(input));
    const targets = await acceptedTexts(input);
    if (targets.length === 0 || targets.some(isBlank))
      throw runtimeError(`includes: what is expected must be ${notEmpty}`);
    const missing = targets.filter((target) => !text.includes(form(target)));
    const every = input.args.bool("all") === true;
    return verdict(every ? missing.length === 0 : missing.length < targets.length, {
      why: `the answer lacks ${missing.map(quotedText).join(every ? ", " : " and ")}`,
    });
  },
};

const matches: ScorerKind = {
  fields: fieldTable(
    () => [
      field("pattern", "string", "A regular expression, in linear time."),
      expectedRow,
      field("group", "int | string", "This group is compared with the target."),
    ],
    { strict: true },
  ),
  check({ task, tools, args }) {
    const pattern = args.text("pattern");
    if (pattern === undefined) throw thrown("matches: needs a pattern, a regular expression");
    const { count, names } = tools.groups(task, pattern);
    const group = args.value("group");
    const at = groupNumber(group, names);
    if (group !== null && (at === undefined || at < 0 || at > count))
      throw thrown(`matches: the pattern ${pattern} has no group ${display(group)}`);
  },
  async score(input) {
    const pattern = input.args.text("pattern") ?? "";
    const found = input.tools.find(input.task, pattern, answerText(input));
    if (found === undefined) return verdict(false, { why: `nothing fits ${pattern}` });
    const group = input.args.value("group");
    if (group === null) return verdict(true, { answer: found.groups[0] ?? "" });
    const taken = (found.groups[groupNumber(group, found.names) ?? 0] ?? "").trim();
    const targets = await acceptedTexts(input);
    return verdict(
      targets.some((target) => target.trim() === taken),
      {
        answer: taken,
        why: `expected ${targets.map(quotedText).join(" or ")}, got ${quotedText(taken)}`,
      },
    );
  },
};

const groupNumber = (group: Value, names: ReadonlyMap<string, number>): number | undefined =>
  typeof group === "string" ? names.get(group) : Number(group);

const number: ScorerKind = {
  fields: fieldTable(
    () => [
      expectedRow,
      field("take", "string", "Which number of the text.", {
        values: ["last", "first", "only"],
        default: '"last"',
      }),
      field("abs", "float", "How far from the target it may be.", { default: "0", range: [0, null] }),
      field("rel", "float", "The same as a share of the target.", {
        default: "0.000000001",
        range: [0, null],
      }),
      field("percent", "string", "`same`: both have `%` or none; `fraction`: 60 % is 0.6.", {
        values: ["same", "fraction"],
        default: '"same"',
      }),
    ],
    { strict: true },
  ),
  async score(input) {
    const { args } = input;
    const found = numbersIn(answerText(input));
    const take = args.text("take");
    const taken = take === "first" ? found[0] : found.at(-1);
    if (taken === undefined) return unscored("there is no number in the answer");
    if (take === "only" && found.length > 1)
      return verdict(false, { why: `there are ${found.length} numbers in the answer` });
    const [abs, rel] = [args.number("abs") ?? 0, args.number("rel") ?? 1e-9];
    const fraction = args.text("percent") === "fraction";
    const targets = (await acceptedValues(input)).map(targetNumber);
    const pass = targets.some((target) => {
      if (!fraction && target.percent !== taken.percent) return false;
      const [wanted, got] = [magnitude(target, fraction), magnitude(taken, fraction)];
      return Math.abs(got - wanted) <= Math.max(abs, rel * Math.abs(wanted));
    });
    const shown = (one: TextNumber): string => `${one.value}${one.percent ? "%" : ""}`;
    return verdict(pass, {
      answer: numberValue(taken.value),
      why: `expected ${targets.map(shown).join(" or ")}, got ${shown(taken)}`,
    });
  },
};

const magnitude = ({ value, percent }: TextNumber, fraction: boolean): number =>
  fraction && percent ? value / 100 : value;

function targetNumber(value: Value): TextNumber {
  const number = asNumber(value);
  if (number !== undefined) return { value: number, percent: false, text: display(value) };
  const [only, ...more] = typeof value === "string" ? numbersIn(value) : [];
  if (only === undefined || more.length > 0)
    throw runtimeError(`the target ${quotedText(display(value))} is not a number`);
  return only;
}

const choice: ScorerKind = {
  fields: fieldTable(() => [expectedRow], { strict: true }),
  async score(input) {
    const argument = input.sample.get("choices") ?? null;
    if (!(argument instanceof List) || argument.length === 0)
      throw runtimeError("the sample has no `choices`, a list of texts");
    const choices = argument.toArray().map((one) => display(one));
    const targets = (await acceptedValues(input)).map((value) => {
      const letter = targetChoice(typeof value === "number" ? value : display(value), choices);
      if (letter === undefined)
        throw runtimeError(
          `the target ${quotedText(display(value))} is neither a letter nor one of the choices`,
        );
      return letter;
    });
    const named = namedChoice(answerText(input), choices);
    if (named === undefined) return unscored("the answer names no choice, or several");
    return verdict(targets.includes(named), {
      answer: named,
      why: `expected ${targets.join(" or ")}, got ${named}`,
    });
  },
};

const measures: Readonly<Record<string, (a: string, b: string) => number>> = {
  levenshtein: levenshteinRatio,
  token_f1: tokenF1,
  rouge_l: rougeL,
};

/** The work grows with the product of both lengths. */
const maxLength = 20_000;

const similarity: ScorerKind = {
  threshold: 0.8,
  fields: fieldTable(
    () => [
      field("measure", "string", "How alike two texts are.", {
        values: ["levenshtein", "token_f1", "rouge_l"],
        default: '"levenshtein"',
      }),
      expectedRow,
      field("threshold", "float", "From where it passes.", { default: "0.8", range: [0, 1] }),
    ],
    { strict: true },
  ),
  async score(input) {
    const measure = measures[input.args.text("measure") ?? "levenshtein"] as (a: string, b: string) => number;
    const text = answerText(input).normalize("NFKC").trim();
    return await bestRatio(input, (target) => measure(text, target.normalize("NFKC").trim()));
  },
};

/** The highest of the ratios to what is accepted. */
async function bestRatio(input: ScorerInput, ratio: (target: string) => number): Promise<Dict> {
  const length = answerText(input).length;
  const ratios = (await acceptedTexts(input)).map((target) => {
    if (length > maxLength || target.length > maxLength)
      throw runtimeError(`texts above ${maxLength} characters are not compared`);
    return ratio(target);
  });
  return Dict.of({ value: numberValue(Math.max(...ratios)) });
}

const f1: ScorerKind = {
  threshold: 0.8,
  fields: fieldTable(
    () => [
      expectedRow,
      caseRow,
      punctuationRow,
      field("threshold", "float", "From where it passes.", { default: "0.8", range: [0, 1] }),
    ],
    { strict: true },
  ),
  async score(input) {
    return await bestRatio(input, (target) => tokenF1(answerText(input), target, countsOf(input)));
  },
};

const math_equals: ScorerKind = {
  fields: fieldTable(
    () => [
      expectedRow,
      field("abs", "float", "How far apart numbers may be.", { default: "0", range: [0, null] }),
      field("rel", "float", "The same as a share of them.", { default: "0.000000001", range: [0, null] }),
      field("percent", "string", "`fraction`: 60 % is 0.6; `same`: 60 % is 60.", {
        values: ["fraction", "same"],
        default: '"fraction"',
      }),
    ],
    { strict: true },
  ),
  async score(input) {
    const { args } = input;
    const options = {
      abs: args.number("abs") ?? 0,
      rel: args.number("rel") ?? 1e-9,
      percent: (args.text("percent") ?? "fraction") as "fraction" | "same",
    };
    const text = answerText(input);
    const targets = await acceptedTexts(input);
    const answer = mathAnswer(text);
    return verdict(
      targets.some((target) => mathEqual(text, target, options)),
      { answer, why: `expected ${targets.map(quotedText).join(" or ")}, got ${quotedText(answer)}` },
    );
  },
};

/** What the agent said to the user: its turns, else its answer. */
export function saidByAgent(input: ScorerInput): string {
  const messages = input.outcome.get("messages") ?? null;
  const turns = messages instanceof List ? messages.toArray() : [];
  const texts = turns.flatMap((message) => {
    if (!(message instanceof Dict) || message.get("role") !== "assistant") return [];
    const content = message.get("content") ?? null;
    return typeof content === "string" ? [content] : [];
  });
  return [...texts, answerText(input)].join("\n");
}

export const textScorers = {
  exact,
  includes,
  matches,
  number,
  choice,
  similarity,
  f1,
  math_equals,
} as const;
