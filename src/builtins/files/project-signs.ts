/** What tells what a project is made with (builtins.md §2.20). Data only; project-fingerprint.ts looks for it. */

export const languageOrder: readonly string[] = ["rust", "typescript", "python", "go", "swift", "ruby"];

export const manifestLanguages: readonly (readonly [string, string])[] = [
  ["Cargo.toml", "rust"],
  ["package.json", "typescript"],
  ["tsconfig.json", "typescript"],
  ["pyproject.toml", "python"],
  ["setup.py", "python"],
  ["requirements.txt", "python"],
  ["go.mod", "go"],
  ["Package.swift", "swift"],
  ["Gemfile", "ruby"],
];

export const fileEndings: ReadonlyMap<string, string> = new Map([
  ["rs", "rust"],
  ["ts", "typescript"],
  ["tsx", "typescript"],
  ["js", "typescript"],
  ["jsx", "typescript"],
  ["mjs", "typescript"],
  ["cjs", "typescript"],
  ["py", "python"],
  ["go", "go"],
  ["swift", "swift"],
  ["rb", "ruby"],
]);

export const languageFolders: ReadonlyMap<string, string> = new Map([
  ["crates", "rust"],
  ["cmd", "go"],
  ["pkg", "go"],
]);

/** Lock files and the package managers that write them. */
export const lockfiles: readonly (readonly [string, string])[] = [
  ["Cargo.lock", "cargo"],
  ["Package.resolved", "spm"],
  ["pnpm-lock.yaml", "pnpm"],
  ["package-lock.json", "npm"],
  ["bun.lock", "npm"],
  ["bun.lockb", "npm"],
  ["yarn.lock", "yarn"],
  ["uv.lock", "uv"],
  ["poetry.lock", "poetry"],
  ["Pipfile.lock", "pip"],
  ["requirements.lock", "pip"],
  ["go.sum", "go-mod"],
  ["Gemfile.lock", "bundler"],
];

export const managerOrder: readonly string[] = [
  "cargo",
  "spm",
  "pnpm",
  "npm",
  "yarn",
  "uv",
  "poetry",
  "pip",
  "go-mod",
  "bundler",
];

export const buildToolOrder: readonly string[] = [
  "cargo",
  "spm",
  "next",
  "vite",
  "uv",
  "poetry",
  "pnpm",
  "npm",
  "yarn",
  "go",
  "bundler",
  "pip",
];

/** Files and folders that a service for continuous integration reads. */
export const ciMarkers: readonly (readonly [string, string])[] = [
  [".github/workflows", "github-actions"],
  [".gitlab-ci.yml", "gitlab-ci"],
  [".circleci", "circleci"],
  [".buildkite", "buildkite"],
  ["azure-pipelines.yml", "azure-pipelines"],
  ["bitrise.yml", "bitrise"],
];

/** Folders of tests, in lower case. */
export const testFolders: ReadonlySet<string> = new Set([
  "tests",
  "test",
  "__tests__",
  "spec",
  "e2e",
  "cypress",
]);

/** Not the project's own: not entered. */
export const skippedFolders: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".next",
  ".svn",
  ".venv",
  "__pycache__",
  "build",
  "coverage",
  "dist",
  "node_modules",
  "target",
  "venv",
]);

/** Left out when a text is looked for. */
export const vendorFolders: ReadonlySet<string> = new Set([
  "node_modules",
  "target",
  "vendor",
  "dist",
  "build",
  ".venv",
  "venv",
  "__pycache__",
]);
