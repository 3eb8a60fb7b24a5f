/** Where the files and programs of a trial are: a folder of its own, or a container. */

export interface SandboxSpec {
  /** Folder of the script: `copy`, `from`, `build` and what tests copy are relative to it. */
  readonly base: string;
  /** Path in the sandbox: its text, or the path of the file that it is copied from. */
  readonly files: SandboxFiles;
  /** A folder whose content it begins with. */
  readonly copy: string | null;
  /** Which files stay with the outcome, as texts. */
  readonly keep: "changed" | "all" | "none";
  readonly env: Readonly<Record<string, string>>;
  /** Absent: a folder of this machine. */
  readonly container?: ContainerSpec;
}

export type SandboxFiles = Readonly<Record<string, string | { readonly from: string }>>;

/** What is null is not said: a task folder may say it, else the usual holds. */
export interface ContainerSpec {
  readonly image: string | null;
  /** A folder with a Dockerfile, under `base`. */
  readonly build: string | null;
  /** Absolute path inside of it. */
  readonly workdir: string | null;
  readonly network: boolean | null;
  readonly cpus: number | null;
  readonly memoryMb: number | null;
  readonly user: string | null;
}
