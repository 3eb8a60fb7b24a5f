/** Requests to the server: JSON in and out, problems as errors. */
import { signal } from "@preact/signals";
import type { Problem } from "../../src/server/protocol/index.ts";
import { slugOf } from "../../src/server/protocol/index.ts";

/** A request that the server refused, or that never reached it (`status` 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: Problem | null;

  constructor(status: number, problem: Problem | null, message: string) {
    super(message);
    this.status = status;
    this.problem = problem;
  }

  get slug(): string | null {
    return this.problem === null ? null : slugOf(this.problem);
  }
}

/** The server wants a login: the page shows where. */
export const loginNeeded = signal(false);

export interface Ask {
  readonly method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** So that a request which is sent again is carried out once. */
  readonly key?: string;
  readonly ifMatch?: string;
}

export async function ask<T>(
  path: string,
  { method = "GET", body, signal: abort, key, ifMatch }: Ask = {},
): Promise<T> {
  const response = await send(path, {
    method,
    ...(abort === undefined ? {} : { signal: abort }),
    headers: {
      accept: "application/json",
      ...(method === "GET" ? {} : { "x-harn": "1", "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
    },
    ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
  });
  return (response.status === 204 ? null : await response.json()) as T;
}

/** The bytes of a file, with what the server calls it. */
export const askBytes = async (path: string): Promise<Blob> => await (await send(path, {})).blob();
export const askText = async (path: string): Promise<string> => await (await send(path, {})).text();

async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...init });
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new ApiError(0, null, "The server can't be reached.");
  }
  if (response.ok) {
    if (path !== "/api/health") loginNeeded.value = false;
    return response;
  }
  if (response.status === 401 && path !== "/api/login") loginNeeded.value = true;
  const problem = await readProblem(response);
  throw new ApiError(response.status, problem, problem?.detail ?? `The server answered ${response.status}.`);
}

async function readProblem(response: Response): Promise<Problem | null> {
  try {
    const read = (await response.json()) as Partial<Problem>;
    return typeof read.type === "string" && typeof read.detail === "string" ? (read as Problem) : null;
  } catch {
    return null;
  }
}

/** A name for a request that is sent until it arrives. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Sends until the server has it: only what is not reached or busy is tried again. */
export async function askUntilHeard<T>(path: string, request: Ask, goOn: () => boolean): Promise<T | null> {
  const key = request.key ?? newKey();
  for (let pause = 500; goOn(); pause = Math.min(pause * 2, 5_000)) {
    try {
      return await ask<T>(path, { ...request, key });
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 0 && error.status < 500)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return null;
}
