/** Scorers that look at data: JSON in the answer, and the world at the end. */
import {
  checkSchema,
  compareValues,
  extractJson,
  parsePath,
  patternMatcher,
  showDifference,
} from "../../../model/index.ts";
import { field, fieldTable } from "../../../table/index.ts";
import { Dict, numberValue, runtimeError, type Value } from "../../../values/index.ts";
import { answerText, expectedValue, type ScorerInput, type ScorerKind, verdict } from "../scorer-kind.ts";

const ignoreRow = field(
  "ignore",
  "list<string>",
  "Paths that do not count; `*` stands for any one key or index.",
);
const partialRow = field("partial", "bool", "Only what is expected is looked at.", { default: "false" });
const maxDifferences = 20;

/** The JSON of an answer: structured data where there is some, else what stands in the text. */
function answerJson(input: ScorerInput): Value | undefined {
  const found = extractJson(answerText(input));
  if (found !== undefined) return found.value;
  const data = input.outcome.get("data") ?? null;
  return data === null ? undefined : data;
}

export function ignoredPaths({ args }: ScorerInput): string[] {
  const paths = (args.list("ignore") ?? []).map(String);
  for (const path of paths) checkedPath(path);
  return paths;
}

function checkedPath(path: string): void {
  try {
    parsePath(path);
  } catch (error) {
    throw runtimeError(`the path ${JSON.stringify(path)} can't be read: ${(error as Error).message}`);
  }
}

/** At most twenty lines, and how many there are more. */
export function differencesText(differences: Parameters<typeof showDifference>[0][]): string {
  const more = differences.length - maxDifferences;
  return [
    ...differences.slice(0, maxDifferences).map(showDifference),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join("\n");
}

const jsonEquals: ScorerKind = {
  fields: fieldTable(
    () => [
      field("expected", "any", "The value; the sample's `target` unless given. A text is read as JSON.", {
        why: "a value, or a function of the sample that gives it",
      }),
      ignoreRow,
      field("abs", "float", "How far apart numbers may be.", { default: "0", range: [0, null] }),
      field("partial", "bool", "The value is the share of equal leaves.", { default: "false" }),
      field("threshold", "float", "From where it passes.", { default: "1", range: [0, 1] }),
    ],
    { strict: true },
  ),
  async score(input) {
    const expected = jsonTarget(await expectedValue(input));
    const got = answerJson(input);
    if (got === undefined) return verdict(false, { why: "there is no JSON in the answer" });
    const options = { ignore: ignoredPaths(input), abs: input.args.number("abs") ?? 0 };
    const { differences, leaves } = compareValues(expected, got, options);
    const why = differencesText([...differences]);
    if (input.args.bool("partial") !== true) return verdict(differences.length === 0, { why, answer: got });
    const equal = leaves === 0 ? 1 : Math.max(0, leaves - unequalLeaves(differences)) / leaves;
    const score = Dict.of({ value: numberValue(equal), answer: got });
    return why === "" ? score : score.with("why", why);
  },
};

/** Leaves that lie below what differs: a whole dict that is missing counts with all that it holds. */
const unequalLeaves = (
  differences: readonly { expected: Value | undefined; got: Value | undefined }[],
): number =>
  differences.reduce((sum, { expected, got }) => sum + Math.max(leafCount(expected), leafCount(got)), 0);

const leafCount = (value: Value | undefined): number =>
  value === undefined ? 0 : Math.max(1, compareValues(value, value).leaves);

function jsonTarget(value: Value): Value {
  if (typeof value !== "string") return value;
  const found = extractJson(value);
  return found === undefined || found.lifted ? value : found.value;
}

const jsonSchema: ScorerKind = {
  fields: fieldTable(() => [field("schema", "dict", "A JSON Schema, or a schema of the language.")], {
    strict: true,
  }),
  score(input) {
    const schema = input.args.dictOf("schema") ?? new Dict();
    const got = answerJson(input);
    if (got === undefined) return verdict(false, { why: "there is no JSON in the answer" });
    const { errors } = checkSchema(got, schema, { matches: patternMatcher(input.task.runtime) });
    return verdict(errors.length === 0, { why: errors.slice(0, maxDifferences).join("\n"), answer: got });
  },
};

const worldIs: ScorerKind = {
  needs: ["world"],
  fields: fieldTable(
    () => [
      field("expected", "any", "The world at the end, or `fn(sample)`.", {
        why: "a value, or a function of the sample that gives it",
      }),
      ignoreRow,
      partialRow,
    ],
    { strict: true },
  ),
  async score(input) {
    const expected = await expectedValue(input);
    const { differences } = compareValues(expected, input.outcome.get("world") ?? null, {
      ignore: ignoredPaths(input),
      partial: input.args.bool("partial") === true,
    });
    return verdict(differences.length === 0, { why: differencesText([...differences]) });
  },
};

export const structureScorers = {
  json_equals: jsonEquals,
  json_schema: jsonSchema,
  world_is: worldIs,
} as const;
