/**
 * Spans over OTLP/HTTP, where the environment says so (`OTEL_EXPORTER_OTLP_ENDPOINT` and the SDK's other variables). The
 * SDK is an optional peer dependency: 20 MB that only those install who export.
 */

import { runEvents } from "../../events/index.ts";
import { ownExecutable, UsageError, version } from "../../host/command/index.ts";
import { onState, type StateWiring } from "../../interp/index.ts";
import { GenAiSpans } from "./gen-ai-spans.ts";

export interface SpanExport {
  /** To be told of the state that a run makes. */
  /** What follows the events of a run. */
  readonly wiring: StateWiring;
  /** Sends what is left; gives up after a while, the run's result is more important. */
  close(): Promise<void>;
}

/** How long the end of a run waits for a collector. */
const patienceMs = 3000;

const packages =
  "@opentelemetry/sdk-trace@3.1.0 @opentelemetry/exporter-trace-otlp-http@0.301.0 @opentelemetry/resources@3.1.0";

export interface SpanExportOptions {
  readonly service: string;
  /** What a resumed run did before is not exported again. */
  isReplaying(): boolean;
  warn(text: string): void;
}

export async function exportSpans({ service, isReplaying, warn }: SpanExportOptions): Promise<SpanExport> {
  const { sdk, exporter, resources, api } = await loaded();
  const say = once((message) => warn(`harn: spans could not be exported: ${message}\n`));
  api.diag.setLogger(warnings(say), { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true });
  const provider = new sdk.TracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ "service.name": service })),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new exporter.OTLPTraceExporter({ timeoutMillis: patienceMs }),
        scheduledDelayMillis: 1000,
      }),
    ],
  });
  const spans = new GenAiSpans(provider.getTracer("harn", version));
  return {
    wiring: onState(runEvents, (events) => {
      events.subscribe((event) => {
        if (!isReplaying()) spans.add(event);
      });
    }),
    close: async () => {
      spans.end();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, patienceMs);
      });
      await Promise.race([provider.shutdown().catch((error) => say(String(error))), late]);
      clearTimeout(timer);
    },
  };
}

async function loaded() {
  if (ownExecutable() !== undefined)
    throw new UsageError(
      "OTEL_EXPORTER_OTLP_ENDPOINT asks for spans, and executables do not hold the OpenTelemetry SDK: unset the variable, or run the script by harn",
      "HARN-CLI-008",
    );
  try {
    const [api, sdk, exporter, resources] = await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ]);
    return { api, sdk, exporter, resources };
  } catch (error) {
    if (
      (error as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND" &&
      (error as { code?: unknown }).code !== "MODULE_NOT_FOUND"
    )
      throw error;
    throw new UsageError(
      `OTEL_EXPORTER_OTLP_ENDPOINT asks for spans, but the OpenTelemetry SDK is not installed; install it beside harn (npm install ${packages}), or unset the variable`,
    );
  }
}

/** What goes wrong with the collector is said once, on one line. */
function once(say: (message: string) => void): (message: string) => void {
  let said = false;
  return (message) => {
    if (!said) say(message.split("\n")[0]?.slice(0, 300) ?? "");
    said = true;
  };
}

function warnings(say: (message: string) => void) {
  const ignore = (): void => {};
  return { error: say, warn: say, info: ignore, debug: ignore, verbose: ignore };
}
