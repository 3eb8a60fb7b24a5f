/** `/`: a new conversation. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { client, newKey } from "../net/api.ts";
import { Failure } from "../parts/failure.tsx";
import { keep, recall } from "../preferences.ts";
import { go } from "../router.ts";
import { info, mayWrite } from "../session.ts";

export function StartPage() {
  const agents = info.value?.agents ?? [];
  const text = useSignal(recall("draft.new") ?? "");
  const picked = useSignal("");
  // The agents may arrive after the page.
  const agent = picked.value === "" ? (agents[0]?.name ?? "") : picked.value;
  const examples = agents.find(({ name }) => name === agent)?.examples ?? [];
  const isWritten = info.value?.features.includes("written-answers") ?? false;
  const busy = useSignal(false);
  const failure = useSignal<unknown>(null);
  const key = useSignal(newKey());
  useEffect(() => {
    document.title = "Harn";
  }, []);
  const start = async (): Promise<void> => {
    if (busy.value || text.value.trim() === "") return;
    busy.value = true;
    failure.value = null;
    try {
      const asked = { agent, message: { text: text.value } };
      const made = await client.createConversation(asked, { idempotencyKey: key.value });
      keep("draft.new", null);
      go(`/c/${encodeURIComponent(made.id)}`);
    } catch (error) {
      failure.value = error;
      key.value = newKey();
      busy.value = false;
    }
  };
  if (agents.length === 0)
    return (
      <main class="page start">
        <h1>Recorded runs</h1>
        <p class="soft">
          This server has no agent. Choose a run on the left, or start one with <code>harn serve FILE</code>.
        </p>
      </main>
    );
  if (!mayWrite.value)
    return (
      <main class="page start">
        <h1>Conversations</h1>
        <p class="soft">You may look at conversations: choose one on the left.</p>
      </main>
    );
  return (
    <main class="page start">
      <h1>What is to be done?</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <div class="composer-box tall">
          <textarea
            rows={4}
            value={text.value}
            aria-label="Task"
            placeholder="A question, a task …"
            onInput={(event) => {
              text.value = event.currentTarget.value;
              keep("draft.new", text.value === "" ? null : text.value);
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              void start();
            }}
          />
        </div>
        <div class="buttons">
          <label>
            Agent{" "}
            <select value={agent} onChange={(event) => (picked.value = event.currentTarget.value)}>
              {agents.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.title}
                </option>
              ))}
            </select>
          </label>
          <span class="grow" />
          <span class="soft small">Ctrl+Enter</span>
          <button type="submit" class="primary" disabled={busy.value || text.value.trim() === ""}>
            Start
          </button>
        </div>
        {failure.value === null ? null : <Failure error={failure.value} />}
      </form>
      {isWritten ? (
        <p class="soft">
          Answers on this server are written beforehand or recorded: no model is asked, and other tasks than
          those they were made for are not understood.
        </p>
      ) : null}
      {examples.length === 0 ? null : (
        <section aria-label="Examples">
          <h2>To begin with</h2>
          <ul class="plain-list">
            {examples.map((example) => (
              <li key={example}>
                <button
                  type="button"
                  class="plain"
                  onClick={() => {
                    text.value = example;
                    keep("draft.new", example);
                  }}
                >
                  {example}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  );
}
