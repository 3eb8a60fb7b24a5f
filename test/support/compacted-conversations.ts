/**
 * Generated conversations under each strategy of compaction, as programs see them: loops over scripted models and tools, and
 * passes by hand over transcripts, sessions and lists. A function of the seed alone.
 */
import { createHash } from "node:crypto";
import { randomStream } from "../../src/effects/random.ts";
import { runScript } from "./run-script.ts";

export const strategies = [
  "truncate",
  "observation_mask",
  "summarize_middle",
  "summarize_all",
  "hybrid",
  "custom",
  "ladder",
] as const;
export type StrategyName = (typeof strategies)[number];

type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain };
type PlainDict = { [key: string]: Plain };

class Pieces {
  private readonly random: () => number;

  constructor(seed: number, strategy: StrategyName) {
    const stream = randomStream(String(seed), strategy);
    this.random = () => stream() / 2 ** 32;
  }

  below(n: number): number {
    return Math.floor(this.random() * n);
  }
  chance(share: number): boolean {
    return this.random() < share;
  }
  one<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  text(): string {
    const n = this.below(100);
    return this.one([
      "ok",
      `short answer ${n}`,
      "",
      "👩‍👩‍👧‍👦 漢字 ".repeat(this.below(120)),
      `line ${n} of text\n`.repeat(this.below(90)),
      `begin\n${`output ${n}\n`.repeat(this.below(60))}error: it broke at src/a${n}.ts:${n}\n${"more\n".repeat(this.below(80))}`,
      "x".repeat(this.below(3000)),
      `[no-compact] keep ${n} ${"word ".repeat(this.below(200))}`,
      `Use \`KEY-${1000 + n}\` and src/out${n}.md, ${100 + n} lines.`,
      `{"id": ${n}, "status": "fine", "text": "${"y".repeat(this.below(900))}"}`,
      `[result of bash]\n${"quoted ".repeat(this.below(80))}\n[end of bash result]\n`,
      `[cleared: read_file, ${n} characters; context_recall msg_1 has it]`,
    ]);
  }

  call(): PlainDict {
    const name = this.one(["read_file", "list_files", "edit_file", "bash", "fetch_page"]);
    const path = this.one(["a.ts", "src/b.ts", "src/c.md"]);
    const more: PlainDict = name === "edit_file" ? { content: this.text() } : {};
    return { name, arguments: { path, n: this.below(8), ...more } };
  }

  calls(): PlainDict[] {
    return Array.from({ length: this.chance(0.75) ? 1 : 2 + this.below(2) }, () => this.call());
  }

  /** What a summarizing model says. */
  summary(): string {
    const source = `msg_${2 + this.below(6)}`;
    return this.one([
      "What happened so far.",
      "",
      `${"Much was done. ".repeat(this.below(60))}`,
      JSON.stringify({ facts: [{ text: "it goes on", sources: [source] }], current_task: "doing it" }),
      JSON.stringify({ facts: [{ text: "there are 98,765 of them", sources: [source] }] }),
      JSON.stringify({
        decisions: [{ text: "keep it", why: "it works", sources: [source] }],
        open_items: [{ text: "look again", sources: ["msg_1", source] }],
        tool_outcomes: [{ tool: "bash", text: "ran", ok: this.chance(0.5), sources: [source] }],
        supersedes: [{ id: "F1", by: null, reason: "changed", sources: [source] }],
        closes: [{ id: "O1", sources: [source] }],
      }),
      JSON.stringify({ facts: "many" }),
    ]);
  }

  // ── options ─────────────────────────────────────────────────────────────────────────────────────────────────────

  compaction(strategy: StrategyName, inLoop: boolean): PlainDict {
    if (strategy === "ladder") return this.ladder(inLoop);
    const options: PlainDict = {};
    const maybe = (key: string, share: number, value: () => Plain): void => {
      if (this.chance(share)) options[key] = value();
    };
    maybe("keep_last", 0.6, () => this.below(9));
    maybe("tool_output_max_chars", 0.4, () => this.one([200, 700, 16_000]));
    maybe("hard_limit_tokens", 0.3, () => this.one([50, 400, 3000]));
    maybe("hard_limit_strategy", 0.3, () => this.one(["truncate", "observation_mask", "llm"]));
    maybe("policy", 0.2, () => ({
      instructions: "Be brief.",
      preserve: ["names"],
      ...(this.chance(0.5) ? { scope: "model_visible" } : {}),
    }));
    if (!inLoop) maybe("keep_first", 0.4, () => this.below(4));
    return options;
  }

  private ladder(inLoop: boolean): PlainDict {
    const options: PlainDict = { max_input_tokens: this.one([900, 1500, 2500, 4000, 6000]) };
    const maybe = (key: string, share: number, value: () => Plain): void => {
      if (this.chance(share)) options[key] = value();
    };
    maybe("target", 0.3, () => this.one([0.2, 0.4, 0.6]));
    maybe("soft", 0.3, () => this.one([0.65, 0.9]));
    maybe("keep_exchanges", 0.4, () => 1 + this.below(6));
    maybe("keep_messages", 0.2, () => this.below(6));
    maybe("user_tokens", 0.3, () => this.one([0, 100, 1000]));
    maybe("rungs", 0.3, () =>
      this.one([["clear"], ["summarize"], ["clear", "drop"], ["externalize", "drop"]]),
    );
    maybe("durability", 0.3, () => ({
      bash: { class: "anchoring", keep: ["id", "status"] },
      "list_*": "replayable",
    }));
    maybe("must_survive", 0.3, () => ["KEY-1042", { regex: "src/out\\d+\\.md" }]);
    maybe("verify", 0.2, () => ({ min_retention: 0.5, probes: inLoop ? 1 : 0 }));
    maybe("summarizer", 0.2, () => false);
    maybe("tool", inLoop ? 0.2 : 0, () => true);
    return options;
  }

  // ── what a program is given ─────────────────────────────────────────────────────────────────────────────────────

  loop(strategy: StrategyName): PlainDict {
    const turns = 4 + this.below(strategy === "ladder" ? 26 : 14);
    const queue = Array.from(
      { length: turns },
      (): Plain => (this.chance(0.95) ? { tool_calls: this.calls() } : { text: `Going on. ${this.text()}` }),
    );
    const threshold = this.one([100, 400, 1200, 3000]);
    return {
      kind: "loop",
      strategy,
      prompt: this.chance(0.8) ? "Do it." : `Do this: ${this.text()}`,
      queue: [...queue, { text: "Done." }],
      summary: this.summary(),
      outputs: Array.from({ length: 8 }, () => this.text()),
      format: this.chance(0.7) ? "native" : "text",
      compaction: {
        ...(strategy === "ladder" ? {} : { threshold }),
        ...this.compaction(strategy, true),
      },
    };
  }

  byHand(strategy: StrategyName): PlainDict {
    const kind = this.one(
      strategy === "ladder" ? ["transcript", "session"] : ["transcript", "session", "list"],
    );
    return {
      kind,
      key: kind === "transcript" ? "strategy" : "compact_strategy",
      strategy,
      first: this.messages(3 + this.below(22)),
      later: this.messages(2 + this.below(10)),
      summary: this.summary(),
      threshold: this.one([1, 300, 2000]),
      compaction: this.compaction(strategy, false),
    };
  }

  private messages(count: number): PlainDict[] {
    const messages: PlainDict[] = [];
    let next = this.below(1000) * 100;
    while (messages.length < count) {
      const text = this.text();
      if (this.chance(0.25)) messages.push({ role: this.one(["user", "assistant", "user"]), content: text });
      else {
        const calls = this.calls().map((call) => ({ id: `call_${++next}`, ...call }));
        messages.push({ role: "assistant", content: this.chance(0.5) ? "" : text, tool_calls: calls });
        for (const { id, name } of calls as unknown as { id: string; name: string }[])
          if (this.chance(0.93))
            messages.push({ role: "tool", tool_call_id: id, name, content: this.text() });
      }
    }
    return messages;
  }
}

/** One program that plays them all, a line of JSON for each. */
const program = `
fn tools_of(spec) {
  var tools = tool_registry()
  let kinds = {read_file: "read", list_files: "list", edit_file: "edit", bash: "execute", fetch_page: "fetch"}
  for name in kinds.keys() {
    tools = tool_define(tools, name, "Does it.", {
      parameters: {path: {type: "string"}, n: {type: "integer"}, content: {type: "string", required: false}},
      annotations: {kind: kinds[name], path_params: ["path"]},
      handler: { args ->
        let text = spec.outputs[args.n]
        if text.starts_with("begin") { throw text }
        text
      },
    })
  }
  return tools
}
fn compactor(archived) { return "custom: \${len(archived)} messages" }
fn named(spec, key) {
  if spec.strategy == "custom" { return spec.compaction + {compact_callback: compactor} }
  return spec.compaction + {[key]: spec.strategy}
}
fn engine_of(strategy) {
  if strategy == "summarize_middle" || strategy == "summarize_all" || strategy == "hybrid" { return "llm" }
  return strategy
}
fn play_loop(spec, id) {
  for entry in spec.queue { llm_mock(entry) }
  let r = agent_loop(spec.prompt, nil, {
    provider: "mock", session_id: id, tool_format: spec.format, loop_until_done: true, max_iterations: 40, tools: tools_of(spec),
    compaction: named(spec, "strategy"),
  })
  return [r.status, r.stop_reason, r.transcript, agent_interventions(id)]
}
fn play_by_hand(spec, id) {
  let engine = engine_of(spec.strategy)
  let own = if engine == "custom" { spec.compaction + {compact_callback: compactor} } else { spec.compaction + {[spec.key]: engine} }
  let options = own + {provider: "mock"}
  if spec.kind == "list" {
    let first = transcript_auto_compact(spec.first, options)
    return transcript_auto_compact(first + spec.later, options + {token_threshold: spec.threshold})
  }
  if spec.kind == "transcript" {
    let first = transcript_compact(transcript_from_messages(spec.first), options)
    return [first, transcript_compact(first + {messages: first.messages + spec.later}, options)]
  }
  agent_session_open(id)
  for m in spec.first { agent_session_inject(id, m) }
  let more = if engine == "ladder" { options } else { options + {token_threshold: spec.threshold} }
  let first = agent_session_compact(id, more)
  for m in spec.later { agent_session_inject(id, m) }
  return [first, agent_session_compact(id, more), agent_session_snapshot(id)]
}
var n = 0
for spec in json_parse(argv[0]) {
  n = n + 1
  llm_mock_clear()
  llm_mock({match: "*SCHEMA:*", text: spec.summary})
  llm_mock({match: "*messages to summarize:*", text: spec.summary})
  let outcome = try { if spec.kind == "loop" { play_loop(spec, "s\${n}") } else { play_by_hand(spec, "s\${n}") } } catch (e) { ["failed", to_string(e)] }
  println(json_stringify(outcome))
}
`;

/** What these seeds come to under a strategy, one text each. Odd seeds are loops. */
export async function compactedOutcomes(strategy: StrategyName, seeds: readonly number[]): Promise<string[]> {
  const specs = seeds.map((seed) => {
    const pieces = new Pieces(seed, strategy);
    return seed % 2 === 1 ? pieces.loop(strategy) : pieces.byHand(strategy);
  });
  const run = await runScript(program, { runtime: { args: [JSON.stringify(specs)] } });
  if (run.error !== "") throw new Error(run.error);
  return run.stdout.trimEnd().split("\n").map(withNumberedIds);
}

/** Ids count on from run to run of a process. */
export function withNumberedIds(text: string): string {
  const seen = new Map<string, string>();
  return text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
    if (!seen.has(id)) seen.set(id, `id-${seen.size + 1}`);
    return seen.get(id) as string;
  });
}

export const digestOf = (texts: readonly string[]): string =>
  createHash("sha256").update(texts.join("\n")).digest("hex").slice(0, 16);
