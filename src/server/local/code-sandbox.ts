/** In which sandbox the code of agents runs: said when a server starts whose agents run code. */
import { ownProcess } from "../../process/index.ts";
import { commandPool } from "./pool/command-pool.ts";
import type { CommandTask } from "./pool/command-task.ts";

/** The module that runs code (std/research/code); what imports it, through whatever modules, may run some. */
export const codeModule = /(?:^|[\\/])research[\\/]code(?:\.harn)?$/;

/** It is looked for by that module itself, in a process of its own, so that what is said is what is done. */
const question = `import { sandbox } from "std/research/code"
let found = sandbox()
println("\${found.kind} (\${found.why})")
`;

const limits = { totalMs: 30_000 };

/** `process (bubblewrap does not work here)`; `undefined` when nobody can tell. */
export async function codeSandbox(): Promise<string | undefined> {
  const pool = await commandPool({ spares: 0, maxChildren: 1, withheld: ["HARN_SERVE_TOKEN"], limits });
  try {
    let reported = "";
    const task: CommandTask = { kind: "command", args: ["run", "-e", question], script: [] };
    await pool.run(
      { cwd: ownProcess().cwd(), task },
      {
        onOutput: (text) => {
          reported += text;
        },
      },
    );
    return /^(?:bwrap|process) \(.*\)$/m.exec(reported)?.[0];
  } finally {
    pool.close();
  }
}
