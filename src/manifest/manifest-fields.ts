/**
 * The sections of `harn.toml`, in field rows: what is reported of a manifest follows from them. `[llm]`, `[capabilities]` and
 * `[[mcp]]` are judged by their own readers (`manifest-check.ts`), which refuse what they do not know wherever it is written.
 */
import { agentConfigFields, loopFields } from "../agent/index.ts";
import { builtinTable } from "../builtins/index.ts";
import { mcpServerFields } from "../mcp/index.ts";
import { capabilityFields, layerFields, toolSearchFields } from "../model/index.ts";
import { field, fieldTable } from "../table/index.ts";
import { clusterFields } from "./cluster-fields.ts";

const dependency = fieldTable(() => [
  field("path", "string", "A folder."),
  field("git", "string", "An address."),
  field("tag", "string", "Of the repository."),
  field("rev", "string", "Of the repository."),
  field("branch", "string", "Of the repository."),
]);

const fmt = fieldTable(() => [
  field("line_width", "int", "The most columns of a line.", { range: [20, null] }),
  field("separator_width", "int", "Columns of a comment that is a line.", { range: [10, null] }),
]);

const lint = fieldTable(() => [
  field("disabled", "list<string>", "Rules that are off."),
  field("enabled", "list<string>", "Rules that are on, though they are off by default."),
  field("severity", "dict<string, string>", "By rule: error, warning or off."),
]);

const resume = fieldTable(() => [
  field("on_doubt", "string", "What is done with an effect that nobody knows the end of.", {
    values: ["ask", "redo", "skip", "fail"],
    bounds: true,
  }),
]);

const skillDefaults = fieldTable(() =>
  ["tool_search", "always_loaded"].map((name) => {
    const row = name === "tool_search" ? loopFields.get(name) : toolSearchFields.get(name);
    if (row === undefined) throw new Error(`no row for ${name}`);
    return row;
  }),
);

const skills = fieldTable(() => [
  field("defaults", "dict", "For loops that use skills.", {
    nested: skillDefaults,
  }),
  field("paths", "list<string>", "Folders of skills."),
  field("lookup_order", "list<string>", "The layers, the first first."),
  field("disable", "list<string>", "Layers that are off."),
  field("signer_registry_url", "string", "Where public keys of signers are: a folder or an address.", {
    bounds: true,
  }),
]);

const skillSource = fieldTable(() => [
  field("type", "string", "`fs`: a folder. `git`: a repository. `registry`: nothing yet.", {
    values: ["fs", "git", "registry"],
    default: "fs",
  }),
  field("path", "string", "The folder; of a repository, a folder in it."),
  field("namespace", "string", "Put before the names of its skills."),
  field("url", "string", "The repository: https, ssh, `user@host:path`, file or a path.", { bounds: true }),
  field("rev", "string", "One commit, by its whole id: fetched once, never asked for again.", {
    bounds: true,
  }),
  field("tag", "string", "A tag: fetched once.", { bounds: true }),
  field(
    "branch",
    "string",
    "A branch: looked at once in each run. Default what the repository shows by itself.",
    {
      bounds: true,
    },
  ),
]);

const hook = fieldTable(
  () => [
    field("event", "string", "What it is called at."),
    field("pattern", "string", "For which."),
    field("handler", "string", "`module::function`."),
  ],
  { refusedByReader: true, typedByReader: true },
);

const setByTheRuntime: ReadonlySet<string> = new Set(["manifest_path", "package_name"]);

/** Its reader refuses wrong types before the program begins. */
const trigger = fieldTable(
  () => {
    const taken = builtinTable().get("trigger_register")?.fields?.config;
    if (typeof taken !== "function") throw new Error("trigger_register has no field rows");
    return taken().rows.filter(({ name }) => !setByTheRuntime.has(name));
  },
  { typedByReader: true, strict: true },
);

const environment = fieldTable(
  () => [
    field("notes", "string", "What a model is told."),
    field("variables", "dict", "Of the environment of sub-processes."),
    field("resources", "list<string>", "Files."),
    field("policy", "dict", "A ceiling.", { nested: loopFields.get("policy")?.nested, bounds: true }),
  ],
  { strict: true },
);

/** Its reader refuses what it does not know, wherever an entry is written. */
const mcpEntry = fieldTable(() => mcpServerFields.rows, { refusedByReader: true, typedByReader: true });

const capabilities = fieldTable(
  () => [
    field(
      "provider",
      "dict<string, list>",
      "`[[capabilities.provider.NAME]]`: rules, the first that fits counts.",
      {
        nested: capabilityFields,
      },
    ),
  ],
  { refusedByReader: true, typedByReader: true },
);

const packageFields = fieldTable(
  () => [
    field("name", "string", "By which it imports its own `lib.harn`."),
    field("version", "string", "For people."),
    field("description", "string", "For people."),
  ],
  { others: "whatever else is said of a package to people" },
);

const servedAgent = fieldTable(() => [
  field("script", "string", "The script; each message runs it from its beginning."),
  field("title", "string", "For people; default the name."),
  field("mode", "string", "Of new conversations.", { values: ["plan", "execute"] }),
  field("examples", "list<string>", "Tasks that the page offers to begin with."),
  field("config", "dict", "Of new conversations, below what they say themselves: `config` of the script.", {
    nested: agentConfigFields,
  }),
]);

const serve = fieldTable(() => [
  field("port", "int", "Where to listen; 0 takes a free one. Default 4747.", { range: [0, 65_535] }),
  field(
    "workspaces",
    "string",
    "The folder with a folder for each conversation; default `workspaces` in the state folder.",
  ),
]);

export const manifestFields = fieldTable(() => [
  field("package", "dict", "What the package is.", { nested: packageFields }),
  field("dependencies", "dict<string, dict | string>", "Packages under `.harn/packages`.", {
    nested: dependency,
  }),
  field("exports", "dict<string, string>", "Modules that others may import, by name."),
  field("asset_roots", "dict<string, string>", "Folders of templates, by alias."),
  field("fmt", "dict", "For `harn fmt`.", { nested: fmt }),
  field("lint", "dict", "For `harn lint` and `harn check`.", { nested: lint }),
  field("resume", "dict", "For `harn run --resume`.", { nested: resume, bounds: true }),
  field("skills", "dict", "Where skills are.", { nested: skills }),
  field("skill", "dict", "`[[skill.source]]`.", {
    nested: fieldTable(() => [field("source", "list<dict>", "Folders of skills.", { nested: skillSource })]),
  }),
  field("hooks", "list<dict>", "Handlers that are registered before the program begins.", {
    nested: hook,
    bounds: true,
  }),
  field(
    "triggers",
    "list<dict>",
    "Triggers that are registered before the program begins: what `trigger_register` takes, functions as `module::function`.",
    { nested: trigger, bounds: true },
  ),
  field("environments", "dict<string, dict>", "Of sessions, by name.", { nested: environment, bounds: true }),
  field("agents", "dict<string, dict>", "What `harn serve` serves, by name.", { nested: servedAgent }),
  field("serve", "dict", "For `harn serve`.", { nested: serve }),
  field("cluster", "dict", "For `harn worker` and `--workers`: where work is handed out.", {
    nested: clusterFields,
    bounds: true,
  }),
  field("mcp", "list<dict>", "MCP servers whose tools loops may call.", { nested: mcpEntry, bounds: true }),
  field("llm", "dict", "Providers and models.", { nested: layerFields, bounds: true }),
  field("capabilities", "dict", "What models can do.", { nested: capabilities }),
]);

/** Sections that are documented and that nothing reads. */
export const unreadSections: ReadonlyMap<string, string> = new Map([
  ["check", "`harn check` takes its settings from the command line"],
]);
