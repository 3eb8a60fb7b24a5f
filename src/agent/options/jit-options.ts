/** The option `jit` (docs/control-plane.md, "It forgets the rules"): instructions that are given when they are needed. */
import { type At, inside, type Read, refusal, row, rows } from "../../table/index.ts";

/** The rules of the runtime, in the order in which they are looked at. */
export const builtinRuleIds = [
  "no_reads",
  "serial_reads",
  "reads_without_output",
  "turns_running_out",
  "planning_only",
  "compacted",
  "compacted_often",
  "work_items_stale",
] as const;
export type BuiltinRuleId = (typeof builtinRuleIds)[number];

const ruleRows = rows(
  () => ({
    id: row.id("How it is called: letters, digits, `_`, `.`, `-`.").required(),
    instruction: row
      .either([row.text(), row.closure()], "What the model is told, or `fn(ctx)` that gives it.")
      .required(),
    condition: row.closure("`fn(ctx) -> bool`: whether it applies before this turn.").required(),
    once: row.bool("Never again in its session.", true),
    spacing: row.int("Turns between two times, where it may fire again.", 3, { min: 1 }),
  }),
  { strict: true },
);

/** A rule of the script. */
export type OwnRule = Read<typeof ruleRows>;

const jitRows = rows(
  () => ({
    rules: row.list(row.dict(ruleRows), "Rules of your own, beside those of the runtime.", []).full(),
    disable: row.list(row.text(), "Ids of rules that are off.", []).full(),
    max_per_turn: row.int("Instructions before one turn at most.", 2, { min: 1 }),
  }),
  { strict: true, form: "dict" },
);

/** `null`: nobody instructs. */
export const jitRow = (doc: string) =>
  row.either([row.bool(), row.dict(jitRows), row.list(row.dict(ruleRows)).full()], doc).to((read, place) => {
    if (read === false) return null;
    const isList = Array.isArray(read);
    const { rules, disable, maxPerTurn } =
      read === true || isList
        ? { ...jitRows.usual, rules: isList ? read : [] }
        : (read as Read<typeof jitRows>);
    checkIds(rules, isList ? place : inside(place, "rules"));
    const known: readonly string[] = [...builtinRuleIds, ...rules.map(({ id }) => id)];
    for (const [index, id] of disable.entries())
      if (!known.includes(id))
        throw refusal(inside(inside(place, "disable"), `[${index}]`), `one of ${known.join(", ")}`, id);
    return { own: rules, disabled: new Set(disable), maxPerTurn };
  });

function checkIds(rules: readonly OwnRule[], place: At): void {
  const seen = new Set<string>(builtinRuleIds);
  for (const [index, { id }] of rules.entries()) {
    if (seen.has(id))
      throw refusal(inside(inside(place, `[${index}]`), "id"), "the name of no other rule", id);
    seen.add(id);
  }
}
