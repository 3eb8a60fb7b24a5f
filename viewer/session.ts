/** Who looks at the page, and what the server offers. */
import { computed, signal } from "@preact/signals";
import type { Me, ServerInfo } from "../src/server/protocol/index.ts";
import { client, loginNeeded } from "./net/api.ts";
import { wakeStream } from "./net/live.ts";

export const me = signal<Me | null>(null);
export const info = signal<ServerInfo | null>(null);
/** A report has nobody, and nothing to write to. */
export const mayWrite = computed(() => me.value !== null && me.value.role !== "read");
export const isAdmin = computed(() => me.value?.role === "admin");

export async function loadSession(): Promise<void> {
  me.value = await client.me();
  info.value = await client.info();
}

/** A code of a link, or a token. */
export async function logIn(code: string): Promise<void> {
  await client.login(code);
  loginNeeded.value = false;
  await loadSession();
  wakeStream();
}

export async function logOut(): Promise<void> {
  await client.logout();
  me.value = null;
  loginNeeded.value = true;
}

/** Takes the code out of the address (`#login=CODE`) before anything else sees it. */
export function codeOfAddress(): string | null {
  const found = /^#login=([\w.~+/=-]+)$/.exec(location.hash);
  if (found === null) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return found[1] as string;
}
