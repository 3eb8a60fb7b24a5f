/** Scorers that look at the text of an answer. */
import { at, inside, refusal, row } from "../../../table/index.ts";
import {
  Callable,
  Dict,
  display,
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
  type ExpectedInput,
  expectedRow,
  quotedText,
  type ScorerInput,
  scorerKind,
  unscored,
  verdict,
} from "../scorer-kind.ts";
import {
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

const targetRow = () =>
  expectedRow(
    "What is compared with: a value, a list of accepted ones, or `fn(sample)`; the sample's `target` unless given.",
  );
const caseRow = () => row.bool("Case counts.", false);
const punctuationRow = () => row.bool("Punctuation counts.", false);
const thresholdRow = () => row.number("From where it passes.", 0.8, { min: 0, max: 1 });

const exactRows = () => ({
  expected: targetRow(),
  case: caseRow(),
  punctuation: punctuationRow(),
  whitespace: row.bool("Blanks count.", false),
});

const exact = scorerKind(exactRows, {
  async score(input) {
    const { args: counts } = input;
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
});

/** Every answer includes an empty one. */
const notEmpty = "a text that is not empty, or a list of such texts";

const isBlank = (text: string): boolean => text.trim() === "";

const isEmptyTarget = (target: Value): boolean =>
  target instanceof List
    ? target.length === 0 || target.toArray().some((one) => isBlank(display(one)))
    : isBlank(display(target));

const includesRows = () => ({
  expected: targetRow(),
  case: caseRow(),
  all: row.bool("Every one must occur.", false),
});

const includes = scorerKind(includesRows, {
  check({ args: { expected } }, place) {
    if (expected !== null && !(expected instanceof Callable) && isEmptyTarget(expected))
      throw refusal(inside(place, "expected"), notEmpty, expected);
  },
  lookAt({ args, sample }) {
    const target = sample.get("target") ?? null;
    return args.expected === null && target !== null && isEmptyTarget(target) ? notEmpty : undefined;
  },
  async score(input) {
    const form = input.args.case ? (text: string) => text : foldCase;
    const text = form(answerText(input));
    const targets = await acceptedTexts(input);
    if (targets.length === 0 || targets.some(isBlank))
      throw refusal(at("includes", "expected"), notEmpty, new List(targets));
    const missing = targets.filter((target) => !text.includes(form(target)));
    const every = input.args.all;
    return verdict(every ? missing.length === 0 : missing.length < targets.length, {
      why: `the answer lacks ${missing.map(quotedText).join(every ? ", " : " and ")}`,
    });
  },
});

const matchesRows = () => ({
  pattern: row.text("A regular expression, in linear time.").required(),
  expected: targetRow(),
  group: row.handle<number | string>("int | string", "This group is compared with the target."),
});

const matches = scorerKind(matchesRows, {
  check({ task, tools, args: { pattern, group } }) {
    const { count, names } = tools.groups(task, pattern);
    const at = groupNumber(group, names);
    if (group !== null && (at === undefined || at < 0 || at > count))
      throw thrown(`matches: the pattern ${pattern} has no group ${display(group)}`);
  },
  async score(input) {
    const { pattern, group } = input.args;
    const found = input.tools.find(input.task, pattern, answerText(input));
    if (found === undefined) return verdict(false, { why: `nothing fits ${pattern}` });
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
});

const groupNumber = (group: Value, names: ReadonlyMap<string, number>): number | undefined =>
  typeof group === "string" ? names.get(group) : Number(group);

const numberRows = () => ({
  expected: targetRow(),
  take: row.oneOf(["last", "first", "only"], "Which number of the text.", "last"),
  abs: row.number("How far from the target it may be.", 0, { min: 0 }),
  rel: row.number("The same as a share of the target.", 1e-9, { min: 0 }).usually("0.000000001"),
  percent: row.oneOf(["same", "fraction"], "`same`: both have `%` or none; `fraction`: 60 % is 0.6.", "same"),
});

const number = scorerKind(numberRows, {
  async score(input) {
    const { take, abs, rel, percent } = input.args;
    const found = numbersIn(answerText(input));
    const taken = take === "first" ? found[0] : found.at(-1);
    if (taken === undefined) return unscored("there is no number in the answer");
    if (take === "only" && found.length > 1)
      return verdict(false, { why: `there are ${found.length} numbers in the answer` });
    const fraction = percent === "fraction";
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
});

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

const choice = scorerKind(() => ({ expected: targetRow() }), {
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
});

const measures = {
  levenshtein: levenshteinRatio,
  token_f1: tokenF1,
  rouge_l: rougeL,
};

/** The work grows with the product of both lengths. */
const maxLength = 20_000;

const similarityRows = () => ({
  measure: row.oneOf(["levenshtein", "token_f1", "rouge_l"], "How alike two texts are.", "levenshtein"),
  expected: targetRow(),
  threshold: thresholdRow(),
});

const similarity = scorerKind(similarityRows, {
  async score(input) {
    const measure = measures[input.args.measure];
    const text = answerText(input).normalize("NFKC").trim();
    return await bestRatio(input, (target) => measure(text, target.normalize("NFKC").trim()));
  },
});

/** The highest of the ratios to what is accepted. */
async function bestRatio(input: ExpectedInput, ratio: (target: string) => number): Promise<Dict> {
  const length = answerText(input).length;
  const ratios = (await acceptedTexts(input)).map((target) => {
    if (length > maxLength || target.length > maxLength)
      throw runtimeError(`texts above ${maxLength} characters are not compared`);
    return ratio(target);
  });
  return Dict.of({ value: numberValue(Math.max(...ratios)) });
}

const f1Rows = () => ({
  expected: targetRow(),
  case: caseRow(),
  punctuation: punctuationRow(),
  threshold: thresholdRow(),
});

const f1 = scorerKind(f1Rows, {
  async score(input) {
    const counts = { ...input.args, whitespace: false };
    return await bestRatio(input, (target) => tokenF1(answerText(input), target, counts));
  },
});

const mathRows = () => ({
  expected: targetRow(),
  abs: row.number("How far apart numbers may be.", 0, { min: 0 }),
  rel: row.number("The same as a share of them.", 1e-9, { min: 0 }).usually("0.000000001"),
  percent: row.oneOf(["fraction", "same"], "`fraction`: 60 % is 0.6; `same`: 60 % is 60.", "fraction"),
});

const math_equals = scorerKind(mathRows, {
  async score(input) {
    const text = answerText(input);
    const targets = await acceptedTexts(input);
    const answer = mathAnswer(text);
    return verdict(
      targets.some((target) => mathEqual(text, target, input.args)),
      { answer, why: `expected ${targets.map(quotedText).join(" or ")}, got ${quotedText(answer)}` },
    );
  },
});

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
