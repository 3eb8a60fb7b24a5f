/**
 * One model call of a recorded run, whole: the request as it was sent, the answer, tokens, cost, which try it was, and its
 * tool calls with what the model was told of them. Read off the run's steps, whose data is as JSON had it.
 */
import type { Json } from "../../effects/index.ts";
import type { JsonObject } from "../../values/index.ts";
import { costText, groupedCount } from "./shown-figures.ts";

/** An effect of the run with its data in full. */
interface WholeStep {
  readonly number: number;
  readonly place: string;
  readonly kind: string;
  readonly args: Json;
  readonly result: Json | undefined;
}

interface ModelCall {
  readonly call: number;
  /** For `harn fork --at`. */
  readonly step: number;
  /** 1, or more when the same request had failed before. */
  readonly try: number;
  readonly request: JsonObject;
  /** `null` when the run ended before it came. */
  readonly answer: JsonObject | null;
  readonly error: Json;
  readonly tool_calls: readonly ViewedCall[];
}

const dictOf = (value: Json | undefined): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map((one: Json) => dictOf(one)).filter((one) => one !== undefined) : [];

/** The model calls of a run in the order in which they were asked. */
export function modelCalls(steps: readonly WholeStep[]): ModelCall[] {
  const asked = steps.filter(({ kind }) => kind === "llm.call");
  const tries = new Map<string, number>();
  return asked.map((step, at) => {
    const request = dictOf(dictOf(step.args)?.request) ?? {};
    const result = dictOf(step.result);
    // A task repeats a request only when it failed, and then with the same words.
    const key = JSON.stringify([step.place.split("#")[0], request]);
    const earlier = tries.get(key) ?? 0;
    if (result?.ok === true) tries.delete(key);
    else tries.set(key, earlier + 1);
    const answer = dictOf(result?.response) ?? null;
    const later = asked.slice(at + 1).flatMap(({ args }) => listOf(dictOf(dictOf(args)?.request)?.messages));
    return {
      call: at + 1,
      step: step.number,
      try: earlier + 1,
      request,
      answer: result?.ok === true ? answer : null,
      error: result?.ok === true ? null : (result?.error ?? result?.response ?? null),
      tool_calls: listOf(answer?.tool_calls).map((tool) => recordedToolCall(tool, later)),
    };
  });
}

function recordedToolCall(tool: JsonObject, later: readonly JsonObject[]) {
  const id = typeof tool.id === "string" ? tool.id : null;
  const toolMessage = id === null ? undefined : later.find((message) => message.tool_call_id === id);
  return {
    id,
    name: String(tool.name),
    arguments: tool.arguments ?? null,
    /** What the model was told; `null` when no later request holds it. */
    result: toolMessage === undefined ? null : recordedContent(toolMessage.content),
  };
}

type ViewedCall = Readonly<ReturnType<typeof recordedToolCall>>;

/** For a terminal; ends with a line break. */
export function modelCallText(shown: ModelCall, of: number): string {
  const { call, step, request, answer, error, tool_calls } = shown;
  const { system, messages, tools, model, provider, ...settings } = request;
  const present = Object.entries(settings).filter(([, value]) => value !== null);
  const tried = shown.try === 1 ? "" : `, try ${shown.try}`;
  return [
    `call ${call} of ${of}, step ${step}${tried}: ${String(model)} (${String(provider)})`,
    "",
    "request",
    ...present.map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
    ...(typeof system === "string" ? said("system", system) : []),
    ...listOf(messages).flatMap(linesOfMessage),
    ...listOf(tools).flatMap((tool) => said(`offers ${String(tool.name)}`, wholeJson(tool))),
    "",
    ...answerLines(answer, error),
    ...tool_calls.flatMap(toolLines),
    "",
  ].join("\n");
}

function linesOfMessage(message: JsonObject): string[] {
  const { role, content, name, tool_calls } = message;
  const who = typeof name === "string" ? `${String(role)} ${name}` : String(role);
  return [
    ...said(who, recordedContent(content)),
    ...listOf(tool_calls).flatMap((tool) => [
      `    calls ${String(tool.name)} ${JSON.stringify(tool.arguments ?? null)}`,
    ]),
  ];
}

function answerLines(answer: JsonObject | null, error: Json): string[] {
  if (answer === null)
    return error === null
      ? ["no answer: the run ended before it came"]
      : ["failed", ...indentedBlock(wholeJson(error), 2)];
  const usage = dictOf(answer.usage) ?? {};
  const tokens = (name: string): string => groupedCount(Number(usage[name] ?? 0));
  const cost = typeof answer.cost_usd === "number" ? answer.cost_usd : null;
  return [
    "answer",
    ...(typeof answer.thinking === "string" ? said("thinking", answer.thinking) : []),
    ...(answer.text === "" ? [] : said("text", recordedContent(answer.text))),
    `  tokens: ${tokens("input_tokens")} in (${tokens("cache_read_tokens")} from the cache), ${tokens("output_tokens")} out (${tokens("reasoning_tokens")} thought)`,
    `  ${costText({ cost_usd: cost }).replace(/^\$/, "cost: $")}`,
    `  stopped: ${String(answer.stop_reason)}`,
  ];
}

const toolLines = ({ name, arguments: args, result }: ViewedCall): string[] => [
  "",
  `tool ${name}`,
  ...said("arguments", wholeJson(args)),
  ...said("result", result ?? "(no later request holds it)"),
];

const said = (who: string, text: string): string[] => [`  ${who}:`, ...indentedBlock(text, 4)];

const indentedBlock = (text: string, by: number): string[] =>
  text.split("\n").map((line) => (line === "" ? "" : " ".repeat(by) + line));

const wholeJson = (value: Json): string => JSON.stringify(value, undefined, 2);

const recordedContent = (content: Json | undefined): string =>
  typeof content === "string" ? content : content === undefined || content === null ? "" : wholeJson(content);
