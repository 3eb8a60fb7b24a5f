/** The rows of the table: what is counted, how, what there is, what to reach. */
import { medianTouched, stepsOf } from "./checklists.ts";
import * as plurals from "./plurals.ts";
import * as shapes from "./shapes.ts";
import type { Source } from "./sources.ts";
import { crowdedFolders, functionsOf, importCircles, lineCount, sharedNames } from "./structure.ts";
import type { TurnCoverage } from "./turn-coverage.ts";

export interface Row {
  readonly what: string;
  /** How it is counted, for people. */
  readonly how: string;
  readonly now: string;
  /** As issue 28 puts it, and what stays of issue 13. */
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
  /** Reports of `npm test`, `npm run test:long` and `npm run test:fast`, where there are any. */
  readonly whole: TestReport | undefined;
  readonly long: TestReport | undefined;
  readonly fast: TestReport | undefined;
  /** What ran for two turns, where that was asked for: it starts a program. */
  readonly turns: TurnCoverage | undefined;
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
    ...repeated(material),
    ...smallPlurals(material),
    ...shape(material),
    ...additions(material),
    ...turns(material),
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
      "files that name a .json or .jsonl and write past the host's files and the store's, outside store/, durable/, effects/, host/, executable/",
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
  return [
    atMost(
      "reader classes",
      "classes outside table/ with methods that read a dict by names, or a …Reader of dicts that says what must be",
      shown(shapes.readerClasses(sources)),
      1,
    ),
    atMost(
      "texts with “must be”",
      "string and template literals outside the catalogue, table/, rows and documentation",
      shown(plurals.mustBeTexts(sources)),
      150,
    ),
    atMost(
      "functions read…",
      "declared functions and methods of such a name outside table/",
      shown(plurals.readFunctions(sources)),
      80,
    ),
    atMost(
      "rows of type any",
      'rows field(NAME, "any", …) that say no reason (`why`)',
      shown(shapes.untypedRows(sources)),
      60,
    ),
  ];
}

/** What is declared more than once, or only hands on. */
function repeated({ sources }: Material): Row[] {
  return [
    atMost(
      "names of types in several files",
      "interfaces, aliases and classes at the top of modules, by name",
      shapes.sharedTypes(sources),
      100,
    ),
    atMost(
      "names of functions in several files",
      "functions at the top of modules, by name",
      sharedNames(functionsOf(sources)),
      120,
    ),
    atMost(
      "facade methods that only delegate",
      "methods of one statement that runs one durable operation, outside durable/",
      shown(shapes.delegatingMethods(sources)),
      0,
    ),
    atMost(
      "small files of one importer",
      "files of fewer than 60 lines that exactly one other file imports",
      shapes.smallFilesOfOne(sources),
      60,
    ),
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
    // 244,958 at 2be8249f, the commit before this step.
    linesAtMost("src", sources, /^/, 244_958 - 29_000),
    linesAtMost("cli/", sources, /^cli\//, 12_500),
    linesAtMost("compaction", sources, /^agent\/context\/compaction\//, 2500),
    ...functionRows(sources),
  ];
}

function linesAtMost(of: string, sources: readonly Source[], paths: RegExp, limit: number): Row {
  const lines = lineCount(sources.filter(({ path }) => paths.test(path)));
  return {
    what: `lines of ${of}`,
    how: "all lines of its .ts files",
    now: lines.toLocaleString("en"),
    goal: `≤ ${limit.toLocaleString("en")}`,
    met: lines <= limit,
    found: [],
  };
}

function functionRows(sources: readonly Source[]): Row[] {
  const functions = functionsOf(sources);
  const long = functions.filter(({ lines }) => lines > 40);
  const short = (100 * (functions.length - long.length)) / Math.max(1, functions.length);
  const kept = "99.4 % short";
  return [
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
  const touched = medianTouched(sources, loopOptions);
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
      now: String(touched),
      goal: "≤ 3",
      met: touched <= 3,
      found: [],
    },
  ];
}

function turns({ turns: ran }: Material): Row[] {
  const row = (which: "first" | "second", limit: number): Row => ({
    what: `functions of the ${which} text-only turn`,
    how: "functions of src/ with a count in V8's precise coverage of that turn of a process, under `harn run` (--coverage)",
    now: ran === undefined ? "not asked for" : String(ran[which].length),
    goal: `≤ ${limit}`,
    met: ran === undefined ? undefined : ran[which].length <= limit,
    found: ran?.[which] ?? [],
  });
  return [row("first", 800), row("second", 600)];
}

const seconds = ({ startTime, testResults }: TestReport): number =>
  Math.max(0, ...testResults.map(({ endTime }) => endTime - startTime)) / 1000;

function tests({ whole, long, fast }: Material): Row[] {
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
  return [
    row("npm test", whole, 0, 420),
    row("npm run test:long", long, 0, 1200),
    row("npm run test:fast", fast, 8000, 60),
  ];
}
