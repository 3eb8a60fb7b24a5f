/** What evaluations read from outside: datasets of tasks, and sets of other tools (`harn eval import`). */
import { join } from "node:path";
import type { Dice } from "../../support/fuzz-text.ts";
import { damageJson, damageJsonLines, damageText } from "../damage.ts";
import type { Fuzzer } from "../fuzzer.ts";
import { bytesOf, harnHere, writeFiles } from "../in-folder.ts";

const samples: readonly object[] = [
  { id: "a/1", input: "order A1", target: "there", weight: 0.5, topic: "orders" },
  { input: [{ role: "user", content: "hi" }], target: ["a", "b"], metadata: { a: 1 } },
  { id: 7, input: "x", files: { "a.txt": "text" }, choices: ["A", "B"], setup: "true" },
];
const rows: readonly object[] = [
  { task: "t", sample: "a", epoch: 1, variant: "v", scores: { exact: 1, tone: 0.5 }, cost_usd: 0.1 },
  { task: "t", sample: "b", epoch: 2, variant: "", scores: { exact: true }, error: "it broke" },
];
const inspect = {
  version: 2,
  status: "success",
  eval: {
    task: "t",
    model: "m/x",
    created: "2026-01-01T00:00:00Z",
    dataset: { name: "d" },
    config: { epochs: 2 },
  },
  results: { scores: [{ name: "exact", metrics: { accuracy: { name: "accuracy", value: 0.5 } } }] },
  stats: { model_usage: { "m/x": { input_tokens: 3, output_tokens: 4 } } },
  samples: [
    {
      id: "a",
      epoch: 1,
      input: "x",
      target: "y",
      messages: [{ role: "assistant", content: [{ type: "text", text: "y" }], tool_calls: [] }],
      output: {
        model: "m/x",
        choices: [{ message: { role: "assistant", content: "y" }, stop_reason: "stop" }],
      },
      scores: { exact: { value: "C", explanation: "so", metadata: {} } },
      metadata: {},
      error: null,
    },
  ],
};
const promptfoo = {
  results: {
    version: 3,
    results: [
      {
        vars: { a: 1 },
        provider: { id: "p" },
        prompt: { raw: "x" },
        success: true,
        score: 1,
        gradingResult: {
          pass: true,
          componentResults: [{ pass: true, score: 1, assertion: { type: "equals" } }],
        },
      },
    ],
  },
};
const table = 'task,sample,epoch,variant,exact\nt,a,1,v,1\nt,"b,c",2,,0.5\n';
const yaml = "- id: a\n  input: x\n  target: [y, &z z]\n- {id: b, input: *z, metadata: {a: ~}}\n";

const kinds = [
  "data.jsonl",
  "data.json",
  "data.csv",
  "data.yaml",
  "rows.jsonl",
  "log.json",
  "promptfoo.json",
  "scores.csv",
] as const;

function made(dice: Dice, kind: string): string {
  const lines = (all: readonly object[]): string =>
    damageJsonLines(
      dice,
      Array.from({ length: 1 + dice.below(4) }, () => JSON.stringify(dice.pick(all))),
    );
  if (kind === "data.jsonl") return lines(samples);
  if (kind === "rows.jsonl") return lines(rows);
  if (kind === "data.json") return damageJson(dice, JSON.stringify(samples));
  if (kind === "log.json") return damageJson(dice, JSON.stringify(inspect));
  if (kind === "promptfoo.json") return damageJson(dice, JSON.stringify(promptfoo));
  return damageText(
    dice,
    kind === "data.yaml" ? yaml : kind === "data.csv" ? "id,input,target\na,x,y\n" : table,
  );
}

const program = (file: string): string => `import "std/eval"
eval_pack odd {
  dataset: "${file}"
  solver: { sample, _trial -> sample.input }
  scorers: [exact()]
}
`;

export const evaluations: Fuzzer = {
  name: "evaluations",
  make: (dice) => {
    const kind = dice.pick(kinds);
    return { kind, text: bytesOf(made(dice, kind)) };
  },
  run: async ({ kind = "data.jsonl", text = "" }, folder) => {
    const file = join(folder, kind);
    writeFiles(folder, { [kind]: text, "main.harn": program(kind) });
    if (kind.startsWith("data."))
      await harnHere("eval", "run", join(folder, "main.harn"), "--quiet", "--set", "s");
    else await harnHere("eval", "import", file, "--set", "s");
    await harnHere("eval", "report", "s");
    return "";
  },
};
