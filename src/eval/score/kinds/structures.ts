/** Scorers that look at data: JSON in the answer, and the world at the end. */
import {
  checkSchema,
  compareValues,
  extractJson,
  parsePath,
  patternMatcher,
  showDifference,
} from "../../../model/index.ts";
import { type At, inside, refusal, row } from "../../../table/index.ts";
import { Dict, numberValue, type Value } from "../../../values/index.ts";
import {
  answerText,
  expectedRow,
  expectedValue,
  type ScorerInput,
  scorerKind,
  verdict,
} from "../scorer-kind.ts";

export const ignoreRow = () =>
  row
    .list(row.text(), "Paths that do not count; `*` stands for any one key or index.", [])
    .full()
    .to((paths, place) => {
      for (const [index, path] of paths.entries()) checkJsonPath(path, inside(place, `[${index}]`));
      return paths;
    });

function checkJsonPath(path: string, place: At): void {
  try {
    parsePath(path);
  } catch (error) {
    throw refusal(place, "a path", path, { help: (error as Error).message });
  }
}
const maxDifferences = 20;

/** The JSON of an answer: structured data where there is some, else what stands in the text. */
function answerJson(input: ScorerInput): Value | undefined {
  const found = extractJson(answerText(input));
  if (found !== undefined) return found.value;
  const data = input.outcome.get("data") ?? null;
  return data === null ? undefined : data;
}

/** At most twenty lines, and how many there are more. */
export function differencesText(differences: Parameters<typeof showDifference>[0][]): string {
  const more = differences.length - maxDifferences;
  return [
    ...differences.slice(0, maxDifferences).map(showDifference),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join("\n");
}

const jsonRows = () => ({
  expected: expectedRow("The value; the sample's `target` unless given. A text is read as JSON."),
  ignore: ignoreRow(),
  abs: row.number("How far apart numbers may be.", 0, { min: 0 }),
  partial: row.bool("The value is the share of equal leaves.", false),
  threshold: row.number("From where it passes.", 1, { min: 0, max: 1 }),
});

const jsonEquals = scorerKind(jsonRows, {
  async score(input) {
    const expected = jsonTarget(await expectedValue(input));
    const got = answerJson(input);
    if (got === undefined) return verdict(false, { why: "there is no JSON in the answer" });
    const { partial, ignore, abs } = input.args;
    const { differences, leaves } = compareValues(expected, got, { ignore, abs });
    const why = differencesText([...differences]);
    if (!partial) return verdict(differences.length === 0, { why, answer: got });
    const equal = leaves === 0 ? 1 : Math.max(0, leaves - unequalLeaves(differences)) / leaves;
    const score = Dict.of({ value: numberValue(equal), answer: got });
    return why === "" ? score : score.with("why", why);
  },
});

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

const schemaRows = () => ({ schema: row.dict(null, "A JSON Schema, or a schema of the language.") });

const jsonSchema = scorerKind(schemaRows, {
  score(input) {
    const schema = input.args.schema ?? new Dict();
    const got = answerJson(input);
    if (got === undefined) return verdict(false, { why: "there is no JSON in the answer" });
    const { errors } = checkSchema(got, schema, { matches: patternMatcher(input.task.runtime) });
    return verdict(errors.length === 0, { why: errors.slice(0, maxDifferences).join("\n"), answer: got });
  },
});

const worldRows = () => ({
  expected: expectedRow("The world at the end, or `fn(sample)`."),
  ignore: ignoreRow(),
  partial: row.bool("Only what is expected is looked at.", false),
});

const worldIs = scorerKind(worldRows, {
  needs: ["world"],
  async score(input) {
    const expected = await expectedValue(input);
    const { differences } = compareValues(expected, input.outcome.get("world") ?? null, input.args);
    return verdict(differences.length === 0, { why: differencesText([...differences]) });
  },
});

export const structureScorers = {
  json_equals: jsonEquals,
  json_schema: jsonSchema,
  world_is: worldIs,
} as const;
