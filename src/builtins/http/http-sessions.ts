/**
 * HTTP sessions (builtins.md §2.15): options and cookies that several requests share. Runtime state: cookies come back
 * with recorded answers, so a replay fills the same jar.
 */
import { stateKey, type Task } from "../../interp/index.ts";
import { Dict, thrown, type Value } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { CookieJar } from "./cookie-jar.ts";

export interface HttpSession {
  /** What every request gets that does not say otherwise. */
  readonly options: Dict;
  readonly jar: CookieJar;
}

const sessions = stateKey<{ opened: number; readonly open: Map<string, HttpSession> }>(
  "http sessions",
  () => ({ opened: 0, open: new Map() }),
);

/** Opens a session and gives its handle. */
export function openSession(task: Task, options: Argument): string {
  const state = task.runtime.state(sessions);
  const handle = `http_session_${++state.opened}`;
  const value = options instanceof Dict ? options.without("session") : new Dict();
  state.open.set(handle, { options: value, jar: new CookieJar(task.runtime.host.libraries.toughCookie) });
  return handle;
}

export function httpSessionOf(task: Task, handle: Argument): HttpSession {
  const session = task.runtime.state(sessions).open.get(textOf(handle));
  if (session !== undefined) return session;
  throw thrown(`http_session_request: unknown HTTP session '${textOf(handle)}'`);
}

/** False when it was closed already. */
export function closeSession(task: Task, handle: Argument): boolean {
  return task.runtime.state(sessions).open.delete(textOf(handle));
}

/** A session's options under those of one request; headers and query are joined name by name. */
export function withSession(session: HttpSession, options: Argument): Dict {
  const own = options instanceof Dict ? options : new Dict();
  let whole = session.options.merge(own);
  for (const name of ["headers", "query"]) {
    const shared = session.options.get(name);
    const value = own.get(name);
    if (shared instanceof Dict && value instanceof Dict) whole = whole.with(name, joinNames(shared, value));
  }
  return whole;
}

/** Headers differ by more than their case. */
function joinNames(shared: Dict, input: Dict): Value {
  const names = new Set([...input.keys()].map((name) => name.toLowerCase()));
  const kept = [...shared.entries()].filter(([name]) => !names.has(name.toLowerCase()));
  return Dict.from([...kept, ...input.entries()]);
}
