/** The page: of a server, or of the report that it is part of. */
import { signal } from "@preact/signals";
import { render } from "preact";
import { useMemo } from "preact/hooks";
import type { DurableEnvelope } from "../src/server/protocol/index.ts";
import { useKeys } from "./keys.ts";
import { conversationLog, reportLog, runLog } from "./log/source.ts";
import { loginNeeded } from "./net/api.ts";
import { connection, trouble } from "./net/live.ts";
import { Help } from "./pages/help.tsx";
import { LogPage } from "./pages/log-page.tsx";
import { LoginPage } from "./pages/login-page.tsx";
import { PaperPage, PapersPage } from "./pages/papers-page.tsx";
import { SettingsPage } from "./pages/settings-page.tsx";
import { Sidebar } from "./pages/sidebar.tsx";
import { StartPage } from "./pages/start-page.tsx";
import { Announcements } from "./parts/announcements.tsx";
import { Failure } from "./parts/failure.tsx";
import { Icon } from "./parts/icon.tsx";
import { NotHere } from "./parts/not-here.tsx";
import { clock } from "./text/format.ts";
import "./preferences.ts";
import { place, startRouter } from "./router.ts";
import { codeOfAddress, loadSession, logIn, me } from "./session.ts";

const help = signal(false);
const startFailure = signal<unknown>(null);

function App() {
  useKeys({
    "?": () => {
      help.value = !help.value;
    },
  });
  const { path } = place.value;
  const [, kind, name] = path.split("/");
  const isLogin = loginNeeded.value || path === "/login";
  return (
    <>
      <Announcements />
      {isLogin ? (
        <LoginPage />
      ) : startFailure.value !== null ? (
        <main class="page">
          <Failure error={startFailure.value} />
        </main>
      ) : me.value === null ? (
        <main class="page">
          <p class="empty">Loading …</p>
        </main>
      ) : (
        <div class={`app ${path === "/" ? "at-start" : "at-page"}`}>
          <button type="button" class="skip" onClick={skipToPage}>
            Skip the list
          </button>
          <Sidebar current={path} />
          <div class="main">
            <Connection />
            <Trouble />
            {kind === "c" || kind === "r" ? null : (
              <a class="back back-line" href="/">
                <Icon name="left" /> All conversations
              </a>
            )}
            <Content kind={kind ?? ""} name={decoded(name)} />
          </div>
        </div>
      )}
      {help.value ? <Help onClose={() => (help.value = false)} /> : null}
    </>
  );
}

/** What the next Tab comes to is the first thing of the page itself. */
function skipToPage(): void {
  const page = document.querySelector<HTMLElement>(".main");
  page?.setAttribute("tabindex", "-1");
  page?.focus();
}

function Content({ kind, name }: { readonly kind: string; readonly name: string }) {
  const source = useMemo(
    () => (kind === "c" ? conversationLog(name) : kind === "r" ? runLog(name) : null),
    [kind, name],
  );
  if (source !== null) return <LogPage key={`${kind}/${name}`} source={source} />;
  switch (kind) {
    case "":
    case "new":
      return <StartPage />;
    case "papers":
      return <PapersPage />;
    case "p":
      return <PaperPage key={name} id={name} />;
    case "settings":
      return <SettingsPage />;
    default:
      return (
        <main class="page">
          <NotHere what="page" />
        </main>
      );
  }
}

function decoded(name: string | undefined): string {
  try {
    return decodeURIComponent(name ?? "");
  } catch {
    return name ?? "";
  }
}

/** A lost connection is said with its time; everything stays readable. */
function Connection() {
  const { state, since } = connection.value;
  if (state !== "lost") return null;
  return (
    <p class="connection" role="status">
      The connection was lost at {clock(since)}. It is tried again; the run goes on meanwhile.
    </p>
  );
}

/** What stands still, and that nobody has to do anything here but make room. */
function Trouble() {
  if (trouble.value === null) return null;
  return (
    <p class="connection" role="status">
      The server's disk is full. Runs stand still and nothing new is taken until there is room; then they go
      on by themselves. What is there can be read.
    </p>
  );
}

/** A report: its events are in the page, nothing is asked of anybody. */
function Report({
  id,
  title,
  events,
}: {
  readonly id: string;
  readonly title: string;
  readonly events: readonly DurableEnvelope[];
}) {
  const source = useMemo(() => reportLog(id, events), [id, events]);
  useKeys({
    "?": () => {
      help.value = !help.value;
    },
  });
  return (
    <>
      <Announcements />
      <div class="app alone">
        <div class="main">
          <LogPage source={source} title={title} />
        </div>
      </div>
      {help.value ? <Help onClose={() => (help.value = false)} /> : null}
    </>
  );
}

async function start(root: HTMLElement): Promise<void> {
  const report = document.getElementById("harn-report");
  if (report !== null) {
    const { id, title, events } = JSON.parse(report.textContent ?? "{}") as {
      id: string;
      title: string;
      events: readonly DurableEnvelope[];
    };
    render(<Report id={id} title={title} events={events} />, root);
    return;
  }
  const code = codeOfAddress();
  startRouter();
  render(<App />, root);
  try {
    if (code === null) await loadSession();
    // A code that was used already: whoever has a login stays in.
    else await logIn(code).catch(loadSession);
  } catch (error) {
    if (!loginNeeded.value) startFailure.value = error;
  }
}

const root = document.getElementById("app");
if (root !== null) void start(root);
