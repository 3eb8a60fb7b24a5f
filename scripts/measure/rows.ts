/** The rows of the table: what is counted, how, what there is, what to reach. */
import { medianTouched, stepsOf } from "./checklists.ts";
import * as plurals from "./plurals.ts";
import type { Source } from "./sources.ts";
import { crowdedFolders, functionsOf, importCircles, lineCount, sharedNames } from "./structure.ts";

export interface Row {
  readonly what: string;
  /** How it is counted, for people. */
  readonly how: string;
  readonly now: string;
  /** As issue 13 puts it. */
  readonly goal: string;
  /** Undefined where nothing is to be reached or nothing is known. */
  readonly met: boolean | undefined;
  /** What was found, one each; for `--list`. */
  readonly found: readonly string[];
}

/** What a run of vitest's JSON reporter left, as far as it is read. */
export interface TestReport {
  readonly numTotalTests: number;
  readonly numFailedTests: number;
  readonly startTime: number;
  readonly testResults: readonly { readonly endTime: number }[];
}

export interface Material {
  readonly sources: readonly Source[];
  /** `docs/checklists.md`. */
  readonly checklists: string;
  readonly builtins: ReadonlySet<string>;
  /** Names of the rows of every field table. */
  readonly optionTables: readonly ReadonlySet<string>[];
  readonly loopOptions: readonly string[];
  /** Reports of `npm test` and `npm run test:fast`, where there are any. */
  readonly whole: TestReport | undefined;
  readonly fast: TestReport | undefined;
}

const shown = (finds: readonly plurals.Find[]): string[] => finds.map(({ path, what }) => `${path}: ${what}`);

function atMost(what: string, how: string, found: readonly string[], limit: number): Row {
  const goal = limit === 0 ? "0" : `≤ ${limit}`;
  return { what, how, now: String(found.length), goal, met: found.length <= limit, found };
}

export function measured(material: Material): Row[] {
  return [
    ...truths(material),
    ...nameLists(material),
    ...readers(material),
    ...smallPlurals(material),
    ...shape(material),
    ...additions(material),
    ...tests(material),
  ];
}

function truths({ sources }: Material): Row[] {
  const events = plurals.toolEventSources(sources);
  const shapes = plurals.callShapes(sources);
  return [
    atMost(
      "vocabularies for “a tool was called” outside events/",
      "files that make or emit an object tagged (type, kind, event, topic) with the name of a tool event",
      plurals.filesOf(events),
      1,
    ),
    atMost(
      "homes of state: files written",
      "files that name a .json or .jsonl and write past the host's files and the store's, outside store/, durable/, effects/, host/",
      plurals.stateWriters(sources),
      0,
    ),
    atMost(
      "homes of state: locks",
      "files that open exclusively, rename into place or begin transactions, outside the same folders",
      plurals.ownLocks(sources),
      0,
    ),
    atMost(
      "registries of tasks",
      "WeakMap<Task, …> as a type or made, outside task-local.ts",
      shown(plurals.taskRegistries(sources)),
      0,
    ),
    atMost(
      "forms of a tool call on its way",
      "declared types with an id, a name and arguments in llm/, model/, agent/, events/",
      shown(shapes),
      6,
    ),
  ];
}

function nameLists({ sources, builtins, optionTables }: Material): Row[] {
  const options = plurals.handKeptLists(sources, optionTables, /^table\/|fields\.ts$|\brows\//);
  const functions = plurals.handKeptLists(sources, [builtins], /^table\//);
  const how = "array literals of five texts or more, four fifths of them";
  return [
    atMost(
      "hand-kept lists of option names",
      `${how} rows of one field table, outside the tables`,
      shown(options),
      0,
    ),
    atMost("hand-kept lists of builtin names", `${how} builtins, outside table/`, shown(functions), 0),
  ];
}

function readers({ sources }: Material): Row[] {
  const texts = shown(plurals.mustBeTexts(sources));
  const functions = shown(plurals.readFunctions(sources));
  const row = (what: string, how: string, found: string[]): Row => ({
    ...{ what, how, now: String(found.length), goal: "one reader from field tables", found },
    met: undefined,
  });
  return [
    row(
      "texts with “must be”",
      "string and template literals outside the catalogue, table/, rows and documentation",
      texts,
    ),
    row("functions read…", "declared functions and methods of such a name outside table/", functions),
  ];
}

function smallPlurals({ sources }: Material): Row[] {
  const formulas = plurals.filesOf(plurals.retryFormulas(sources));
  return [
    atMost("retry formulas", "files with a power or a doubling in an expression about a rest", formulas, 1),
    atMost("redactors", "files that declare a function named for it", plurals.redactors(sources), 1),
    atMost(
      "globs",
      "files that declare a matcher named for it or make a Minimatch",
      plurals.globs(sources),
      1,
    ),
    atMost(
      "resolvers of the state folder",
      "files that look up HARN_STATE_DIR",
      plurals.stateFolderReaders(sources),
      1,
    ),
    atMost(
      "resolvers of names",
      "files that declare a …Scope with a parent, outside types/ and effects/",
      plurals.nameResolvers(sources),
      1,
    ),
  ];
}

function shape({ sources }: Material): Row[] {
  const circles = importCircles(sources);
  const inCircles = circles.flat().length;
  const crowded = crowdedFolders(sources, 25);
  const lines = lineCount(sources);
  return [
    {
      what: "files in import circles",
      how: "strongly connected groups of the import graph, `import type` counted",
      now: `${inCircles} in ${circles.length} groups, the largest ${circles[0]?.length ?? 0}`,
      goal: "0",
      met: inCircles === 0,
      found: circles.map((group) => `${group.length}: ${group.join(" ")}`),
    },
    {
      what: "folders of more than 25 files",
      how: ".ts files side by side",
      now: String(crowded.length),
      goal: "0",
      met: crowded.length === 0,
      found: crowded.map(([folder, files]) => `${folder}: ${files}`),
    },
    {
      what: "lines of src",
      how: "all lines of .ts files",
      now: lines.toLocaleString("en"),
      goal: "≤ 125,000",
      met: lines <= 125_000,
      found: [],
    },
    ...functionRows(sources),
  ];
}

function functionRows(sources: readonly Source[]): Row[] {
  const functions = functionsOf(sources);
  const long = functions.filter(({ lines }) => lines > 40);
  const short = (100 * (functions.length - long.length)) / Math.max(1, functions.length);
  const kept = "99.4 % short";
  return [
    atMost(
      "names of functions in several files",
      "functions at the top of modules, by name",
      sharedNames(functions),
      185,
    ),
    atMost(
      "private words in names",
      "declared names with told, heard, parted, flight, keeper, buried, most…, MAX_… for what the field has a word",
      shown(plurals.privateNames(sources)),
      0,
    ),
    {
      what: "functions of more than 40 lines",
      how: "declarations, methods and arrows with a body",
      now: `${long.length} of ${functions.length} (${short.toFixed(1)} % short)`,
      goal: kept,
      met: Number(short.toFixed(1)) >= 99.4,
      found: long.map(({ path, name, lines }) => `${path}: ${name} (${lines})`),
    },
  ];
}

function additions({ sources, checklists, loopOptions }: Material): Row[] {
  const steps = stepsOf(checklists, "A loop option");
  return [
    {
      what: "files touched to add a loop option",
      how: "numbered steps of “A loop option” in docs/checklists.md",
      now: String(steps),
      goal: "4",
      met: steps <= 4,
      found: [],
    },
    {
      what: "sources that mention a loop option",
      how: "median over the rows of agent_loop: files with its name or its field's",
      now: String(medianTouched(sources, loopOptions)),
      goal: "",
      met: undefined,
      found: [],
    },
  ];
}

const seconds = ({ startTime, testResults }: TestReport): number =>
  Math.max(0, ...testResults.map(({ endTime }) => endTime - startTime)) / 1000;

function tests({ whole, fast }: Material): Row[] {
  const row = (command: string, report: TestReport | undefined, least: number, limit: number): Row => {
    const time = report === undefined ? 0 : seconds(report);
    return {
      what: command,
      how: "its last report: from the start to the end of the last file",
      now:
        report === undefined
          ? "not run here yet"
          : `${report.numTotalTests} tests, ${report.numFailedTests} failed, ${time.toFixed(0)} s`,
      goal: `${least > 0 ? `≥ ${least.toLocaleString("en")} tests, ` : ""}≤ ${limit} s on two quiet cores`,
      met: report && report.numFailedTests === 0 ? report.numTotalTests >= least && time <= limit : undefined,
      found: [],
    };
  };
  return [row("npm test", whole, 0, 420), row("npm run test:fast", fast, 8000, 60)];
}
