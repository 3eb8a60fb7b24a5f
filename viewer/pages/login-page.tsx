/** `/login`: a code of `harn serve url`, or a token. */
import { useSignal } from "@preact/signals";
import { Failure } from "../parts/failure.tsx";
import { go, place } from "../router.ts";
import { logIn } from "../session.ts";

export function LoginPage() {
  const code = useSignal("");
  const busy = useSignal(false);
  const failure = useSignal<unknown>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    busy.value = true;
    failure.value = null;
    try {
      await logIn(code.value.trim().replace(/^.*#login=/, ""));
      if (place.value.path === "/login") go("/", { replace: true });
    } catch (error) {
      failure.value = error;
    }
    busy.value = false;
  };
  return (
    <main class="page login">
      <h1>Log in</h1>
      <p class="soft">
        Open the link that <code>harn serve url</code> prints, or paste its code or a token here.
      </p>
      <form onSubmit={(event) => void submit(event)}>
        <label class="field">
          Code or token
          <input
            type="password"
            autocomplete="off"
            value={code.value}
            onInput={(event) => (code.value = event.currentTarget.value)}
          />
        </label>
        <div class="buttons">
          <button type="submit" class="primary" disabled={busy.value || code.value.trim() === ""}>
            Log in
          </button>
        </div>
        {failure.value === null ? null : <Failure error={failure.value} />}
      </form>
    </main>
  );
}
