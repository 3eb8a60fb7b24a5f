/**
 * `harn test --record` and `--replay`: model answers in `.harn-fixtures/<hash>.json` beside the tests, one pretty JSON
 * object each (agents.md §2.3). The hash covers model, messages and system text. A request that a test makes several
 * times has its later answers in `<hash>-2.json`, `<hash>-3.json` …
 */

import type { Digest } from "../../effects/index.ts";
import { redactKnown } from "../../effects/index.ts";
import type { Files } from "../../host/index.ts";
import {
  Catalogue,
  createMockState,
  createModelClient,
  type EnvReader,
  emptyResponse,
  fixtureLine,
  type ModelClient,
  type ModelRequest,
  makeModelError,
  parseFixtures,
} from "../../model/index.ts";

export const fixtureFolder = ".harn-fixtures";

/** The part of a request that decides its answer; bookkeeping such as time stamps is left out. */
function fixtureHashOf(request: ModelRequest, digest: Digest): string {
  const messages = request.messages.map(({ role, content, tool_calls, tool_call_id, tool_use_id, name }) => ({
    role,
    content,
    tool_calls,
    tool_call_id,
    tool_use_id,
    name,
  }));
  return digest(JSON.stringify({ model: request.model, messages, system: request.system ?? null }));
}

/** Numbers equal requests of one test. */
class Occurrences {
  private readonly counts = new Map<string, number>();
  next(hash: string): string {
    const count = (this.counts.get(hash) ?? 0) + 1;
    this.counts.set(hash, count);
    return count === 1 ? `${hash}.json` : `${hash}-${count}.json`;
  }
}

export interface FixtureStore {
  readonly files: Files;
  readonly folder: string;
  readonly digest: Digest;
}

/** Keeps every answer of a vendor; the mock's are reproducible by themselves. */
export function recordingClient(inner: ModelClient, store: FixtureStore, env: EnvReader): ModelClient {
  const occurrences = new Occurrences();
  const secrets = new Catalogue().secrets(env);
  return {
    async stream(request, options) {
      const outcome = await inner.stream(request, options);
      if (!outcome.ok || request.provider === "mock") return outcome;
      const name = occurrences.next(fixtureHashOf(request, store.digest));
      const text = JSON.stringify(JSON.parse(fixtureLine(outcome)), undefined, 2);
      store.files.makeDir(store.folder);
      store.files.write(`${store.folder}/${name}`, `${redactKnown(text, secrets)}\n`);
      return outcome;
    },
  };
}

/** Answers from the files; a request without one fails with what to do. */
export function replayingClient(inner: ModelClient, store: FixtureStore): ModelClient {
  const occurrences = new Occurrences();
  return {
    async stream(request, options = {}) {
      if (request.provider === "mock") return inner.stream(request, options);
      const hash = fixtureHashOf(request, store.digest);
      const text = read(store, occurrences.next(hash)) ?? read(store, `${hash}.json`);
      if (text === undefined) return missing(request, store.folder);
      const state = createMockState();
      state.fixtures = parseFixtures(JSON.stringify(JSON.parse(text)), `${store.folder}/${hash}.json`);
      return createModelClient({ mock: state, env: new Map() }).stream(request, options);
    },
  };
}

function read(store: FixtureStore, name: string): string | undefined {
  const path = `${store.folder}/${name}`;
  return store.files.stat(path)?.kind === "file" ? store.files.readText(path) : undefined;
}

function missing(request: ModelRequest, folder: string): Awaited<ReturnType<ModelClient["stream"]>> {
  const { provider, model } = request;
  const error = makeModelError({
    category: "not_found",
    message: `no recorded answer for this request to ${provider} (${model}) in ${folder}: run \`harn test --record\` again`,
    provider,
    model,
  });
  return { ok: false, error, partial: emptyResponse(provider, model) };
}

/** Every variable that holds a vendor's key. */
export function keyVariables(): string[] {
  const catalogue = new Catalogue();
  const names = catalogue.providerNames().flatMap((name) => catalogue.provider(name)?.auth_env ?? []);
  return [...new Set(names)];
}

/**
 * The environment of a replay: keys that exist only for the vendors whose answers were recorded, so that a request
 * takes the route that it took then, on a machine without any key.
 */
export function replayKeys(store: FixtureStore): Map<string, string | undefined> {
  const env = new Map<string, string | undefined>(keyVariables().map((name) => [name, undefined]));
  if (store.files.stat(store.folder)?.kind !== "dir") return env;
  const catalogue = new Catalogue();
  for (const { name } of store.files.list(store.folder)) {
    if (!name.endsWith(".json")) continue;
    const provider = fixtureProviderOf(store, name);
    const key = provider === undefined ? undefined : catalogue.provider(provider)?.auth_env[0];
    if (key !== undefined) env.set(key, "recorded");
  }
  return env;
}

function fixtureProviderOf(store: FixtureStore, name: string): string | undefined {
  try {
    const { provider } = JSON.parse(store.files.readText(`${store.folder}/${name}`)) as {
      provider?: unknown;
    };
    return typeof provider === "string" ? provider : undefined;
  } catch {
    return undefined;
  }
}
