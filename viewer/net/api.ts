/** The page's client: what the server refuses is a `HarnProblem`; status 0 is a server that was not reached. */
import { signal } from "@preact/signals";
import { HarnClient, HarnProblem, type Sent } from "../../src/server/client.ts";

export { fileAddress, HarnProblem, reportAddress } from "../../src/server/client.ts";

/** The server wants a login: the page shows where. */
export const loginNeeded = signal(false);

const watched: typeof fetch = async (input, init) => {
  let response: Response;
  try {
    response = await fetch(input, init);
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new HarnProblem(0, null, "The server can't be reached.");
  }
  if (response.ok) loginNeeded.value = false;
  // Of `/api/login` it says that the code is wrong, which the form tells.
  else if (response.status === 401 && input !== "/api/login") loginNeeded.value = true;
  return response;
};

export const client = new HarnClient({ fetch: watched });

/** A name for a request that is sent until it arrives. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** For a request that is carried out once, however often it arrives. */
export const once = (): Sent => ({ idempotencyKey: newKey() });

/** Sends until the server has it: only what is not reached or busy is tried again. */
export async function untilReceived<T>(
  send: (sent: Sent) => Promise<T>,
  isWanted: () => boolean,
): Promise<T | null> {
  const sent = once();
  for (let pause = 500; isWanted(); pause = Math.min(pause * 2, 5_000)) {
    try {
      return await send(sent);
    } catch (error) {
      if (!(error instanceof HarnProblem) || (error.status !== 0 && error.status < 500)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return null;
}
