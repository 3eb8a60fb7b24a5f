/** `npm run fuzz -- --minutes N [--only NAME] [--seed S] [--cases N] [--replay FILE]`; see README.md. */
import { parseArgs } from "node:util";
import { fuzz, Runner, readFinding } from "./campaign.ts";
import { fuzzerNames } from "./fuzzers/index.ts";

const usage = `usage: npm run fuzz -- --minutes N [--only NAME] [--seed S] [--cases N] [--folder DIR]
       npm run fuzz -- --replay FILE
  --minutes N    for each fuzzer (1)          --cases N     at most so many inputs each
  --only NAME    one of ${fuzzerNames.join(", ")}
  --seed S       of the first input (the time) --folder DIR  for findings (.fuzz)`;

function fail(message: string): never {
  console.error(`${message}\n${usage}`);
  process.exit(2);
}

function flags(): {
  minutes: number;
  only?: string;
  seed: number;
  cases?: number;
  folder: string;
  replay?: string;
} {
  const text = { type: "string" } as const;
  try {
    const { values } = parseArgs({
      options: { minutes: text, only: text, seed: text, cases: text, folder: text, replay: text },
    });
    const { minutes = "1", seed = String(Date.now() % 1e9), cases, only, replay, folder = ".fuzz" } = values;
    if (!(Number(minutes) > 0)) fail("--minutes must be a number above 0");
    if (!Number.isSafeInteger(Number(seed))) fail("--seed must be a whole number");
    if (cases !== undefined && !(Number(cases) >= 1)) fail("--cases must be a number from 1 on");
    if (only !== undefined && !fuzzerNames.includes(only)) fail(`there is no fuzzer ${only}`);
    return {
      minutes: Number(minutes),
      seed: Number(seed),
      folder,
      ...(only === undefined ? {} : { only }),
      ...(cases === undefined ? {} : { cases: Number(cases) }),
      ...(replay === undefined ? {} : { replay }),
    };
  } catch (error) {
    fail((error as Error).message);
  }
}

const { minutes, only, seed, cases, folder, replay } = flags();
if (replay !== undefined) {
  const finding = readFinding(replay);
  const runner = new Runner(finding.fuzzer);
  const fault = await runner.judge({ seed: 0, input: finding.input });
  await runner.end();
  console.log(
    fault === undefined ? "nothing is wrong with it any more" : `${fault.kind}: ${fault.what}\n${fault.said}`,
  );
  process.exit(fault === undefined ? 0 : 1);
}
let found = 0;
for (const name of only === undefined ? fuzzerNames : [only]) {
  console.log(`${name}: ${minutes} minutes from seed ${seed}`);
  const ran = await fuzz({
    name,
    seed,
    ms: minutes * 60_000,
    folder,
    emit: (line) => console.log(line),
    ...(cases === undefined ? {} : { cases }),
  });
  console.log(`${name}: ${ran.cases} inputs, ${ran.findings.length} findings`);
  found += ran.findings.length;
}
process.exit(found === 0 ? 0 : 1);
