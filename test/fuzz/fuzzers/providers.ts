/** Model servers whose streams are cut, repeated, reordered, mistyped, huge or no events at all, on every wire protocol. */

import type { Dice } from "../../support/fuzz-text.ts";
import { createMemoryHost } from "../../support/memory-host.ts";
import { anthropicEvents, anthropicWhole } from "../../support/provider-server/anthropic-wire.ts";
import { chatEvents, chatWhole } from "../../support/provider-server/chat-wire.ts";
import { type ProviderServer, startProviderServer } from "../../support/provider-server/index.ts";
import { responsesEvents, responsesWhole } from "../../support/provider-server/responses-wire.ts";
import type { AnswerScenario, WireEvent } from "../../support/provider-server/scenario.ts";
import { runScript } from "../../support/run-script.ts";
import { damageLines, damageText, damageValue, jsonText } from "../damage.ts";
import type { Fuzzer } from "../fuzzer.ts";
import { bytesOf } from "../in-folder.ts";

const wires = {
  anthropic: { events: anthropicEvents, whole: anthropicWhole },
  chat: { events: chatEvents, whole: chatWhole },
  responses: { events: responsesEvents, whole: responsesWhole },
} as const;
type Wire = keyof typeof wires;

const models: Readonly<Record<Wire, readonly string[]>> = {
  anthropic: ['provider: "anthropic", model: "claude-sonnet-4-6"'],
  chat: [
    'provider: "openai", model: "gpt-4o", api_mode: "chat"',
    'provider: "deepseek", model: "deepseek-chat"',
    'provider: "openrouter", model: "x/y"',
  ],
  responses: [
    'provider: "openai", model: "gpt-5"',
    'provider: "openai", model: "gpt-4o", api_mode: "responses"',
  ],
};

const answers: readonly AnswerScenario[] = [
  { kind: "answer", text: "All done. Grüße 😀", usage: { input: 9, output: 4 } },
  {
    kind: "answer",
    thinking: "Well, I think so.",
    text: "Yes.",
    usage: { input: 9, output: 4, reasoning: 2 },
  },
  { kind: "answer", calls: [{ id: "c1", name: "add", args: '{"a": 1}' }], usage: { input: 5, output: 5 } },
  {
    kind: "answer",
    text: "Both.",
    calls: [
      { id: "c1", name: "add", args: '{"a": 1}' },
      { id: "c2", name: "look", args: '{"path": "a.txt"}' },
    ],
  },
  { kind: "answer", text: '{"a": 1}', stop: "max_tokens" },
  { kind: "answer", calls: [{ id: "c1", name: "add", args: "{bad" }], stop: "tool_use" },
  { kind: "answer", text: "No.", stop: "refusal" },
];

/** Texts of the events of a stream, damaged. */
function stream(dice: Dice, events: readonly WireEvent[]): string {
  let shown = events.map(({ event, data }) => {
    const name = dice.below(60) === 0 ? dice.pick(["error", "ping", "x", ""]) : event;
    const changed =
      dice.below(events.length) < 2 && typeof data !== "string" ? damageValue(dice, data) : data;
    const text = typeof changed === "string" ? changed : jsonText(changed);
    return `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
  });
  if (dice.below(3) === 0) shown = damageLines(dice, shown);
  const text = shown.join("");
  return dice.below(4) === 0 ? damageText(dice, text) : text;
}

function body(dice: Dice, wire: Wire): string {
  const answer = { ...dice.pick(answers), piece: dice.pick([1, 4, 100]) };
  if (dice.below(12) === 0) {
    const errors = [
      { error: { message: "no", type: "overloaded_error" } },
      { error: "no" },
      { message: ["no"] },
      null,
    ];
    return jsonText(damageValue(dice, { type: "error", ...dice.pick(errors) }));
  }
  if (dice.below(8) === 0 && !answer.calls?.some(({ args }) => args === "{bad"))
    return jsonText(damageValue(dice, wires[wire].whole(answer)));
  return stream(dice, wires[wire].events(answer));
}

const program = (model: string): string => `
fn tools() {
  var r = tool_define(tool_registry(), "look", "Looks.", {parameters: {path: {type: "string"}}, handler: { a -> "seen" }})
  return tool_define(r, "add", "Adds.", {parameters: {a: {type: "integer"}}, handler: { a -> a.a }})
}
fn shown(f) { try { println(f()) } catch e { println("caught: \${e}") } }
let m = {${model}, llm_retries: 0, max_tokens: 100}
shown({ -> agent_loop("Go", nil, m + {tools: tools(), session_id: "s", loop_until_done: true, max_iterations: 3}) })
shown({ -> llm_call("Next", nil, m) })
shown({ -> llm_call("As JSON", nil, m + {output_schema: {type: "object", properties: {a: {type: "integer"}}}}) })
shown({ -> agent_loop("Again", nil, m + {session_id: "s", max_iterations: 1}) })
`;

let server: ProviderServer | undefined;

export const providers: Fuzzer = {
  name: "providers",
  make: (dice) => {
    const wire = dice.pick(["anthropic", "chat", "responses"] as const);
    return {
      model: dice.pick(models[wire]),
      status:
        dice.below(10) === 0
          ? dice.pick(["204", "206", "302", "400", "401", "418", "429", "500", "529"])
          : "200",
      type:
        dice.below(12) === 0
          ? dice.pick(["application/json", "text/html", "", "text/event-stream;charset=x"])
          : "text/event-stream",
      end: dice.below(6) === 0 ? "cut" : "",
      first: bytesOf(body(dice, wire)),
      second: bytesOf(body(dice, wire)),
    };
  },
  run: async (input) => {
    server ??= await startProviderServer();
    server.clear();
    server.seen.length = 0;
    const { url } = server;
    const answer = (text: string) =>
      ({
        kind: "bytes",
        status: Number(input.status) || 200,
        type: input.type!,
        body: Buffer.from(text, "latin1"),
        cut: input.end === "cut",
      }) as const;
    for (let round = 0; round < 8; round++) server.next(answer(input.first!), answer(input.second!));
    const env: Record<string, string> = { ANTHROPIC_BASE_URL: url };
    for (const name of ["OPENAI", "DEEPSEEK", "OPENROUTER"]) env[`${name}_BASE_URL`] = `${url}/v1`;
    for (const name of ["ANTHROPIC", "OPENAI", "DEEPSEEK", "OPENROUTER"])
      env[`${name}_API_KEY`] = "key-for-tests";
    const host = createMemoryHost({ env });
    const ran = await runScript(program(input.model!), { runtime: { host } });
    return `${ran.stdout}\n${ran.error}\n${ran.stderr}`;
  },
  close: async () => {
    await server?.close();
  },
};
