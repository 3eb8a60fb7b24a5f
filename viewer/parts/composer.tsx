/** Where somebody writes to a conversation. What is not sent stays in this browser. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Delivery } from "../../src/server/protocol/index.ts";
import { headOfText } from "../../src/server/protocol/index.ts";
import { type LogStore, useLog } from "../log/log-store.ts";
import { client, newKey } from "../net/api.ts";
import { keep, recall } from "../preferences.ts";
import { Failure } from "./failure.tsx";
import { Icon } from "./icon.tsx";
import { oneLine, Safe } from "./text.tsx";

const deliveries: readonly (readonly [Delivery, string])[] = [
  ["queue", "After this run"],
  ["step", "At the next model call"],
  ["now", "Now"],
];

export function Composer({ log, isBusy }: { readonly log: LogStore; readonly isBusy: boolean }) {
  useLog(log);
  const { id } = log.source;
  const view = log.headView;
  const text = useSignal(recall(`draft.${id}`) ?? "");
  const delivery = useSignal<Delivery>("queue");
  const sending = useSignal(false);
  const failure = useSignal<unknown>(null);
  const key = useRef(newKey());
  const area = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    const timer = setTimeout(() => keep(`draft.${id}`, text.value === "" ? null : text.value), 300);
    return () => clearTimeout(timer);
  }, [id, text.value]);
  // As high as what is written in it, up to a third of the page.
  useEffect(() => {
    const element = area.current;
    const form = element?.form ?? null;
    if (element === null || form === null) return;
    // What stands above must not get the room for a moment: it would be scrolled.
    form.style.height = `${form.offsetHeight}px`;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight + 2, innerHeight / 3)}px`;
    form.style.height = "";
  }, [text.value]);

  const send = async (): Promise<void> => {
    if (text.value.trim() === "" || sending.value) return;
    sending.value = true;
    failure.value = null;
    // Whoever has to log in first finds it again.
    keep(`draft.${id}`, text.value);
    try {
      const message = { text: text.value, delivery: isBusy ? delivery.value : "queue" };
      await client.say(id, message, { idempotencyKey: key.current });
      key.current = newKey();
      text.value = "";
      keep(`draft.${id}`, null);
    } catch (error) {
      failure.value = error;
    }
    sending.value = false;
    area.current?.focus();
  };
  const withdraw = async (message: string): Promise<void> => {
    try {
      await client.takeBack(id, message);
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {view.queued.map((message) => (
        <div key={message.message} class="queued">
          <Icon name="queued" />
          <span class="line-head">
            <Safe text={oneLine(headOfText(message.text), 120)} />
          </span>
          <button type="button" class="plain" onClick={() => void withdraw(message.message)}>
            Take back
          </button>
        </div>
      ))}
      {failure.value === null ? null : <Failure error={failure.value} />}
      <div class="composer-box">
        <textarea
          ref={area}
          rows={1}
          value={text.value}
          placeholder={isBusy ? "Say something while it works …" : "Write to the agent …"}
          aria-label="Message"
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            void send();
          }}
        />
        {isBusy ? (
          <select
            aria-label="When the agent hears it"
            value={delivery.value}
            onChange={(event) => {
              delivery.value = event.currentTarget.value as Delivery;
            }}
          >
            {deliveries.map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        ) : null}
        <button
          type="submit"
          class="primary"
          disabled={text.value.trim() === "" || sending.value}
          title="Ctrl+Enter"
        >
          Send
        </button>
      </div>
    </form>
  );
}
