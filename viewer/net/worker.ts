/** The `SharedWorker`: one stream for all pages of this browser. Pages say which topics they want, and when they go. */
import { StreamHub } from "./hub.ts";

export type ToWorker =
  | { readonly topics: readonly string[] }
  | { readonly wake: true }
  | { readonly bye: true };

const wants = new Map<MessagePort, readonly string[]>();

const hub = new StreamHub((message) => {
  for (const [port, topics] of wants) {
    if ((message.kind !== "event" && message.kind !== "gone") || topics.includes(message.topic))
      port.postMessage(message);
  }
});
const changed = (): void => hub.setTopics([...wants.values()].flat());

addEventListener("connect", (connected) => {
  const port = (connected as MessageEvent).ports[0] as MessagePort;
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if ("topics" in data) {
      const isNew = !wants.has(port);
      wants.set(port, data.topics);
      // A page that comes later hears how things are.
      if (isNew) for (const message of hub.standing) port.postMessage(message);
    } else if ("bye" in data) wants.delete(port);
    else hub.wake();
    changed();
  };
});
