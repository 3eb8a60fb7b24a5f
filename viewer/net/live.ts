/** What the page hears of the server without asking, and how the connection is. */
import { signal } from "@preact/signals";
import { type HubMessage, StreamHub, type Trouble } from "./hub.ts";
import type { ToWorker } from "./worker.ts";

export interface Listener {
  readonly onEvent: (event: unknown) => void;
  /** The stream is open (again): time to ask for what was missed. */
  readonly opened?: () => void;
}

/** `since`: when it became so. */
export const connection = signal<{
  readonly state: "connecting" | "open" | "lost" | "denied";
  readonly since: number;
}>({
  state: "connecting",
  since: Date.now(),
});

/** Why everything stands still on the server. */
export const trouble = signal<Trouble | null>(null);

const listeners = new Map<string, Set<Listener>>();
let send: ((message: ToWorker) => void) | null = null;

/** Listens to a topic of `/api/stream` until the result is called. */
export function follow(topic: string, listener: Listener): () => void {
  const known = listeners.get(topic) ?? new Set();
  listeners.set(topic, known.add(listener));
  sendTopics();
  return () => {
    known.delete(listener);
    if (known.size === 0) listeners.delete(topic);
    sendTopics();
  };
}

/** Somebody logged in, or the page came back. */
export const wakeStream = (): void => send?.({ wake: true });

function sendTopics(): void {
  send ??= connect();
  send({ topics: [...listeners.keys()] });
}

function receive(message: HubMessage): void {
  if (message.kind === "event") {
    for (const listener of listeners.get(message.topic) ?? []) listener.onEvent(message.event);
    return;
  }
  if (message.kind === "gone") return;
  if (message.kind === "trouble") {
    trouble.value = message.trouble;
    return;
  }
  if (connection.peek().state !== message.kind) connection.value = { state: message.kind, since: Date.now() };
  if (message.kind === "open")
    for (const group of listeners.values()) for (const one of group) one.opened?.();
}

function connect(): (message: ToWorker) => void {
  const post = connectWorker() ?? connectDirectly();
  addEventListener("online", wakeStream);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") wakeStream();
  });
  addEventListener("pagehide", () => post({ bye: true }));
  addEventListener("pageshow", () => sendTopics());
  return post;
}

/** The only address that may become a worker is the one that the page names. */
function connectWorker(): ((message: ToWorker) => void) | null {
  const address = document.querySelector<HTMLMetaElement>('meta[name="harn-worker"]')?.content;
  if (address === undefined || typeof SharedWorker === "undefined") return null;
  const trusted = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  const policy = trusted?.createPolicy("harn", {
    createScriptURL: (url) => {
      if (url !== address) throw new TypeError("Only the page's own worker may be started.");
      return url;
    },
  });
  try {
    const url = (policy?.createScriptURL(address) ?? address) as string;
    const worker = new SharedWorker(url, { type: "module", name: "harn" });
    worker.port.onmessage = ({ data }: MessageEvent<HubMessage>) => receive(data);
    return (message) => worker.port.postMessage(message);
  } catch {
    return null;
  }
}

function connectDirectly(): (message: ToWorker) => void {
  const hub = new StreamHub(receive);
  return (message) => {
    if ("topics" in message) hub.setTopics(message.topics);
    else if ("bye" in message) hub.setTopics([]);
    else hub.wake();
  };
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): unknown };
}
