/**
 * The global `harness` (builtins.md §2.24, language.md §29.1): handles whose methods are builtins under new names. Every
 * call goes through the run's own table, so journal and capabilities see what they would see of the builtin.
 */
import { BuiltinFunction, type Runtime } from "../interp/index.ts";
import { type Callable, HandleValue, runtimeError, type Value } from "../values/index.ts";

/** Method names and the builtins they stand for. */
type HarnessNames = Readonly<Record<string, string>>;

const files: HarnessNames = {
  read_text: "read_file",
  read_text_result: "read_file_result",
  read_bytes: "read_file_bytes",
  write_text: "write_file",
  write_bytes: "write_file_bytes",
  exists: "file_exists",
  delete: "delete_file",
  append: "append_file",
  list_dir: "list_dir",
  mkdir: "mkdir",
  copy: "copy_file",
  move: "move_file",
  rename: "move_file",
  stat: "stat",
  read_lines: "read_lines",
  walk: "walk_dir",
  glob: "glob",
  find_text: "find_text",
  temp_dir: "temp_dir",
  mkdtemp: "mkdtemp",
  path_join: "path_join",
};

const parts: Readonly<Record<string, HarnessNames>> = {
  stdio: {
    print: "print",
    println: "println",
    eprint: "eprint",
    eprintln: "eprintln",
    read_line: "read_line",
    prompt: "prompt_user",
  },
  term: { width: "term_width", height: "term_height", read_password: "read_password" },
  clock: {
    now_ms: "now_ms",
    timestamp: "timestamp",
    monotonic_ms: "monotonic_ms",
    elapsed: "elapsed",
    sleep_ms: "sleep_ms",
  },
  // The old names are methods too.
  fs: { ...Object.fromEntries(Object.values(files).map((name) => [name, name])), ...files },
  env: { get: "env", get_or: "env_or" },
  random: {
    gen_f64: "random",
    random: "random",
    gen_u64: "random_u64",
    gen_range: "random_int",
    range: "random_int",
    int: "random_int",
    choice: "random_choice",
    shuffle: "random_shuffle",
  },
  net: {
    get: "http_get",
    post: "http_post",
    put: "http_put",
    patch: "http_patch",
    delete: "http_delete",
    request: "http_request",
    download: "http_download",
    with_net_policy: "with_net_policy",
  },
  process: { spawn_captured: "spawn_captured" },
  crypto: { sha256: "sha256" },
  system: {
    platform: "platform",
    cpu: "system_cpu",
    memory: "system_memory",
    gpus: "system_gpus",
    processes: "system_processes",
    temperature: "system_temperature",
  },
  secrets: { read: "secret_read", write: "secret_write", rotate: "secret_rotate", lease: "secret_lease" },
  tenant: { id: "tenant_id" },
  auth: { principal: "auth_principal" },
  llm: { catalog: "llm_provider_catalog", providers: "llm_providers" },
  // What `std/hitl` hands on: a function of a module cannot call the builtin whose name it has.
  people: {
    ask_user: "ask_user",
    request_approval: "request_approval",
    dual_control: "dual_control",
    escalate_to: "escalate_to",
    hitl_pending: "hitl_pending",
  },
  triggers: {
    register: "trigger_register",
    fire: "trigger_fire",
    replay: "trigger_replay",
    list: "trigger_list",
    inspect_dlq: "trigger_inspect_dlq",
    inspect_lifecycle: "trigger_inspect_lifecycle",
    inspect_action_graph: "trigger_inspect_action_graph",
    test_harness: "trigger_test_harness",
    handler_context: "handler_context",
    providers: "list_providers",
  },
  waitpoints: {
    create: "waitpoint_create",
    complete: "waitpoint_complete",
    cancel: "waitpoint_cancel",
    wait: "waitpoint_wait",
  },
  obs: {
    span: "obs_span",
    start_span: "trace_start",
    end_span: "trace_end",
    counter: "obs_counter",
    gauge: "obs_gauge",
    histogram: "obs_histogram",
    metrics: "obs_metrics",
    log: "log_info",
    request_id: "obs_request_id",
  },
};

const titled = (name: string): string => `Harness${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** `harness.fs` and its like. */
class HarnessPart extends HandleValue {
  readonly type: string;
  private readonly path: string;
  private readonly names: HarnessNames;
  private readonly runtime: Runtime;
  private readonly made = new Map<string, Callable>();

  constructor(name: string, names: HarnessNames, runtime: Runtime) {
    super();
    this.type = titled(name);
    this.path = `harness.${name}`;
    this.names = names;
    this.runtime = runtime;
  }

  display(): string {
    return `<${this.type}>`;
  }

  override method(name: string): Callable {
    const known = this.property(name);
    if (known !== undefined) return known;
    throw runtimeError(
      `${this.path} has no method \`${name}\`; it has ${Object.keys(this.names).sort().join(", ")}`,
    );
  }

  override property(name: string): Callable | undefined {
    let method = this.made.get(name);
    if (method !== undefined) return method;
    const spec = Object.hasOwn(this.names, name)
      ? this.runtime.builtins.get(this.names[name] as string)
      : undefined;
    if (spec === undefined) return undefined;
    method = new BuiltinFunction(spec);
    this.made.set(name, method);
    return method;
  }
}

/** `harness` itself. */
class Harness extends HandleValue {
  readonly type = "Harness";
  private readonly children: ReadonlyMap<string, HarnessPart>;

  constructor(runtime: Runtime) {
    super();
    this.children = new Map(
      Object.entries(parts).map(([name, names]) => [name, new HarnessPart(name, names, runtime)]),
    );
  }

  display(): string {
    return "<Harness>";
  }

  override property(name: string): Value | undefined {
    return this.children.get(name);
  }
}

/** The value of `harness` for a run. */
export const harnessOf = (runtime: Runtime): Value => new Harness(runtime);

/** Which builtin a method of the handle stands for: `fs.read_text`. For whoever reads programs without running them. */
export function harnessBuiltin(part: string, method: string): string | undefined {
  const names = Object.hasOwn(parts, part) ? parts[part] : undefined;
  return names !== undefined && Object.hasOwn(names, method) ? names[method] : undefined;
}

/** The names of all parts. */
export const harnessPartNames = (): readonly string[] => Object.keys(parts);

/** What `type_of` says of the harness and its parts. */
export const harnessTypeNames = (): readonly string[] => ["Harness", ...Object.keys(parts).map(titled)];

/** The builtins behind a whole part. */
export const harnessParts = (part: string): readonly string[] =>
  Object.hasOwn(parts, part) ? Object.values(parts[part] as HarnessNames) : [];

/** The methods of each part, under `harness.PART`, and the parts themselves. */
export const harnessMethods = (): readonly (readonly [string, readonly string[]])[] => [
  ["harness", Object.keys(parts)],
  ...Object.entries(parts).map(([part, names]) => [`harness.${part}`, Object.keys(names)] as const),
];
