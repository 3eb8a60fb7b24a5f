/** CLU: runs and trials on many machines (docs/cluster.md): `[cluster]` of harn.toml, its engine, its database, its workers. */
import { failure } from "./cli.ts";

export const clu = {
  "HARN-CLU-001": failure(
    "The packages of the engine are not installed",
    "type the `npm install` line of the message beside harn, on every machine of the cluster",
    "Work is handed out by Temporal, whose packages harn does not bring along: they weigh 260 MB, and only those need them who use " +
      "several machines. They must be of the versions that the message names.",
  ),
  "HARN-CLU-002": failure(
    "harn.toml has no [cluster]",
    "add the lines that the message shows; docs/cluster.md says what each is",
    "A worker, and whoever hands work over to workers, is told by `[cluster]` where the engine and the database are.",
  ),
  "HARN-CLU-003": failure(
    "[cluster] of harn.toml can't be used",
    "mend the key that the message names, or set the variable or write the file that it points to",
    "A key is missing or has a value that it can't have, or what it points to (`env:NAME`, `file:PATH`) is not there. Nothing was sent.",
  ),
  "HARN-CLU-004": failure(
    "A password or key stands in harn.toml",
    "write `env:NAME` or `file:PATH` there, and change the password: whoever has the repository has it",
    "The manifest is kept with the sources. Passwords and keys come from the environment or from a file that is mounted.",
  ),
  "HARN-CLU-005": failure(
    "A connection to another machine is not encrypted, or does not say who is there",
    "`temporals://` for the engine, `sslmode=verify-full` for the database; `trusted_network = true` in [cluster] where the network itself sees to it",
    "Scripts, prompts and answers pass over both connections, and who can write to either can run scripts on the workers. So beyond this " +
      "machine both need TLS with a certificate that is checked.",
  ),
  "HARN-CLU-006": failure(
    "A key or password is not sent to an address that only harn.toml names",
    'look at [cluster], then agree to it with `harn trust`, or name the engine outside of the project: `engine = "env:NAME"`',
    "A cloned project must not say where your keys go. `harn trust` agrees to the table as it is, in this place.",
  ),
  "HARN-CLU-007": failure(
    "The engine can't be reached",
    "look whether it runs at the address of `engine` in [cluster], and whether this machine may reach it; `harn cluster check` tries again",
    "Nobody answers at the address, or the connection broke off while TLS was agreed on. Runs at work on workers are not touched by it.",
  ),
  "HARN-CLU-008": failure(
    "The engine refuses it",
    "look at the namespace in `engine`, at the key (`api_key`) and at what its owner may do",
    "The engine answers, and has no namespace of this name, does not know the key, or does not allow what was asked.",
  ),
  "HARN-CLU-009": failure(
    "The job is larger than what the engine carries",
    "give the script less by its flags and arguments; large inputs belong into files that the workers can read",
    "The engine carries names and flags, at most 2 MB a job as it is set up. Journals and sets go through the database, and are not meant.",
  ),
  "HARN-CLU-010": failure(
    "There is no such job",
    "`harn cluster check --requeue` hands out again what the database knows of and the engine does not",
    "The engine knows no job of this name in this project: it was never handed out, has ended longer ago than the engine remembers, or the " +
      "engine's database was lost.",
  ),
  "HARN-CLU-011": failure(
    "The database can't be reached",
    "look whether it runs at the address that `journals` in [cluster] comes to, and at user and password; `harn cluster check` tries again",
    "PostgreSQL does not answer there, or does not let this user in. Runs at work stand still before their next effect meanwhile, and go on.",
  ),
  "HARN-CLU-012": failure(
    "The database can't be used",
    "the message says what is missing: a right, a newer PostgreSQL, a newer harn, a setting",
    "The database answers, and something stands against keeping journals in it.",
  ),
  "HARN-CLU-013": failure(
    "Packages or server of the engine are of another version than this harn works with",
    "install the versions that the message names",
    "What workers of several versions write must be read by all of them, so the versions that are tried are the ones that are taken.",
  ),
};
