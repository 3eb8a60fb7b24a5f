/**
 * A server that asks the person something (`elicitation/create`): a mock (`host_mock("mcp", "elicit", …)`), the host's own
 * operation `mcp.elicit`, or the terminal, field by field. Where nobody can be asked the answer is `cancel`.
 */

import { hostBridge } from "../agent/index.ts";
import type { Json } from "../effects/index.ts";
import type { McpJson, McpObject } from "../host/index.ts";
import type { Task } from "../interp/index.ts";
import { isInputMocked, notifyPerson } from "../interp/index.ts";
import { Dict, fromJson, toJson, type Value } from "../values/index.ts";

const operation = "mcp.elicit";

export async function elicitPerson(
  task: Task,
  server: string,
  params: McpObject,
  signal: AbortSignal,
): Promise<McpObject> {
  const request = { server, message: params.message ?? "", requested_schema: params.requestedSchema ?? {} };
  const { operations, mock } = task.runtime.state(hostBridge);
  const mocked = mock?.(task, operation, fromJson(request) as Dict);
  if (mocked !== undefined) return answerOf(mocked);
  const own = operations.get(operation);
  if (own !== undefined && "run" in own) {
    const call = { signal, place: "", attempt: 1, id: "" };
    return answerOf(fromJson((await own.run(request as never, call)) as Json));
  }
  const { host } = task.runtime;
  if (!host.isTty("stdin") || !host.isTty("stderr") || isInputMocked(task.runtime))
    return { action: "cancel" };
  return await new ElicitationForm(task, server, request, signal).ask();
}

/** `{action, content}` as the protocol has it; a dict of fields, a no. */
function answerOf(value: Value): McpObject {
  if (!(value instanceof Dict)) return { action: value === "cancel" ? "cancel" : "decline" };
  const action = value.get("action");
  if (action === "decline" || action === "cancel") return { action };
  const content = action === "accept" ? (value.get("content") ?? new Dict()) : value;
  return { action: "accept", content: toJson(content) as McpJson };
}

type FormField = { readonly [key: string]: McpJson };
interface ElicitationRequest {
  readonly message: McpJson;
  readonly requested_schema: McpJson;
}

class ElicitationForm {
  private readonly task: Task;
  private readonly server: string;
  private readonly asked: ElicitationRequest;
  private readonly signal: AbortSignal;

  constructor(task: Task, server: string, asked: ElicitationRequest, signal: AbortSignal) {
    this.task = task;
    this.server = server;
    this.asked = asked;
    this.signal = signal;
  }

  async ask(): Promise<McpObject> {
    const { message, requested_schema: schema } = this.asked;
    this.say(`\nThe MCP server ${this.server} asks: ${String(message)}\n  Answer it? [y]es, [n]o: `);
    const leave = await this.line();
    if (leave === undefined) return { action: "cancel" };
    if (!/^y(es)?$/i.test(leave)) return { action: "decline" };
    const { properties = {}, required = [] } = schema as { properties?: FormField; required?: McpJson };
    const content: { [name: string]: McpJson } = {};
    for (const [name, field] of Object.entries(properties)) {
      const needed = Array.isArray(required) && required.includes(name);
      const value = await this.field(name, field as FormField, needed);
      if (value === undefined) return { action: "cancel" };
      if (value !== null) content[name] = value;
    }
    return { action: "accept", content };
  }

  /** Asked until it fits; null leaves an optional field out, undefined is the end of the input. */
  private async field(name: string, field: FormField, needed: boolean): Promise<McpJson | undefined> {
    const choices = Array.isArray(field.enum) ? field.enum.map(String) : [];
    const hint = choices.length > 0 ? choices.join(" | ") : String(field.type ?? "string");
    for (;;) {
      this.say(`  ${String(field.title ?? name)} (${hint}${needed ? "" : ", may be left empty"}): `);
      const line = await this.line();
      if (line === undefined) return undefined;
      if (line === "" && !needed) return null;
      const value = parseFieldLine(line, String(field.type ?? "string"), choices);
      if (value !== undefined) return value;
      this.say("  That does not fit.\n");
    }
  }

  private say(text: string): void {
    notifyPerson(this.task.runtime, text);
  }

  private async line(): Promise<string | undefined> {
    return (await this.task.runtime.host.readLine(this.signal))?.trim();
  }
}

function parseFieldLine(line: string, type: string, choices: readonly string[]): McpJson | undefined {
  if (choices.length > 0) return choices.includes(line) ? line : undefined;
  if (type === "boolean") {
    if (/^(y|yes|true)$/i.test(line)) return true;
    return /^(n|no|false)$/i.test(line) ? false : undefined;
  }
  if (type !== "number" && type !== "integer") return line;
  const number = Number(line);
  const fits = line !== "" && Number.isFinite(number) && (type === "number" || Number.isInteger(number));
  return fits ? number : undefined;
}
