/** The option `contract` (docs/control-plane.md): what must be true at the end, read strictly. */
import {
  type ContractQuestion,
  itemProblem,
  maxItemTitle,
  type PatternMatcher,
  type Predicate,
  type Requirement,
  type TaskContract,
} from "../../model/index.ts";
import { type Field, field, fieldTable, meantField, optionText } from "../../table/index.ts";
import {
  Callable,
  Dict,
  display,
  Float,
  isInt,
  List,
  thrown,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { readPredicate } from "./predicate-options.ts";

const outputItemFields = fieldTable(
  (): readonly Field[] => [
    field("title", "string", "One line; else the description."),
    field("priority", "string", "How much it matters.", {
      values: ["high", "medium", "low"],
      default: '"medium"',
    }),
  ],
  { strict: true },
);

const outputFields = fieldTable(
  (): readonly Field[] => [
    field("id", "string", "What it is called."),
    field("description", "string", "What is wanted, for people and models."),
    field("predicate", "dict", "What is looked at."),
    field("required", "bool", "The work is not done without it.", { default: "true" }),
    field("weight", "int | float", "Its share of the score.", { default: "1", range: [0, null] }),
    field("item", "bool | dict", "A locked work item stands for it: `true` or `{title, priority}`.", {
      nested: outputItemFields,
    }),
  ],
  { strict: true },
);

const questionFields = fieldTable(
  (): readonly Field[] => [
    field("id", "string", "What it is called."),
    field("text", "string", "The question."),
    field("required", "bool", "The work is not done before it is answered.", { default: "false" }),
    field("choices", "list<string>", "Answers that are possible."),
    field("default", "string", "The answer when nobody gives one."),
  ],
  { strict: true },
);

const acceptabilityFields = fieldTable(
  (): readonly Field[] => [
    field("mode", "string", "How many outputs must be met.", {
      values: ["all", "required", "threshold"],
      default: '"all"',
    }),
    field("threshold", "float", "The score that is enough, for `threshold`.", {
      default: "0.8",
      range: [0, 1],
    }),
    field("allow_partial", "bool", "What is partly met counts half.", { default: "false" }),
  ],
  { strict: true },
);

export const contractFields = fieldTable(
  (): readonly Field[] => [
    field("id", "string", "What it is called.", { default: '"task"' }),
    field("goal", "string", "What the work is for."),
    field("required_outputs", "list<dict>", "What must be there at the end.", { nested: outputFields }),
    field("questions", "list<dict>", "What the agent may ask.", { nested: questionFields }),
    field("answerer", "any", "Who answers: a closure, or an answerer of std/agent/user."),
    field("acceptability", "dict", "When it is enough.", { nested: acceptabilityFields }),
    field("protect", "list<string>", "Files that must not change."),
    field("max_checks", "int", "Looks at requirements at most.", { default: "50", range: [1, null] }),
    field("check_timeout_ms", "int", "Milliseconds that one look may take.", {
      default: "120000",
      range: [1, null],
    }),
  ],
  { strict: true },
);

/** Reads a contract; `null`: there is none. `matches` tries its patterns. */
export function readContract(
  input: Value,
  caller: string,
  matches: PatternMatcher | null,
): TaskContract | null {
  if (input === null || input === false) return null;
  if (!(input instanceof Dict))
    throw thrown(`${caller}: \`contract\` must be a dict or nil; got ${typeOf(input)}`);
  const where = (path: string): string => `${caller}: \`contract.${path}\``;
  onlyKnown(input, contractFields, `${caller}: \`contract\``);
  const goal = input.get("goal") ?? null;
  if (typeof goal !== "string" || goal.trim() === "")
    throw thrown(`${where("goal")} must be a text that says what the work is for; got ${optionText(goal)}`);
  const outputs = contractList(input, "required_outputs", where("required_outputs")).map((one, index) =>
    readOutputRequirement(one, where, `required_outputs[${index}]`, matches),
  );
  const protect = contractList(input, "protect", where("protect")).map((glob, index) => {
    if (typeof glob !== "string" || glob === "")
      throw thrown(`${where(`protect[${index}]`)} must be a path or glob; got ${typeOf(glob)}`);
    return protection(glob);
  });
  const all = [...outputs, ...protect];
  const double = all.find(({ id }, index) => all.findIndex((other) => other.id === id) !== index);
  if (double !== undefined)
    throw thrown(`${where("required_outputs")}: two outputs have the id \`${double.id}\``);
  if (all.length === 0) throw thrown(`${where("required_outputs")} must name at least one output`);
  return {
    id: textAt(input, "id", where("id")) ?? "task",
    goal,
    outputs: all,
    questions: readQuestions(input, where),
    answerer: readAnswerer(input.get("answerer") ?? null, where("answerer")),
    acceptability: readAcceptability(input.get("acceptability") ?? null, where),
    maxChecks: contractCount(input, "max_checks", 50, where("max_checks")),
    checkTimeoutMs: contractCount(input, "check_timeout_ms", 120_000, where("check_timeout_ms")),
    given: input,
  };
}

type Where = (path: string) => string;

function readOutputRequirement(
  input: Value,
  where: Where,
  path: string,
  matches: PatternMatcher | null,
): Requirement {
  if (!(input instanceof Dict)) throw thrown(`${where(path)} must be a dict; got ${typeOf(input)}`);
  onlyKnown(input, outputFields, where(path));
  const id = textAt(input, "id", where(`${path}.id`));
  if (id === null) throw thrown(`${where(path)} needs an \`id\``);
  const predicate: Predicate = readPredicate(
    input.get("predicate") ?? null,
    where(`${path}.predicate`),
    matches,
  );
  return {
    id,
    description: textAt(input, "description", where(`${path}.description`)) ?? id,
    predicate,
    input: input,
    required: flagAt(input, "required", true, where(`${path}.required`)),
    weight: requirementWeight(input.get("weight") ?? 1, where(`${path}.weight`)),
    item: readItemOf(input, id, where(`${path}.item`)),
  };
}

function readItemOf(input: Dict, id: string, where: string): Requirement["item"] {
  const item = input.get("item") ?? null;
  if (item === null || item === false) return null;
  if (item !== true && !(item instanceof Dict))
    throw thrown(`${where} must be true or {title, priority}; got ${typeOf(item)}`);
  const own = item === true ? new Dict() : item;
  onlyKnown(own, outputItemFields, where);
  const priority = own.get("priority") ?? "medium";
  if (priority !== "high" && priority !== "medium" && priority !== "low")
    throw thrown(`${where}: \`priority\` must be high, medium or low; got ${optionText(priority)}`);
  const title = textAt(own, "title", where) ?? titleFrom(textAt(input, "description", where) ?? id);
  const problem = itemProblem({ id, title, notes: "" });
  if (problem !== null) throw thrown(`${where}: ${problem}`);
  return { title, priority };
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

function readQuestions(input: Dict, where: Where): ContractQuestion[] {
  const questions = contractList(input, "questions", where("questions")).map(
    (one, index): ContractQuestion => {
      const at = where(`questions[${index}]`);
      if (!(one instanceof Dict)) throw thrown(`${at} must be a dict; got ${typeOf(one)}`);
      onlyKnown(one, questionFields, at);
      const id = textAt(one, "id", at);
      const text = textAt(one, "text", at);
      if (id === null || text === null) throw thrown(`${at} needs \`id\` and \`text\``);
      const choices = contractList(one, "choices", where(`questions[${index}].choices`));
      const wrong = choices.find((choice) => typeof choice !== "string");
      if (wrong !== undefined) throw thrown(`${at}: \`choices\` must be texts; got ${typeOf(wrong)}`);
      const fallback = textAt(one, "default", at);
      if (fallback !== null && choices.length > 0 && !choices.includes(fallback))
        throw thrown(`${at}: \`default\` must be one of ${choices.join(", ")}; got ${fallback}`);
      return {
        id,
        text,
        required: flagAt(one, "required", false, where(`questions[${index}].required`)),
        choices: choices.length === 0 ? null : (choices as string[]),
        fallback,
      };
    },
  );
  const double = questions.find(({ id }, index) => questions.findIndex((other) => other.id === id) !== index);
  if (double !== undefined) throw thrown(`${where("questions")}: two questions have the id \`${double.id}\``);
  return questions;
}

function readAcceptability(input: Value, where: Where): TaskContract["acceptability"] {
  const at = where("acceptability");
  if (input !== null && !(input instanceof Dict)) throw thrown(`${at} must be a dict; got ${typeOf(input)}`);
  const dict = input ?? new Dict();
  onlyKnown(dict, acceptabilityFields, at);
  const mode = dict.get("mode") ?? "all";
  if (mode !== "all" && mode !== "required" && mode !== "threshold")
    throw thrown(
      `${where("acceptability.mode")} must be all, required or threshold; got ${optionText(mode)}`,
    );
  const threshold = numberOf(dict.get("threshold") ?? new Float(0.8));
  if (threshold === null || threshold < 0 || threshold > 1)
    throw thrown(
      `${where("acceptability.threshold")} must be a number of 0 to 1; got ${display(dict.get("threshold") ?? null)}`,
    );
  return {
    mode,
    threshold,
    allowPartial: flagAt(dict, "allow_partial", false, where("acceptability.allow_partial")),
  };
}

function readAnswerer(input: Value, where: string): Value {
  if (input === null || input instanceof Callable) return input;
  if (input instanceof Dict && input.get("_answers") instanceof Callable) return input;
  throw thrown(`${where} must be a closure or an answerer of std/agent/user; got ${typeOf(input)}`);
}

function onlyKnown(input: Dict, table: typeof contractFields, where: string): void {
  const unknown = input.keys().find((key) => table.get(key) === undefined);
  if (unknown !== undefined)
    throw thrown(`${where}: unknown key \`${unknown}\`; ${meantField(unknown, table.names(), "there are ")}`);
}

function contractList(input: Dict, name: string, where: string): readonly Value[] {
  const value = input.get(name) ?? null;
  if (value === null) return [];
  if (!(value instanceof List)) throw thrown(`${where} must be a list; got ${typeOf(value)}`);
  return value.toArray();
}

function textAt(input: Dict, name: string, where: string): string | null {
  const value = input.get(name) ?? null;
  if (value !== null && (typeof value !== "string" || value === ""))
    throw thrown(`${where}: \`${name}\` must be a text that is not empty; got ${optionText(value)}`);
  return value;
}

function flagAt(input: Dict, name: string, usual: boolean, where: string): boolean {
  const value = input.get(name) ?? usual;
  if (typeof value !== "boolean") throw thrown(`${where} must be a bool; got ${typeOf(value)}`);
  return value;
}

function contractCount(input: Dict, name: string, usual: number, where: string): number {
  const value = input.get(name) ?? usual;
  if (!isInt(value) || Number(value) < 1)
    throw thrown(`${where} must be an int of 1 or more; got ${optionText(value)}`);
  return Number(value);
}

function requirementWeight(value: Value, where: string): number {
  const number = numberOf(value);
  if (number === null || number < 0)
    throw thrown(`${where} must be a number of 0 or more; got ${optionText(value)}`);
  return number;
}

const numberOf = (value: Value): number | null =>
  isInt(value) ? Number(value) : value instanceof Float ? value.value : null;
