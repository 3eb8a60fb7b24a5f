/** What the declaration of a builtin is. The table itself is joined in `builtins/index.ts`; everybody else receives it. */
import type { EffectClass, InDoubtRule, Json } from "../effects/index.ts";
import type { Caller, MaybePromise, Value } from "../values/index.ts";
import type { DictParam } from "./fields.ts";
import type { CalledWith, KnownKeys } from "./known-keys.ts";
import type { Trait } from "./traits.ts";

/**
 * Native implementation. Arguments are what the script passed: missing trailing ones are absent (`undefined` in
 * JavaScript, never in the language), extra ones are passed on. Throws `ScriptError` only.
 */
// biome-ignore lint/suspicious/noExplicitAny: the signature text, not TypeScript, gives the argument types.
export type BuiltinRun = (task: Caller, ...args: any[]) => MaybePromise<Value>;

/** Whether a call can give a promise: lets the lowering keep pure code synchronous. */
type Suspends =
  /** Never. */
  | "never"
  /** Only when one of its callable arguments does. */
  | "callback"
  /** It may. */
  | "may";

export interface BuiltinDeclaration {
  /** One sentence or a few; Markdown; the first line is the summary. */
  readonly doc: string;
  /** In the language's own type syntax: `(value: string, width: int, fill: string = " ") -> string`. Parsed on demand. */
  readonly sig: string;
  readonly effect: EffectClass;
  /** What compiler, checker and linter must know of it besides. */
  readonly traits?: readonly Trait[];
  /**
   * `run` goes to the effects port itself (`task.perform`), because part of what it does is Runtime state that must
   * be done again on replay: a mocked clock, mocked standard input. The binding then journals nothing around it.
   */
  readonly performs?: boolean;
  /** Class `write`: whether a call with these arguments is known to change nothing. Default: it is not. */
  readonly onlyReads?: (task: Caller, ...args: readonly Value[]) => boolean;
  /** Class `write`: what a resume does when nobody knows whether it happened. Default `ask`. */
  readonly inDoubt?: InDoubtRule | ((task: Caller, ...args: readonly Value[]) => InDoubtRule);
  /** Class `write`: how it finds that out itself. Takes the arguments of the call. */
  readonly evidence?: {
    before(task: Caller, ...args: readonly Value[]): Json;
    after(before: Json, task: Caller, ...args: readonly Value[]): "done" | "undone" | "unknown";
  };
  /**
   * Parameters that take what their type says and nothing else, each with what to do instead: a clause. Other arguments are
   * refused before `run`, and by `harn check` where their type is known.
   */
  readonly refuses?: Readonly<Record<string, string>>;
  /** All texts that a parameter may be, by its name: events, kinds. For the checker; `run` refuses others itself. */
  readonly texts?: { readonly [param: string]: () => readonly string[] };
  /** All keys that the result, a dict, may have, and what is known of what stands under them. For the checker. */
  readonly resultKeys?: () => KnownKeys;
  /** What programs for other runtimes call keys of the result, and what they are here. For the checker. */
  readonly otherKeys?: () => Readonly<Record<string, string>>;
  /** Options with which states among the texts of the result may be the script's own. */
  readonly ownStatesBy?: readonly string[];
  /** All texts that it gives. For the checker. */
  readonly resultTexts?: () => readonly string[];
  /** What functions that it is handed are called with, by parameter. For the checker. */
  readonly calledWith?: { readonly [param: string]: () => CalledWith };
  /** Always asynchronous: what starts together shares one durable commit of the journal. */
  readonly deferred?: boolean;
  /**
   * The result does not give away what went in (a hash, a signature): made of a secret, it is recorded, so that a replay has it.
   */
  readonly oneWay?: boolean;
  /** Default "never". */
  readonly suspends?: Suspends;
  /** `expression  // expected display`, run by a test. */
  readonly example?: string;
  /** Capability groups it needs: fs.read, fs.write, net, process, env, model, people. Default none. */
  readonly capability?: string;
  /** Groups that it needs with some options only: whoever lists what a program needs names them, a call is not refused. */
  readonly mayNeed?: string;
  /**
   * What its dict parameters hold, by name: rows, which every call is checked against before `run`, or a text that says
   * why there are none (data of any shape, a handle). Every parameter whose type names a dict is here or among `handles`.
   */
  readonly fields?: Readonly<Record<string, DictParam>>;
  /** `run` checks its rows itself, after what it says in documented words (`checkFields`). */
  readonly readsFields?: boolean;
  readonly run: BuiltinRun;
  /**
   * Around the effect of a call, for rules that may call the script (hooks of a policy): it performs the effect with these
   * or other arguments, or gives a result without. Not for what `performs`.
   */
  readonly around?: (
    task: Caller,
    args: readonly Value[],
    perform: (args: readonly Value[]) => MaybePromise<Value>,
  ) => MaybePromise<Value>;
}

export interface BuiltinSpec extends BuiltinDeclaration {
  readonly name: string;
  /** The area (file) that declares it. */
  readonly area: string;
  readonly suspends: Suspends;
  /** What every parameter of these names holds throughout the area, where `fields` says nothing: handles and data. */
  readonly handles?: Readonly<Record<string, string>>;
}

/** All builtins by name. */
export interface BuiltinTable extends ReadonlyMap<string, BuiltinSpec> {
  /**
   * Asked before every effect of the run that has this table, whoever performs it; throws for one that the run must not
   * have. Decides by the class alone, so a replay decides the same.
   */
  readonly admit?: (effect: EffectClass, kind: string) => void;
}
