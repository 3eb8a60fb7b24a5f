/**
 * Skills of a git repository. A commit is fetched once, into the state folder, and lies there under its id:
 *
 *     STATE/skill-sources/<repository>/<commit>/…      its plain files, nothing else of it
 *     STATE/skill-sources/<repository>/<ref>.txt       the commit that a tag or a branch meant last
 *
 * The repository is a stranger's: git runs without its hooks, its configuration and its attributes, asks nobody, follows no
 * redirects, and what is taken out of the commit are plain files of bounded number and size; links and submodules stay
 * after. All of it is one effect, so a replay needs neither git nor the network.
 */
import { type ResultOf, shape } from "../effects/index.ts";
import { gateOf, type Host, HostError, type ProcessResult } from "../host/index.ts";
import { statePlaces } from "../store/index.ts";
import { Dict, display, ScriptError } from "../values/index.ts";
import type { GitSource } from "./git-address.ts";

/** What came of a source. */
export const fetchedShape = shape.record({
  /** Where the skills lie; `null` when there are none. */
  folder: shape.orNull(shape.text),
  commit: shape.orNull(shape.text),
  /** For people. */
  warnings: shape.listOf(shape.text),
});
export type GitFetch = ResultOf<typeof fetchedShape>;

const patienceMs = 120_000;
const lookMs = 200;
const maxPackBytes = 256 * 1024 * 1024;
const maxFiles = 5_000;
const maxFileBytes = 64 * 1024 * 1024;
const maxListing = 8 * 1024 * 1024;

/** Why a source has no skills, in words for people. */
class Unreachable extends Error {}

/** Finds or fetches the files of a source; what goes wrong is among the warnings. Runs inside an effect. */
export async function fetchSource(host: Host, source: GitSource, signal: AbortSignal): Promise<GitFetch> {
  try {
    return await new Repository(host, source, signal).obtain();
  } catch (error) {
    if (signal.aborted) throw error;
    return { folder: null, commit: null, warnings: [`is left out: ${gitErrorText(error)}`] };
  }
}

function gitErrorText(error: unknown): string {
  if (error instanceof Unreachable || error instanceof HostError) return error.message;
  if (!(error instanceof ScriptError)) throw error;
  const { value } = error;
  return display(value instanceof Dict ? (value.get("message") ?? value) : value);
}

class Repository {
  private readonly host: Host;
  /** The machine without rules: the folder of sources is Harn's own. */
  private readonly own: Host;
  private readonly source: GitSource;
  private readonly signal: AbortSignal;
  private readonly cache: string;

  constructor(host: Host, source: GitSource, signal: AbortSignal) {
    this.host = host;
    this.own = host.own ?? host;
    this.source = source;
    this.signal = signal;
    const { files } = this.own;
    const { state } = statePlaces(host.cwd, host.env, (path) => files.stat(path)?.kind === "file");
    this.cache = `${state}/skill-sources/${host.crypto.digest(source.url).slice(0, 16)}`;
  }

  async obtain(): Promise<GitFetch> {
    const { ref } = this.source;
    const known = ref.kind === "rev" ? ref.name : this.lastSeen();
    if (known !== undefined && (ref.kind === "rev" || ref.kind === "tag") && this.has(known))
      return this.found(known);
    try {
      this.ask();
      const now = known === undefined || ref.kind === "rev" ? undefined : await this.tip();
      if (now !== undefined && this.has(now)) return this.found(this.seen(now));
      return this.found(await this.take());
    } catch (error) {
      if (known === undefined || !this.has(known) || this.signal.aborted) throw error;
      const said = `can't be asked for what is new (${gitErrorText(error)}); taken is what was fetched last, ${known.slice(0, 12)}`;
      return { ...this.found(known), warnings: [said] };
    }
  }

  /** Asks the rules of the run about the place, before git is. */
  private ask(): void {
    const { place } = this.source;
    if (place.kind === "network")
      gateOf(this.host)?.check({ kind: "network", url: place.url, listens: false });
    else this.host.files.list(place.path);
  }

  private has(commit: string): boolean {
    return this.own.files.stat(`${this.cache}/${commit}`)?.kind === "dir";
  }

  private found(commit: string): GitFetch {
    const { folder } = this.source;
    const path = `${this.cache}/${commit}${folder === "" ? "" : `/${folder}`}`;
    const there = this.own.files.stat(path)?.kind === "dir";
    const warnings = there ? [] : [`has no folder ${folder} in ${commit.slice(0, 12)}`];
    return { folder: there ? path : null, commit, warnings };
  }

  private get note(): string {
    const { kind, name } = this.source.ref;
    return `${this.cache}/${kind}-${this.host.crypto.digest(name).slice(0, 16)}.txt`;
  }

  private lastSeen(): string | undefined {
    const { files } = this.own;
    if (files.stat(this.note)?.kind !== "file") return undefined;
    const text = files.readText(this.note).trim();
    return isCommit(text) ? text : undefined;
  }

  private seen(commit: string): string {
    if (this.source.ref.kind !== "rev") this.own.files.write(this.note, `${commit}\n`);
    return commit;
  }

  private get wanted(): string {
    const { kind, name } = this.source.ref;
    if (kind === "branch") return `refs/heads/${name}`;
    return kind === "tag" ? `refs/tags/${name}` : name;
  }

  /** What the branch is now, without fetching it; `undefined` when only fetching tells. */
  private async tip(): Promise<string | undefined> {
    const said = await this.git(["ls-remote", "--quiet", "--", this.source.url, this.wanted]);
    if (said.status !== 0) throw this.failure(said);
    const lines = said.stdout.split("\n").map((line) => line.split("\t"));
    const commit = lines.find(([, name]) => name === this.wanted)?.[0];
    return commit !== undefined && isCommit(commit) ? commit : undefined;
  }

  /** Fetches the commit and puts its plain files where they stay. */
  private async take(): Promise<string> {
    const { files } = this.own;
    files.makeDir(this.cache);
    const work = files.makeTempDir(`${this.cache}/.fetch-`);
    try {
      const bare = `${work}/git`;
      await this.must(["init", "--quiet", "--bare", "--template=", "--", bare]);
      const commit = await this.download(bare);
      if (!this.has(commit)) {
        await this.unpack(bare, commit, `${work}/files`);
        this.place(`${work}/files`, commit);
      }
      return this.seen(commit);
    } finally {
      files.remove(work);
    }
  }

  /** Somebody else may have been quicker: it is the same commit. */
  private place(from: string, commit: string): void {
    try {
      this.own.files.rename(from, `${this.cache}/${commit}`);
    } catch (error) {
      if (!this.has(commit)) throw error;
    }
  }

  private async download(bare: string): Promise<string> {
    const { ref, url } = this.source;
    const fetch = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"];
    const shallow = await this.within(bare, [...fetch, "--depth=1", "--", url, this.wanted]);
    // Old servers give a commit by its id only with the branch or tag that leads to it.
    const refused = ref.kind === "rev" && shallow.status !== 0 && noSuchRef.test(shallow.stderr);
    const said = refused
      ? await this.within(bare, [
          ...fetch,
          "--",
          url,
          "+refs/heads/*:refs/heads/*",
          "+refs/tags/*:refs/tags/*",
        ])
      : shallow;
    if (said.status !== 0) throw this.failure(said);
    const name = ref.kind === "rev" ? ref.name : "FETCH_HEAD";
    const parsed = await this.git(["rev-parse", "--verify", "--quiet", `${name}^{commit}`], { bare });
    const commit = parsed.stdout.trim();
    if (parsed.status !== 0 || !isCommit(commit)) throw new Unreachable(this.noRef());
    return commit;
  }

  private async unpack(bare: string, commit: string, into: string): Promise<void> {
    const { folder } = this.source;
    const listed = await this.must(
      ["ls-tree", "-r", "-z", "--long", "--full-tree", commit, ...(folder === "" ? [] : ["--", folder])],
      { bare, maxOutput: maxListing },
    );
    const paths = plainFiles(listed.stdout);
    this.own.files.makeDir(into);
    // An index of the whole commit, of which only the plain files are written.
    await this.must(["read-tree", commit], { bare });
    await this.must(["checkout-index", "--quiet", "-z", "--stdin", `--prefix=${into}/`], {
      bare,
      stdin: paths.map((path) => `${path}\0`).join(""),
      // Git looks for attributes in a working copy: this one is empty.
      more: ["--work-tree", into],
    });
  }

  /** A command during which what arrives is measured. */
  private async within(bare: string, words: readonly string[]): Promise<ProcessResult> {
    const tooMuch = new AbortController();
    let over = false;
    const looking = this.measure(bare, tooMuch, () => over);
    try {
      return await this.git(words, { bare, signal: AbortSignal.any([this.signal, tooMuch.signal]) });
    } catch (error) {
      if (tooMuch.signal.aborted) throw new Unreachable(`it is larger than ${maxPackBytes / 1024 / 1024} MB`);
      throw error;
    } finally {
      over = true;
      await looking;
    }
  }

  private async measure(bare: string, tooMuch: AbortController, over: () => boolean): Promise<void> {
    const { clock, files } = this.own;
    const folder = `${bare}/objects/pack`;
    while (!over()) {
      await clock.sleep(lookMs);
      const sizes = over() || files.stat(folder) === undefined ? [] : files.list(folder);
      const size = sizes.reduce((sum, { name }) => sum + (files.stat(`${folder}/${name}`)?.size ?? 0), 0);
      if (size > maxPackBytes) {
        tooMuch.abort();
        return;
      }
    }
  }

  private async must(words: readonly string[], how: How = {}): Promise<ProcessResult> {
    const said = await this.git(words, how);
    if (said.status !== 0 || said.truncated) throw this.failure(said);
    return said;
  }

  private async git(words: readonly string[], how: How = {}): Promise<ProcessResult> {
    const { bare, more = [], signal = this.signal, stdin, maxOutput = maxListing } = how;
    const where = bare === undefined ? [] : [`--git-dir=${bare}`];
    try {
      return await this.host.processes.run("git", [...safely, ...where, ...more, ...words], {
        cwd: this.host.cwd,
        env: this.environment(bare !== undefined && !words.includes("fetch")),
        replaceEnv: true,
        timeoutMs: patienceMs,
        maxOutput,
        signal,
        ...(stdin === undefined ? {} : { stdin }),
      });
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      throw new Unreachable(`git can't be run: ${error.message}`);
    }
  }

  /** `alone`: also without the user's configuration, which may name programs for what files hold. */
  private environment(alone: boolean): Record<string, string> {
    const { place } = this.source;
    const kept = [...this.own.env].filter(([name]) => !name.startsWith("GIT_") || keptVariables.test(name));
    return {
      ...Object.fromEntries(kept),
      ...(this.own.env.has("GIT_SSH_COMMAND") ? {} : { GIT_SSH_COMMAND: "ssh -o BatchMode=yes" }),
      GIT_ALLOW_PROTOCOL: place.kind === "network" ? place.scheme : "file",
      GIT_TERMINAL_PROMPT: "0",
      GIT_ASKPASS: "",
      SSH_ASKPASS_REQUIRE: "never",
      GCM_INTERACTIVE: "never",
      GIT_LFS_SKIP_SMUDGE: "1",
      LC_ALL: "C",
      ...(alone ? { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" } : {}),
    };
  }

  private noRef(): string {
    const { kind, name } = this.source.ref;
    if (kind === "default") return "it has no commit yet";
    return `it has no ${kind === "rev" ? "commit" : kind} ${JSON.stringify(name)}`;
  }

  private failure({ stderr, timedOut, truncated }: ProcessResult): Unreachable {
    if (timedOut) return new Unreachable(`git did not end within ${patienceMs / 1000} s`);
    if (truncated) return new Unreachable(`it has more than ${maxFiles} files`);
    if (login.test(stderr))
      return new Unreachable(
        'it asks for a login, and nobody is asked for passwords here; give git a credential helper or a key without a question, or clone it and use `type = "fs"`',
      );
    if (redirected.test(stderr))
      return new Unreachable("its server sends git on to another address; name that one");
    if (noSuchRef.test(stderr)) return new Unreachable(this.noRef());
    if (noRepository.test(stderr)) return new Unreachable("there is no repository that may be read");
    const line = stderr.split("\n").find((one) => /^(?:fatal|error): /.test(one)) ?? "fatal: git failed";
    const plain = line.replace(/^\w+: /, "").replaceAll(this.source.url, this.source.shown);
    return new Unreachable(plain.replace(/\/\/[^/@\s]+@/g, "//").slice(0, maxWords));
  }
}

interface How {
  readonly bare?: string;
  readonly more?: readonly string[];
  readonly signal?: AbortSignal;
  readonly stdin?: string;
  readonly maxOutput?: number;
}

/** Before each command: nothing of a repository or a server makes git run, follow or keep more than was asked for. */
const safely: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.symlinks=false",
  "core.attributesFile=/dev/null",
  "core.bigFileThreshold=1m",
  "http.followRedirects=false",
  "fetch.unpackLimit=1",
  "gc.auto=0",
  "maintenance.auto=false",
].flatMap((setting) => ["-c", setting]);

/** What a user says of connections; what names repositories, indexes and programs is not taken over. */
const keptVariables = /^GIT_(?:SSL_|HTTP_|SSH|PROXY_|CURL_|EXEC_PATH$|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$)/;

const maxWords = 300;
const login =
  /could not read (?:Username|Password)|Authentication failed|terminal prompts disabled|Permission denied \(|Host key verification failed|requested URL returned error: 40[13]/i;
const redirected = /update url base from redirection|returned error: 30\d/i;
const noSuchRef =
  /couldn't find remote ref|not our ref|unadvertised object|no such remote ref|upload-pack: not our/i;
const noRepository =
  /does not appear to be a git repository|repository .* not found|not found: did you run|Repository not found/i;
const isCommit = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** The plain files of `ls-tree --long -z`, none of them with a strange name; their number and size are bounded. */
function plainFiles(listing: string): string[] {
  const found: string[] = [];
  let bytes = 0;
  for (const entry of listing.split("\0")) {
    const [, mode, size, path] = /^(\d+) \w+ [0-9a-f]+ +(\d+|-)\t(.*)$/s.exec(entry) ?? [];
    if (path === undefined || (mode !== "100644" && mode !== "100755")) continue;
    found.push(path);
    bytes += Number(size);
    if (found.length > maxFiles) throw new Unreachable(`it has more than ${maxFiles} files`);
    if (bytes > maxFileBytes)
      throw new Unreachable(`its files are larger than ${maxFileBytes / 1024 / 1024} MB`);
  }
  return found;
}
