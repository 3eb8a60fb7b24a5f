/** The option `contract` (docs/control-plane.md): what must be true at the end, read strictly. */
import {
  type ContractQuestion,
  itemProblem,
  maxItemTitle,
  type PatternMatcher,
  type Requirement,
  type TaskContract,
} from "../../model/index.ts";
import { type At, at, inside, type Read, readRows, refusal, row, rows, subject } from "../../table/index.ts";
import { Callable, Dict, thrown, type Value } from "../../values/index.ts";
import { predicateOf } from "./predicate-options.ts";

const strict = { strict: true } as const;

const outputItemRows = rows(
  () => ({
    title: row.filled("One line; else the description."),
    priority: row.oneOf(["high", "medium", "low"], "How much it matters.", "medium"),
  }),
  strict,
);

const outputRows = rows(
  () => ({
    id: row.filled("What it is called.").required(),
    description: row.filled("What is wanted, for people and models."),
    predicate: row.dict(null, "What is looked at.").required(),
    required: row.bool("The work is not done without it.", true),
    weight: row.number("Its share of the score.", 1, { min: 0 }),
    item: row.switched(outputItemRows, "A locked work item stands for it: `true` or `{title, priority}`."),
  }),
  strict,
);

const questionRows = rows(
  () => ({
    id: row.filled("What it is called.").required(),
    text: row.filled("The question.").required(),
    required: row.bool("The work is not done before it is answered.", false),
    choices: row.list(row.text(), "Answers that are possible.", []).full(),
    default: row.filled("The answer when nobody gives one."),
  }),
  strict,
);

const acceptabilityRows = rows(
  () => ({
    mode: row.oneOf(["all", "required", "threshold"], "How many outputs must be met.", "all"),
    threshold: row.number("The score that is enough, for `threshold`.", 0.8, { min: 0, max: 1 }),
    allow_partial: row.bool("What is partly met counts half.", false),
  }),
  strict,
);

export const contractFields = rows(
  () => ({
    id: row.filled("What it is called.", "task"),
    goal: row.words("What the work is for.").required(),
    required_outputs: row
      .list(row.dict(null).with({ nested: outputRows }), "What must be there at the end.", [])
      .full(),
    questions: row.list(row.dict(questionRows), "What the agent may ask.", []).full(),
    answerer: row
      .either([row.closure(), row.dict(null)], "Who answers: a closure, or an answerer of std/agent/user.")
      .where(
        "a closure or an answerer of std/agent/user",
        (read) => read instanceof Callable || read.get("_answers") instanceof Callable,
      ),
    acceptability: row.dict(acceptabilityRows, "When it is enough.").or(acceptabilityRows.usual),
    protect: row.list(row.filled(), "Files that must not change.", []).full(),
    max_checks: row.int("Looks at requirements at most.", 50, { min: 1 }),
    check_timeout_ms: row.int("Milliseconds that one look may take.", 120_000, { min: 1 }),
  }),
  strict,
);

/** Reads a contract; `null`: there is none. `matches` tries its patterns. */
export function contractOptionsOf(
  input: Value,
  caller: string,
  matches: PatternMatcher | null,
): TaskContract | null {
  if (input === null || input === false) return null;
  const place = at(caller, "contract");
  const given = row.dict(null).read(input, place);
  const { requiredOutputs, protect, questions, ...read } = readRows(given, contractFields, place);
  const path = inside(place, "required_outputs");
  const outputs = [
    ...requiredOutputs.map((one, index) => outputRequirement(one, inside(path, `[${index}]`), matches)),
    ...protect.map(protection),
  ];
  refuseTwice(outputs, path);
  if (outputs.length === 0) throw refusal(path, "at least one output", requiredOutputs.length);
  const questionsPath = inside(place, "questions");
  refuseTwice(questions, questionsPath);
  return {
    ...read,
    outputs,
    questions: questions.map((one, index) => questionOf(one, inside(questionsPath, `[${index}]`))),
    input: given,
  };
}

function refuseTwice(named: readonly { readonly id: string }[], place: At): void {
  const twice = named.find(({ id }, index) => named.findIndex((other) => other.id === id) < index);
  if (twice !== undefined) throw refusal(place, "each `id` once", twice.id);
}

function outputRequirement(input: Dict, place: At, matches: PatternMatcher | null): Requirement {
  const read = readRows(input, outputRows, place);
  const { id } = read;
  const item = read.item && {
    title: read.item.title ?? titleFrom(read.description ?? id),
    priority: read.item.priority,
  };
  const problem = item && itemProblem({ id, title: item.title, notes: "" });
  if (problem !== null) throw thrown(`${subject(inside(place, "item"))}: ${problem}`);
  return {
    id,
    description: read.description ?? id,
    predicate: predicateOf(read.predicate, inside(place, "predicate"), matches),
    input,
    required: read.required,
    weight: read.weight,
    item,
  };
}

/** A description may be longer than the title of an item. */
function titleFrom(description: string): string {
  const line = description.trim().split(/[\r\n]/)[0] as string;
  return line.length > maxItemTitle ? `${line.slice(0, maxItemTitle - 1)}…` : line;
}

/** `protect`: a requirement of its own. */
const protection = (glob: string): Requirement => ({
  id: `protect:${glob}`,
  description: `${glob} is unchanged`,
  predicate: { type: "unchanged", glob },
  input: Dict.of({ id: `protect:${glob}`, predicate: Dict.of({ type: "unchanged", glob }) }),
  required: true,
  weight: 1,
  item: null,
});

function questionOf(read: Read<typeof questionRows>, place: At): ContractQuestion {
  const { choices, default: fallback, id, text, required } = read;
  if (fallback !== null && choices.length > 0 && !choices.includes(fallback))
    throw refusal(inside(place, "default"), `one of ${choices.join(", ")}`, fallback);
  return { id, text, required, choices: choices.length === 0 ? null : choices, fallback };
}
