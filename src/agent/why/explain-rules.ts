/** When an instruction was given, or why not; each look at a requirement; interventions in a sentence. */
import type { Conversation, Intervention } from "../../model/index.ts";
import { builtinRules } from "../context/jit/rules.ts";
import { builtinRuleIds } from "../options/jit-options.ts";
import { answer, listed, NoAnswer, type WhyAnswer } from "./answer.ts";

export function explainInstruction(conversation: Conversation, rule: string): WhyAnswer {
  const spoken = conversation.interventions.list().filter(({ kind }) => kind === "instruction");
  const fired = spoken.filter((one) => one.rule === rule);
  if (fired.length > 0)
    return answer(
      `the instruction ${rule} was given ${fired.length === 1 ? "once" : `${fired.length} times`}`,
      [...conditionOf(rule), ...fired.map(saidOf)],
    );
  const known = [...new Set([...builtinRuleIds, ...spoken.map((one) => one.rule)])];
  const looks = conversation.seen.facts;
  if (!known.includes(rule) && looks.length > 0)
    throw new NoAnswer(
      `no instruction '${rule}' was given; rules of the runtime are ${listed(builtinRuleIds)}`,
    );
  const last = looks.at(-1);
  if (last === undefined)
    return answer(`the instruction ${rule} was not given: the option jit was not on, or nobody watched`);
  return answer(`the instruction ${rule} was not given in ${looks.length} turns`, [
    ...conditionOf(rule),
    answer(`what it looked at last, before turn ${last.turn} (${last.loop})`, factAnswers(last.facts)),
  ]);
}

/** When a rule speaks. */
function conditionOf(rule: string): WhyAnswer[] {
  const builtin = builtinRules.find(({ id }) => id === rule);
  if (builtin !== undefined) return [answer(`it is given when ${builtin.when}`)];
  return [answer("it is a rule of the program: it is given when its `condition` gives true")];
}

export function explainRequirement(conversation: Conversation, id: string): WhyAnswer {
  const { checks } = conversation.seen;
  const own = checks.filter(({ requirement }) => requirement === id);
  if (own.length === 0) {
    const known = [...new Set(checks.map(({ requirement }) => requirement))];
    throw new NoAnswer(
      known.length === 0
        ? `session '${conversation.id}' has no task contract that was looked at`
        : `no requirement '${id}' was looked at; there are ${listed(known)}`,
    );
  }
  const last = own.at(-1);
  return answer(
    `the requirement ${id} is ${last?.status}, looked at ${own.length === 1 ? "once" : `${own.length} times`}`,
    own.map(({ turn, status, notes, cached }) =>
      answer(
        `turn ${turn}: ${status}${cached ? ", as before (nothing it draws on had changed)" : ""}${notes === "" ? "" : `: ${notes}`}`,
      ),
    ),
  );
}

/** An intervention with its facts. */
export const saidOf = ({ n, turn, kind, rule, reason, facts, messages }: Intervention): WhyAnswer =>
  answer(`turn ${turn}: ${kind === rule ? kind : `${kind}/${rule}`}: ${reason} [${n}]`, [
    ...factAnswers(facts),
    ...(messages.length === 0 ? [] : [answer(`messages ${listed(messages)}`)]),
  ]);

const factAnswers = (facts: Intervention["facts"]): WhyAnswer[] =>
  Object.entries(facts)
    .filter(([, value]) => value !== null && value !== "" && JSON.stringify(value) !== "{}")
    .map(([name, value]) => answer(`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`));
