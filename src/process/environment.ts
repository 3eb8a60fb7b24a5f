/**
 * The variables of the environment that the runtime reads, each with what it does: the one list. Who reads one of an environment
 * does it by `variable`; docs/reference/environment.md is made from it. Those of model providers (keys, addresses) stand in the
 * providers' own rows. Imports nothing: folders that may not touch the process read the environment of their host.
 */

const groups = {
  "Where things lie": {
    HARN_STATE_DIR:
      "The state folder of a project, instead of `.harn` beside its `harn.toml`. A relative path begins there.",
    HARN_RUN_DIR: "The folder for records of workflow runs, instead of `.harn-runs`.",
    HARN_WORKTREE_DIR: "The folder for copies of repositories, instead of `worktrees` in the state folder.",
    HARN_WORKER_STATE_DIR: "The folder for the files of workers, instead of `workers` in the state folder.",
    HARN_EVENT_LOG_BACKEND: "Where the event log lives: `memory` (until the run ends), `file` or `sqlite`.",
    HARN_EVENT_LOG_DIR: "Its folder, instead of `events` in the state folder.",
    HARN_FRICTION_LOG: "A file that gets a line of JSON for everything that `friction_record` is told.",
    HARN_SKILLS_PATH: "Folders with skills, as in PATH.",
    XDG_CONFIG_HOME:
      "The folder of a user's settings, instead of `~/.config`: skills, and the keys that are trusted.",
    XDG_CACHE_HOME: "The folder of a user's caches, instead of `~/.cache`: parsed programs.",
    XDG_STATE_HOME:
      "The folder of a user's state, instead of `~/.local/state`: the history of the REPL, backups of stores.",
    HOME: "The folder of the user, where the others are not set.",
    USERPROFILE: "The same on Windows.",
  },
  Models: {
    HARN_LLM_PROVIDER: "The provider of calls that name none.",
    HARN_LLM_MODEL: "The model of calls that name none.",
    HARN_PROVIDERS_CONFIG: "A TOML file with providers, models and aliases of your own.",
    HARN_LLM_STREAM: "`0`, `false` or `off`: answers come whole instead of in pieces.",
    HARN_LLM_CALLS_DISABLED: "`1`, `true`, `yes` or `on`: no model is called but the mock.",
    HARN_LLM_TRANSCRIPT_DIR: "A folder that gets the transcript of every model call.",
    HARN_LLM_TRANSCRIPT_VERBOSE: "`1`: transcripts with the whole requests.",
    HARN_STRUCTURAL_EXPERIMENT:
      "The structural experiment of calls that name none (`structural_experiment`).",
    HARN_RATE_LIMIT_NAME: "Requests a minute to a provider: `HARN_RATE_LIMIT_OPENAI=60`.",
    LOCAL_LLM_BASE_URL:
      "The address of a server of models on this machine: then a model that no provider names is `local`.",
    OLLAMA_HOST: "The address of Ollama: then such a model is `ollama`.",
    OPENAI_CUSTOM_HEADERS: "Headers of requests to OpenAI, a line each: `Name: value`.",
  },
  Network: {
    HARN_EGRESS_ALLOW: "Whom programs may speak to, with commas; a program can't widen it.",
    HARN_EGRESS_DENY: "Whom they may not.",
    HARN_EGRESS_DEFAULT: "`allow` or `deny`: what holds for all others.",
  },
  Programs: {
    HARN_SECRET_NAMESPACE_NAME: "The secret `namespace/name` of `secret_get`.",
    HARN_PRINCIPAL: "For whom a program acts, instead of the user of the machine.",
    HARN_TENANT_ID: "Whose work it is.",
    HARN_REQUIRE_SIGNED_SKILLS: "`1`: skills without a trusted signature are not loaded.",
    HARN_UPDATE_GOLDEN: "`1`: `std/testing` writes golden files anew instead of comparing with them.",
    HARN_SESSION: "The durable session that a run works for; set by `harn session run`.",
    HARN_SKILL_DIR: "In the body of a skill, `${HARN_SKILL_DIR}`: its folder.",
    HARN_SESSION_ID: "In the body of a skill, `${HARN_SESSION_ID}`: the session of the loop.",
    USER: "The name of the user.",
    LOGNAME: "The same, where USER is not set.",
    PATH: "Where programs are looked for.",
    GIT_SSH_COMMAND: "How git reaches servers; without one it asks for no password.",
  },
  Servers: {
    HARN_SERVE_TOKEN: "The token of the administrator of `harn serve`.",
    HARN_MCP_TOKEN: "The token that clients of `harn mcp-serve --http` need where others can reach it.",
    OTEL_EXPORTER_OTLP_ENDPOINT: "Where spans of runs are sent; without one none are made.",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "The same, for spans only.",
    OTEL_SDK_DISABLED: "`true`: none are made all the same.",
    OTEL_SERVICE_NAME: "Their service, instead of `harn`.",
    GITHUB_STEP_SUMMARY: "The file that `harn eval report` adds its report to (set by GitHub's runners).",
  },
  "Runs on many machines": {
    HARN_JOURNALS:
      "The database that copies of journals lie in, where `journals` in `[cluster]` says nothing else: `postgres://…`.",
    PGPASSWORD: "The password of that database, where its address brings none.",
    TEMPORAL_API_KEY: "The key that the engine wants, where `api_key` in `[cluster]` says nothing else.",
  },
  Terminal: {
    NO_COLOR: "Anything: no colours.",
    FORCE_COLOR: "Anything: colours where the output is no terminal, too.",
  },
  "Set for child processes": {
    HARN_POOL_CHILD: "Marks a process of harn's own pool.",
    HARN_TEST_WORKER: "Marks a worker of `harn test`.",
    HARN_PROCESS_TREE: "Names the tree of processes that a run has started, so that none stays behind.",
    HARN_EVAL_DETACHED: "Names the set that a detached `harn eval run` works on.",
    HARN_WORKER_JOB:
      "Names the job that a child of `harn worker` does: names of secrets in what came with it become secrets only where the program reads them.",
    HARN_TORTURE_CHILD: "Orders for a process that `harn torture` breaks off.",
  },
} as const;

type Groups = typeof groups;
/** A name of the list. */
export type EnvironmentVariable = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups] & string;

/** The list, by subject: name to what it does. */
export const environmentVariables: Readonly<Record<string, Readonly<Record<string, string>>>> = groups;

/** What a variable says in this environment; undefined where it is not set. */
export const variable = (
  env: { get(name: string): string | undefined },
  name: EnvironmentVariable,
): string | undefined => env.get(name);
