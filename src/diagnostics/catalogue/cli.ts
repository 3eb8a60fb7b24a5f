/** CLI: why a command did not do what it was asked (docs/reference/cli.md): its line, the files that it names, store and journals. */
import { entry } from "../diagnostic.ts";

/** Why a command did not do it; the message itself is the command's. */
export const failure = (title: string, help: string, explain: string) =>
  entry({ severity: "error", message: (_none: undefined) => title, help: () => help, explain });

export const cli = {
  "HARN-CLI-001": failure(
    "The command line has a word that harn does not know",
    "`harn help` lists the commands, `harn help COMMAND` the flags and arguments of one",
    "There is no command or flag of this name, or there are more arguments than the command takes. Nothing was done.\n" +
      "What belongs to the script stands after `--`: `harn run FILE -- ARGS`.",
  ),
  "HARN-CLI-002": failure(
    "The command line lacks something",
    "`harn help COMMAND` says what the command needs",
    "An argument, the value of a flag, or a flag that the command can't do without is missing. Nothing was done.",
  ),
  "HARN-CLI-003": failure(
    "A flag or an argument has a value that it can't have",
    "the message says what is expected; `harn help COMMAND` says what each value means",
    "The value can't be read as what it stands for (a number, a duration, one of some words, the address of a trial), or what it names " +
      "is not there. Nothing was done.",
  ),
  "HARN-CLI-004": failure(
    "The command can't be used like this",
    "leave out or add what the message names; `harn help COMMAND` shows examples",
    "Flags exclude each other, one needs another, or what is asked does not fit what the command was given. Nothing was done.",
  ),
  "HARN-CLI-005": failure(
    "What the command line names is not there",
    "the `list` command of its family shows what there is; another folder may have another store (`HARN_STATE_DIR`)",
    "No run, session, daemon, conversation, paper, principal, function or file has this name in the project that was looked at.",
  ),
  "HARN-CLI-006": failure(
    "A file can't be read",
    "look at the path, at who may read it, and at what the message says of its content",
    "The file is missing, may not be read, or its content is not what the command takes: no UTF-8, another format, damaged.",
  ),
  "HARN-CLI-007": failure(
    "A file can't be written",
    "look at the path, at who may write there, and at the room on the disk; then run the command again",
    "The system refused to write the file. What was there before stays as it was.",
  ),
  "HARN-CLI-008": failure(
    "The command failed",
    "the message says why, and what can be done about it",
    "The command line is right, and what it asks can't be done now: what it is about is in another state, is used by somebody else, or " +
      "a program that the command needs failed.",
  ),
  "HARN-CLI-009": failure(
    "harn.toml can't be used",
    "mend the line that the message names; docs/manifest.md lists sections and keys",
    "The manifest of the project is no TOML, or a section or key that the command needs has a value of the wrong type.\n" +
      "`harn check` judges the whole manifest.",
  ),
  "HARN-CLI-010": failure(
    "The models of the run can't be set up",
    "mend the flag, file or variable that the message names; docs/providers.md says what each must hold",
    "The file of answers (`--llm-mock`, `--tape`), a configuration of providers or a key is missing or can't be used. Nothing was run.",
  ),
  "HARN-CLI-011": failure(
    "The server can't listen at this address",
    "end the other program, or name another port (`--port`, `--http`)",
    "Another program listens there, the address is none of this machine's, or the system does not allow the port.",
  ),
  "HARN-CLI-012": failure(
    "Standard output can't be written",
    "make room, or write to another place; `harn run --resume RUN` goes on with a recorded run",
    "The file or pipe that standard output goes to takes nothing any more, for example because the disk is full. The run was stopped: a " +
      "program that nobody hears should not go on working.",
  ),
  "HARN-CLI-013": failure(
    "A defect of harn",
    "report it with the lines below the message and the program that led to it",
    "Something that harn itself takes for impossible happened. It is no mistake of the script or of the command line.",
  ),
  "HARN-CLI-020": failure(
    "The store is damaged",
    "`harn runs repair` begins a new one with everything that can still be read",
    "The file with the runs of the project is no store, or parts of it can't be read, for example after a power loss.",
  ),
  "HARN-CLI-021": failure(
    "The store was written by a newer harn",
    "use that version, or name another folder with HARN_STATE_DIR",
    "A version after this one has changed the form of the store. It is left as it is: an older program would lose what it does not know.",
  ),
  "HARN-CLI-022": failure(
    "The disk is full",
    "make room; `harn runs prune` removes old runs",
    "The store could not be written for want of room, or a mailbox has as many messages as it takes. What was written before is whole.",
  ),
  "HARN-CLI-023": failure(
    "The store can't be written",
    "HARN_STATE_DIR names another folder; `--no-record` runs without a store",
    "The state folder or the store in it may not be written by this user, or lies on a file system that is read-only.",
  ),
  "HARN-CLI-024": failure(
    "The store can't be read",
    "look at the folder and the file that the message names",
    "The state folder or the store in it can't be opened: a file stands where a folder should be, or the disk failed.",
  ),
  "HARN-CLI-025": failure(
    "The store is busy",
    "try again; if it stays so, look for a process of harn that hangs",
    "Another process has held the store for longer than is waited for.",
  ),
  "HARN-CLI-026": failure(
    "It belongs to another process",
    "wait for that process or end it; the message names it",
    "A run, session, daemon or set is worked on by one process at a time, so that nothing is done or paid for twice.",
  ),
  "HARN-CLI-027": failure(
    "The name is taken",
    "choose another name, or remove what has it",
    "The store has something of this name already, and nothing is overwritten.",
  ),
  "HARN-CLI-028": failure(
    "The store can't take this",
    "change what the message names",
    "A name, time or value is none that the store can keep. Nothing was written.",
  ),
  "HARN-CLI-030": failure(
    "The program did something else than was recorded",
    "the lines below name both sides; `harn replay RUN` with the recorded script shows the run as it was, `harn fork` begins another one",
    "A replay or a resumed run goes through the recorded effects in order, and here the program asked for another one: its text or its " +
      "modules have changed, or it depends on something that is not recorded.",
  ),
  "HARN-CLI-031": failure(
    "The recorded run was cut off",
    "`harn run --resume RUN` goes on from there",
    "The journal ends before the program does: the process was killed, or the machine stopped.",
  ),
  "HARN-CLI-032": failure(
    "The journal can't be read",
    "name a run (`harn runs list`) or a file that `--record` wrote",
    "The file is no journal of harn, was written by a newer version, or parts of it are missing.",
  ),
  "HARN-CLI-033": failure(
    "The journal can't be written",
    "make room or name another place; `--no-record` runs without a journal",
    "What happens in the run could not be noted, so the run was stopped: nothing may happen that a resumed run would do again.",
  ),
};
