/** The shells of the machine, for `process.list_shells` and its kin. */
import { stateKey, type Task } from "../../interp/index.ts";
import { Dict, List, runtimeError } from "../../values/index.ts";

interface Shell {
  readonly id: string;
  readonly label: string;
  readonly path: string;
  readonly commandArgs: readonly string[];
  readonly loginArgs: readonly string[];
}

const posix = (id: string, label: string, path: string): Shell => ({
  id,
  label,
  path,
  commandArgs: ["-c"],
  loginArgs: id === "sh" ? ["-c"] : ["-l", "-c"],
});

const unixShells: readonly Shell[] = [
  posix("bash", "Bash", "/bin/bash"),
  posix("zsh", "Zsh", "/bin/zsh"),
  posix("fish", "fish", "/usr/bin/fish"),
  posix("sh", "POSIX sh", "/bin/sh"),
];
const windowsShells: readonly Shell[] = [
  { id: "cmd", label: "Command Prompt", path: "cmd", commandArgs: ["/C"], loginArgs: ["/C"] },
  {
    id: "powershell",
    label: "PowerShell",
    path: "powershell",
    commandArgs: ["-Command"],
    loginArgs: ["-Command"],
  },
];

const chosenShell = stateKey<{ id: string | undefined }>("default shell", () => ({ id: undefined }));

const shellsOf = (task: Task): readonly Shell[] =>
  task.runtime.host.os === "windows" ? windowsShells : unixShells;

function isThere(task: Task, shell: Shell): boolean {
  return task.runtime.host.os === "windows" || task.runtime.host.files.stat(shell.path) !== undefined;
}

function describe(task: Task, shell: Shell): Dict {
  return Dict.of({
    id: shell.id,
    label: shell.label,
    path: shell.path,
    available: isThere(task, shell),
    platform: task.runtime.host.os,
    source: "builtin",
    default_args: new List([...shell.commandArgs]),
    login_args: new List([...shell.loginArgs]),
    supports_interactive: true,
    supports_login: shell.loginArgs.length > 1,
  });
}

function defaultShell(task: Task): Shell {
  const shells = shellsOf(task);
  const { id } = task.runtime.state(chosenShell);
  const fallback = shells.find((shell) => shell.id === "sh") ?? shells[0];
  return shells.find((shell) => shell.id === id) ?? (fallback as Shell);
}

/** A shell by id; the default one without. */
export function findShell(task: Task, id: string | undefined): Shell {
  if (id === undefined) return defaultShell(task);
  const shell = shellsOf(task).find((one) => one.id === id);
  if (shell === undefined) throw runtimeError(`host_call process: unknown shell '${id}'`);
  return shell;
}

export function listShells(task: Task): Dict {
  const shells = shellsOf(task).map((shell) => describe(task, shell));
  return Dict.of({ shells: new List(shells), default_shell_id: defaultShell(task).id });
}

export function getDefaultShell(task: Task): Dict {
  return describe(task, defaultShell(task));
}

export function setDefaultShell(task: Task, id: string): Dict {
  const shell = findShell(task, id);
  task.runtime.state(chosenShell).id = shell.id;
  return describe(task, shell);
}

export function shellInvocation(task: Task, id: string | undefined, command: string, login: boolean): Dict {
  const shell = findShell(task, id);
  const args = [...(login ? shell.loginArgs : shell.commandArgs), command];
  return Dict.of({
    program: shell.path,
    args: new List(args),
    command_arg_index: args.length - 1,
    shell: describe(task, shell),
  });
}
