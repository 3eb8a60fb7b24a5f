/** `docs/reference/agent-loop.md`: options, result, ends, events, hooks and the other vocabularies of a loop, from their rows. */
import { areKeys, type Field, type FieldTable, isVocabulary, type KnownKeys } from "../../table/index.ts";
import { type ShownOptions, type TableLine, tableCell, tableHead } from "./option-tables.ts";

type Words = Readonly<Record<string, string>>;

export interface LoopRows {
  readonly options: FieldTable;
  /** Names of options by subject. */
  readonly subjects: Readonly<Record<string, () => object>>;
  readonly resultKeys: KnownKeys;
  readonly resultDocs: Words;
  readonly ends: Readonly<
    Record<string, { readonly means: string; readonly reasons: Words; readonly others?: string }>
  >;
  readonly stopRows: Readonly<Record<number, { readonly found: string; readonly next: string }>>;
  readonly liveEvents: Words;
  readonly hookTopics: Words;
  readonly sessionEvents: Words;
  readonly interventions: Words;
  readonly instructions: readonly { readonly id: string; readonly when: string }[];
  readonly prompts: readonly string[];
}

const inlineCode = (name: string): string => `\`${name}\``;
const otherSubject = "Older and others";

/** Names with what each says; those of which the same is said, in one row. */
function wordsTable(head: string, words: Words): string[] {
  const rows = Map.groupBy(Object.keys(words), (name) => words[name] ?? "");
  return [
    head,
    "|---|---|",
    ...[...rows].map(([text, names]) => `| ${names.map(inlineCode).join(", ")} | ${tableCell(text)} |`),
  ];
}

/** What becomes of an option for those who work for the agent, in one word. */
function belowWord({ row, top }: TableLine): string {
  const below = row.below ?? top.below;
  if (below === undefined || typeof below === "object") return "";
  return below === "holds" ? "holds" : `default of ${below}`;
}

function optionSections(rows: LoopRows, lines: readonly TableLine[]): string[] {
  const groups = Object.entries(rows.subjects).map(
    ([title, made]) => [title, new Set(Object.keys(made()))] as const,
  );
  const titleOf = ({ name }: Field): string =>
    groups.find(([, names]) => names.has(name))?.[0] ?? otherSubject;
  const bySubject = Map.groupBy(lines, ({ top }) => titleOf(top));
  const head = tableHead("option").map((line, at) => `${line}${at === 0 ? " below |" : "---|"}`);
  return [...groups.map(([title]) => title), otherSubject].flatMap((title) => {
    const own = bySubject.get(title) ?? [];
    if (own.length === 0) return [];
    return [
      [
        `### ${title}\n`,
        ...head,
        ...own.map((line) => `${line.text.replaceAll("](#", "](../builtins.md#")} ${belowWord(line)} |`),
      ].join("\n"),
    ];
  });
}

function resultTable({ resultKeys, resultDocs }: LoopRows): string[] {
  return Object.entries(resultKeys).map(([name, known]) => {
    const keys =
      areKeys(known) && !isVocabulary(known) ? ` Keys: ${Object.keys(known).map(inlineCode).join(" ")}.` : "";
    return `| ${inlineCode(name)} | ${tableCell(resultDocs[name] ?? "")}${keys} |`;
  });
}

const endRows = ({ ends }: LoopRows): string[] =>
  Object.entries(ends).map(([status, { means, reasons, others }]) => {
    const named = Object.entries(reasons).map(([reason, text]) =>
      text === "always" ? inlineCode(reason) : `${inlineCode(reason)}: ${text}`,
    );
    return `| ${inlineCode(status)} | ${tableCell(means)} | ${tableCell([...named, ...(others === undefined ? [] : [others])].join("; "))} |`;
  });

/** The page. Links of option tables lead to the page of functions. */
export function agentLoopPage(rows: LoopRows, shown: ShownOptions): string {
  const { lines, more } = shown.prepareElsewhere(
    "agent_loop",
    rows.options,
    "reference/agent-loop.md#options",
  );
  return `${[
    "<!-- Made by `npm run docs` from the rows of `src/agent/`. Don't edit. -->",
    "# `agent_loop`: options, result, events",
    "What rows say of a loop. How it works: [the tour](../agent-loop.md); step by step, with the texts of errors: [agents.md §10](agents.md#10-agent_loop-step-by-step). " +
      "One option in a terminal: `harn doc agent_loop.max_iterations`.",
    "- [Options](#options)\n- [Result](#result)\n- [Status and stop reasons](#status-and-stop-reasons)\n- [The stop table](#the-stop-table)\n" +
      "- [Live events](#live-events)\n- [Hooks](#hooks)\n- [Interventions](#interventions)\n- [Instructions](#instructions)\n- [Prompts](#prompts)",
    "## Options",
    "A wrong value is an error before the first call, an unknown name is reported once with a suggestion and handed to the model call; inside of what says strict it is an error. What is fixed stays as it is while the loop runs. " +
      "The last column says what becomes of it for those who work for the agent (delegates, sub-agents, workers): it holds for all of them, is the default of some, or ends with the agent.",
    ...optionSections(rows, lines),
    more.join(" ").replaceAll("](#", "](../builtins.md#"),
    "## Result",
    ["| key | |", "|---|---|", ...resultTable(rows)].join("\n"),
    "## Status and stop reasons",
    "`status` says how it ended, `stop_reason` why. `loop_control`, `post_turn_callback` and an `llm_caller` may give words of their own.",
    ["| status | | stop reasons |", "|---|---|---|", ...endRows(rows)].join("\n"),
    "## The stop table",
    "Whether a loop ends is decided after each turn; the first row that fits counts. Without `completion` rows 5 to 8 and 10 to 13 do not exist, a person's words are looked at after row 14, and texts without calls are counted at row 17.",
    [
      "| row | found | then |",
      "|---|---|---|",
      ...Object.entries(rows.stopRows).map(([row, { found, next }]) => `| ${row} | ${found} | ${next} |`),
    ].join("\n"),
    "## Live events",
    "What `agent_subscribe(session, closure)` is called with: dicts with `type`, `session_id` and these fields.",
    wordsTable("| type | fields |", rows.liveEvents).join("\n"),
    "## Hooks",
    "Of a loop, by topic (`hooks: {TOPIC: closure}`):",
    wordsTable("| topic | called |", rows.hookTopics).join("\n"),
    "Of the run (`register_session_hook(event, pattern?, handler)`, or `[[hooks]]` of the manifest), also in snake case:",
    wordsTable("| event | |", rows.sessionEvents).join("\n"),
    "## Interventions",
    "What the runtime did by itself (`agent_interventions(session)`), by `kind`:",
    wordsTable("| kind | |", rows.interventions).join("\n"),
    "## Instructions",
    "The rules of `jit`; each speaks by the prompt `agent.instruction.ID`.",
    wordsTable("| id | when |", Object.fromEntries(rows.instructions.map(({ id, when }) => [id, when]))).join(
      "\n",
    ),
    "## Prompts",
    `Texts of the runtime that \`prompts\` gives other words, by id: ${rows.prompts.map(inlineCode).join(" ")}.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n")}\n`;
}
