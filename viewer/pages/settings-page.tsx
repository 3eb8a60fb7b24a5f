/** `/settings`: how the page looks and is used here; who may use the server. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { PrincipalRecord, Role } from "../../src/server/protocol/index.ts";
import { client, once } from "../net/api.ts";
import { Failure } from "../parts/failure.tsx";
import { calm, singleKeys, type Theme, theme } from "../preferences.ts";
import { go } from "../router.ts";
import { isAdmin, logOut, me } from "../session.ts";
import { dateAndTime } from "../text/format.ts";

const themes: readonly (readonly [Theme, string])[] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function SettingsPage() {
  useEffect(() => {
    document.title = "Settings · Harn";
  }, []);
  return (
    <main class="page settings">
      <h1>Settings</h1>
      <section>
        <h2>This browser</h2>
        <fieldset class="switch">
          <legend>Theme</legend>
          {themes.map(([name, words]) => (
            <button
              key={name}
              type="button"
              aria-pressed={theme.value === name}
              onClick={() => (theme.value = name)}
            >
              {words}
            </button>
          ))}
        </fieldset>
        <label class="check">
          <input
            type="checkbox"
            checked={calm.value}
            onChange={(event) => (calm.value = event.currentTarget.checked)}
          />{" "}
          No motion
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={singleKeys.value}
            onChange={(event) => (singleKeys.value = event.currentTarget.checked)}
          />{" "}
          Shortcuts of a single key (<kbd>?</kbd> lists them)
        </label>
      </section>
      {isAdmin.value ? <Principals /> : null}
      <section>
        <h2>Login</h2>
        <p>
          You are <b>{me.value?.name}</b> ({me.value?.role}).
        </p>
        <button
          type="button"
          onClick={() => {
            void logOut().then(() => go("/login"));
          }}
        >
          Log out
        </button>
      </section>
    </main>
  );
}

function Principals() {
  const list = useSignal<readonly PrincipalRecord[] | null>(null);
  const name = useSignal("");
  const role = useSignal<Role>("write");
  const token = useSignal<{ readonly name: string; readonly token: string | null } | null>(null);
  const failure = useSignal<unknown>(null);
  const load = async (): Promise<void> => {
    list.value = (await client.principals()).items.filter((one) => one.revoked === null);
  };
  const act = async (what: () => Promise<unknown>): Promise<void> => {
    failure.value = null;
    try {
      await what();
      await load();
    } catch (error) {
      failure.value = error;
    }
  };
  useEffect(() => void act(async () => {}), []);
  return (
    <section>
      <h2>Who may use this server</h2>
      {list.value === null ? null : (
        <div class="scroll-x">
          <table class="facts">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Role</th>
                <th scope="col">Since</th>
                <th scope="col">
                  <span class="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.value.map((one) => (
                <tr key={one.name}>
                  <td>{one.name}</td>
                  <td>{one.role}</td>
                  <td>{dateAndTime(one.created)}</td>
                  <td>
                    {one.name === me.value?.name ? null : (
                      <button
                        type="button"
                        class="plain"
                        aria-label={`Revoke ${one.name}`}
                        onClick={() => void act(() => client.revokePrincipal(one.name))}
                      >
                        Revoke
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void act(async () => {
            token.value = await client.addPrincipal(name.value, role.value, once());
            name.value = "";
          });
        }}
      >
        <input
          aria-label="Name"
          placeholder="Name"
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
        <select
          aria-label="Role"
          value={role.value}
          onChange={(event) => (role.value = event.currentTarget.value as Role)}
        >
          <option value="read">may look</option>
          <option value="write">own conversations</option>
          <option value="admin">everything</option>
        </select>
        <button type="submit" disabled={name.value.trim() === ""}>
          Add
        </button>
      </form>
      {token.value === null ? null : (
        <p>
          The token of <b>{token.value.name}</b>, shown only now: <code>{token.value.token}</code>
        </p>
      )}
      {failure.value === null ? null : <Failure error={failure.value} />}
    </section>
  );
}
