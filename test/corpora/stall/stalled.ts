/** Work that gets nowhere: some turns of honest work, then a stretch that only looks like it. */
import { duration, moment, paths, prose, type Random } from "./random.ts";
import type { TracedCall, TracedTurn } from "./shapes.ts";

export interface Stalled {
  readonly turns: TracedTurn[];
  /** The first turn of the stretch. */
  readonly from: number;
  /** Turns that one sign of the pattern takes. */
  readonly number: number;
}
export type StalledFamily = (random: Random, variant: number) => Stalled;

const ok = (tool: string, args: Record<string, unknown>, result: string): TracedCall => ({
  tool,
  args,
  ok: true,
  result,
});
const bad = (tool: string, args: Record<string, unknown>, result: string): TracedCall => ({
  tool,
  args,
  ok: false,
  result,
});
const turn = (...calls: TracedCall[]): TracedTurn => ({ calls });

/** What went before. */
function honest(random: Random): TracedTurn[] {
  return paths(random, random.int(2, 14)).map((path) =>
    random.chance(0.75)
      ? turn(ok("read_file", { path }, prose(random, 6)))
      : turn(ok("edit_file", { path, old: prose(random, 1), new: prose(random, 1) }, "ok: 1 replacement")),
  );
}

function stretch(random: Random, number: number, rounds: (round: number) => TracedTurn): Stalled {
  const turns = honest(random);
  const from = turns.length;
  const length = 2 * number + random.int(2, 10);
  for (let round = 0; round < length; round++) turns.push(rounds(round));
  return { turns, from, number };
}

/** What a command says besides its result, never the same twice; each command has a way of its own. */
function noise(random: Random): (text: string) => string {
  return random.pick<(text: string) => string>([
    (text) => `${text}\n(took ${duration(random)})`,
    (text) => `[${moment(random)}] ${text}`,
    (text) => `${text}\nrequest id: ${random.uuid()}`,
    (text) => `${text}\nobject at 0x${random.hex(12)}`,
    (text) => text,
  ]);
}

/** The same arguments in another order of their keys. */
function reordered(random: Random, args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(random.shuffled(Object.entries(args)));
}

/** One call, or one batch, over and over. */
const sameAgain: StalledFamily = (random, variant) => {
  const files = paths(random, 1 + (variant % 3));
  const texts = files.map(() => prose(random, 4));
  const noisy = noise(random);
  return stretch(random, 3, () =>
    turn(
      ...random.shuffled(
        files.map((path, at) =>
          ok("bash", reordered(random, { command: `cat ${path}`, cwd: "." }), noisy(texts[at] as string)),
        ),
      ),
    ),
  );
};

/** Two to six steps round and round. */
const roundAndRound: StalledFamily = (random, variant) => {
  const period = 2 + (variant % 5);
  const files = paths(random, period);
  const steps = files.map((path) => ({ path, text: prose(random, 5) }));
  const noisy = noise(random);
  return stretch(random, 2 * period, (round) => {
    const { path, text } = steps[round % period] as { path: string; text: string };
    return round % period === 0
      ? turn(ok("bash", { command: `make ${path}` }, noisy(text)))
      : turn(ok("read_file", reordered(random, { path, limit: 200 }), text));
  });
};

/** The same failure, whatever is tried in detail. */
const sameFailure: StalledFamily = (random, variant) => {
  const errors: ((path: string, word: string) => [string, Record<string, unknown>, string])[] = [
    (path, word) => ["edit_file", { path, old: word, new: "x" }, `old text not found: "${word}"`],
    (path) => ["read_file", { path }, `no such file: ${path}`],
    (path) => [
      "bash",
      { command: `build ${path}` },
      `exit code 2: cannot find module '${path}' (${duration(random)})`,
    ],
    (_path, word) => ["query", { sql: `select ${word} from t` }, `column "${word}" does not exist`],
    (path) => ["deploy", { target: path }, `403 forbidden, request ${random.uuid()} at ${moment(random)}`],
  ];
  const made = errors[variant % errors.length] as (typeof errors)[number];
  const same = random.chance(0.3) ? (paths(random, 1)[0] as string) : null;
  return stretch(random, 3, () => {
    const [tool, args, text] = made(same ?? (paths(random, 1)[0] as string), prose(random, 1));
    return turn(bad(tool, args, text));
  });
};

/** A change, its opposite, the change again; sometimes with a look or a test between. */
const toAndFro: StalledFamily = (random, variant) => {
  const [path] = paths(random, 1) as [string];
  const states = [prose(random, 4), prose(random, 4)] as const;
  const between = variant % 3;
  const whole = variant % 2 === 0;
  return stretch(random, 4 * (1 + between), (round) => {
    const step = round % (1 + between);
    const at = Math.floor(round / (1 + between)) % 2;
    const to = states[at] as string;
    const from = states[1 - at] as string;
    if (step === 1)
      return turn(bad("bash", { command: "npm test" }, `1 failed, 12 passed in ${duration(random)}`));
    if (step === 2) return turn(ok("read_file", { path }, to));
    return whole
      ? turn(ok("write_file", { path, content: to }, `written at ${moment(random)}`))
      : turn(ok("edit_file", { path, old: from, new: to }, "ok: 1 replacement"));
  });
};

/** What is known already is read again, in any order. */
const readingAgain: StalledFamily = (random, variant) => {
  const files = paths(random, 3 + variant);
  const texts = new Map(files.map((path) => [path, prose(random, 5)]));
  const turns = files.map((path) => turn(ok("read_file", { path }, texts.get(path) as string)));
  const from = turns.length;
  for (let round = 0; round < random.int(8, 14); round++) {
    const some = random.shuffled(files).slice(0, random.int(1, 2));
    turns.push(turn(...some.map((path) => ok("read_file", { path }, texts.get(path) as string))));
  }
  return { turns, from, number: 3 };
};

/** The list is kept, and nothing else is done. */
const keepingTheList: StalledFamily = (random, variant) => {
  const turns = honest(random);
  const from = turns.length + 2;
  const item = `item-${variant}`;
  const length = random.int(9, 14);
  for (let round = 0; round < length; round++) {
    const status = round % 2 === 0 ? "in_progress" : "pending";
    const calls = [ok("work_item_update", { id: item, status }, "ok")];
    if (random.chance(0.4)) calls.push(ok("work_item_list", {}, `${item}: ${status}`));
    turns.push({ calls, ledger: status });
  }
  return { turns, from, number: 3 };
};

/** The same look at something that only counts on. */
const onlyNumbers: StalledFamily = (random, variant) => {
  let count = random.int(100, 900);
  const commands = ["ps aux | grep worker", "date +%s", "wc -l app.log", "df -h /", "uptime"];
  const command = commands[variant % commands.length] as string;
  return stretch(random, 10, () => {
    count += random.int(1, 9);
    return turn(ok("bash", { command }, `worker ${count} of ${count * 3}: nothing new`));
  });
};

/** A loop that is broken once by an honest step, and comes back. */
const comingBack: StalledFamily = (random, variant) => {
  const first = sameAgain(random, variant);
  const again = first.turns.slice(first.from, first.from + 2);
  const [path] = paths(random, 1) as [string];
  const turns = [
    ...first.turns.slice(0, first.from),
    ...again,
    turn(ok("read_file", { path, offset: 900 }, prose(random, 5))),
    ...first.turns.slice(first.from),
  ];
  return { turns, from: first.from + 3, number: 3 };
};

export const stalledFamilies: Readonly<Record<string, StalledFamily>> = {
  same_again: sameAgain,
  round_and_round: roundAndRound,
  same_failure: sameFailure,
  to_and_fro: toAndFro,
  reading_again: readingAgain,
  keeping_the_list: keepingTheList,
  only_numbers: onlyNumbers,
  coming_back: comingBack,
};
