/**
 * Parsing: 1 MB of script, a 100-line script in a warm process, and the same in a fresh one, where making the parser
 * counts too. The fresh processes run a bundle (made here with the product's own settings) with V8's compile cache on,
 * as the launcher does; times are the middle of several.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { SourceFile } from "../src/source/index.ts";
import { parse, tokenize } from "../src/syntax/index.ts";
import { type Benchmark, median, printRows, type Row } from "./rows.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const FRESH_RUNS = 15;

/** 100 lines as people write them: functions, calls, strings, loops, a few comments. */
export function hundredLines(): string {
  const unit = (n: number): string => `// Step ${n} of the report.
fn collect_${n}(files, limit = 10) {
  var found = []
  for file in files {
    let text = read_file(path_join(root, file))
    if text.contains("TODO") && found.len() < limit {
      found = found.push({file: file, lines: text.lines().count})
    }
  }
  return found.sort_by({ x -> -x.lines })
}

let report_${n} = collect_${n}(list_files("src"), 20)
  .map({ x -> "\${x.file}: \${x.lines} lines" })
  |> _.join("\\n")

match report_${n}.len() {
  0 -> { log("nothing in step ${n}") }
  _ -> { log(report_${n}) }
}
`;
  return [1, 2, 3, 4, 5].map(unit).join("");
}

export const run: Benchmark = async () => {
  const small = hundredLines();
  const big = small.repeat(Math.ceil(1_000_000 / small.length));
  const dense = readFileSync(join(root, "test/unit/syntax/every-construct.harn"), "utf8").replace(
    /^#!.*/,
    "",
  );
  const denseBig = dense.repeat(Math.ceil(1_000_000 / dense.length));
  const fresh = await freshTimes(small);
  const rows: Row[] = [
    { name: "1 MB of script, lexer alone", value: warm(() => tokenize(file(big)), 7), unit: "ms" },
    { name: "1 MB of script", value: warm(() => parse(file(big)), 7), unit: "ms", target: "< 1000 ms" },
    { name: "1 MB, every construct, no long names", value: warm(() => parse(file(denseBig)), 7), unit: "ms" },
    { name: "100 lines, warm", value: warm(() => parse(file(small)), 300), unit: "ms", target: "1 ms" },
    { name: "100 lines, fresh process, parser made", value: fresh.parse, unit: "ms", target: "15 ms" },
    { name: "  of that, user and system time", value: fresh.cpu, unit: "ms" },
  ];
  return rows;
};

function file(text: string): SourceFile {
  return new SourceFile("bench.harn", text);
}

/** The middle time of the second half of the runs. */
function warm(work: () => unknown, runs: number): number {
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    work();
    times.push(performance.now() - start);
  }
  return median(times.slice(runs >> 1));
}

async function freshTimes(text: string): Promise<{ parse: number; cpu: number }> {
  const folder = mkdtempSync(join(tmpdir(), "harn-bench-parse-"));
  try {
    const script = join(folder, "hundred.harn");
    writeFileSync(script, text);
    const bundle = await bundled(folder);
    const samples: { ms: number; cpu: number }[] = [];
    for (let i = 0; i < FRESH_RUNS; i++) {
      const done = spawnSync(process.execPath, [bundle, script], {
        encoding: "utf8",
        env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "cache") },
      });
      if (done.status !== 0) throw new Error(done.stderr);
      samples.push(JSON.parse(done.stdout) as { ms: number; cpu: number });
    }
    return { parse: median(samples.map((one) => one.ms)), cpu: median(samples.map((one) => one.cpu)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A program that parses the file it is given and prints how long the first parse took. */
async function bundled(folder: string): Promise<string> {
  const entry = join(folder, "entry.ts");
  writeFileSync(
    entry,
    `import { readFileSync } from "node:fs";
import { SourceFile } from ${JSON.stringify(join(root, "src/source/index.ts"))};
import { parse } from ${JSON.stringify(join(root, "src/syntax/index.ts"))};
const source = new SourceFile("hundred.harn", readFileSync(process.argv[2]!, "utf8"));
const cpu = process.cpuUsage();
const start = performance.now();
const { diagnostics } = parse(source);
const ms = performance.now() - start;
const used = process.cpuUsage(cpu);
if (diagnostics.length > 0) throw new Error(diagnostics[0]!.message);
console.log(JSON.stringify({ ms, cpu: (used.user + used.system) / 1000 }));
`,
  );
  const bundle = await rolldown({
    input: { entry },
    platform: "node",
    resolve: { modules: [join(root, "node_modules")] },
    logLevel: "warn",
  });
  const dir = join(folder, "out");
  await bundle.write({
    dir,
    format: "esm",
    minify: { mangle: false, compress: true, codegen: true },
    entryFileNames: "[name].mjs",
  });
  await bundle.close();
  return join(dir, "entry.mjs");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) printRows("parse", await run());
