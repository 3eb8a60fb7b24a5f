/** Spans of agents, as a collector gets them over OTLP/HTTP from a real process. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { projectRoot } from "../../support/project.ts";
import { startHarn } from "../../support/start-cli.ts";

const program = join(projectRoot, "test/unit/cli/programs/traced.harn");

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
  readonly events?: readonly { readonly name: string }[];
}

let server: Server;
let bodies: string[];
let answer: number;

beforeEach(async () => {
  bodies = [];
  answer = 200;
  server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(answer, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => server.close());

const endpoint = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function run(env: Readonly<Record<string, string>>) {
  const started = startHarn(["run", "--no-record", program], { env });
  return await started.ended;
}

function spansOf(texts: readonly string[]): OtlpSpan[] {
  return texts
    .map((text) => JSON.parse(text))
    .flatMap((body) => body.resourceSpans)
    .flatMap((resource: { scopeSpans: { spans: OtlpSpan[] }[] }) => resource.scopeSpans)
    .flatMap((scope) => scope.spans);
}

const attribute = (span: OtlpSpan | undefined, key: string): unknown =>
  Object.values(span?.attributes.find((one) => one.key === key)?.value ?? {})[0];

test("loops, model calls and tools are spans of one trace, with the GenAI names", async () => {
  const { stdout, stderr } = await run({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(),
    OTEL_SERVICE_NAME: "my-agents",
  });
  expect({ stdout, stderr }).toEqual({ stdout: "done\n", stderr: "" });
  expect(bodies.join("")).toContain('"stringValue":"my-agents"');
  const spans = spansOf(bodies);
  const loops = spans.filter((span) => span.name === "invoke_agent");
  expect(loops).toHaveLength(2);
  const root = loops.find((span) => !span.parentSpanId);
  const child = loops.find((span) => span !== root);
  const call = spans.find((span) => span.name === "execute_tool ask_helper");
  expect(child?.parentSpanId).toBe(call?.spanId);
  expect(call?.parentSpanId).toBe(root?.spanId);
  expect(new Set(spans.map((span) => span.traceId)).size).toBe(1);
  const chats = spans.filter((span) => span.name.startsWith("chat "));
  expect(chats).toHaveLength(4);
  expect(attribute(chats[0], "gen_ai.operation.name")).toBe("chat");
  const below = chats.find((span) => span.parentSpanId === child?.spanId);
  expect(Number(attribute(below, "gen_ai.usage.input_tokens"))).toBe(5);
  expect(
    attribute(
      spans.find((span) => span.name === "execute_tool break"),
      "error.type",
    ),
  ).toBe("error");
  expect(
    attribute(
      spans.find((span) => span.name === "execute_tool nowhere"),
      "error.type",
    ),
  ).toBe("rejected");
  expect(root?.events?.map((event) => event.name)).toContain("harn.judge_decision");
  // What people and models said stays here.
  expect(bodies.join("")).not.toContain("licence");
  expect(bodies.join("")).not.toContain("MIT");
});

test("a collector that refuses, or that is not there, is a line on standard error and nothing more", async () => {
  answer = 400;
  const refused = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint() });
  expect(refused).toMatchObject({ stdout: "done\n", status: 0 });
  expect(refused.stderr).toMatch(/^harn: spans could not be exported: .*\n$/);
  const away = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
  expect(away).toMatchObject({ stdout: "done\n", status: 0 });
});

test("nothing is sent when it is switched off", async () => {
  const off = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(), OTEL_SDK_DISABLED: "true" });
  expect(off).toMatchObject({ stdout: "done\n", stderr: "", status: 0 });
  expect(bodies).toEqual([]);
});
