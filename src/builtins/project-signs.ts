/** Which files, packages and folders tell what a project is made with. Data only; projects.ts looks for them. */

/** Marker files of languages with their tools, the most telling first: the first tool found is the dominant one. */
export interface Sign {
  readonly file: string;
  readonly language: string;
  readonly manager?: string;
  readonly buildTool?: string;
  readonly testRunner?: string;
}

export const signs: readonly Sign[] = [
  { file: "Cargo.toml", language: "rust", manager: "cargo", buildTool: "cargo", testRunner: "cargo" },
  { file: "go.mod", language: "go", manager: "go", buildTool: "go", testRunner: "go" },
  { file: "Package.swift", language: "swift", manager: "swiftpm", buildTool: "swift", testRunner: "swift" },
  { file: "Gemfile", language: "ruby", manager: "bundler" },
  { file: "pom.xml", language: "java", manager: "maven", buildTool: "maven", testRunner: "maven" },
  { file: "build.gradle", language: "java", manager: "gradle", buildTool: "gradle", testRunner: "gradle" },
  {
    file: "build.gradle.kts",
    language: "kotlin",
    manager: "gradle",
    buildTool: "gradle",
    testRunner: "gradle",
  },
  { file: "mix.exs", language: "elixir", manager: "mix", buildTool: "mix", testRunner: "mix" },
  { file: "composer.json", language: "php", manager: "composer" },
  { file: "pyproject.toml", language: "python" },
  { file: "setup.py", language: "python" },
  { file: "requirements.txt", language: "python" },
];

/** Lock files and the package managers that write them. */
export const lockfiles: ReadonlyMap<string, string> = new Map([
  ["Cargo.lock", "cargo"],
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["uv.lock", "uv"],
  ["poetry.lock", "poetry"],
  ["Pipfile.lock", "pipenv"],
  ["go.sum", "go"],
  ["Package.resolved", "swiftpm"],
  ["Gemfile.lock", "bundler"],
  ["composer.lock", "composer"],
  ["mix.lock", "mix"],
]);

/** The dominant package manager is the first of these that is used. */
export const managerOrder: readonly string[] = [
  "cargo",
  "pnpm",
  "yarn",
  "bun",
  "npm",
  "uv",
  "poetry",
  "pipenv",
  "pip",
  "go",
  "swiftpm",
  "bundler",
  "maven",
  "gradle",
  "composer",
  "mix",
];

/** Dependencies that are frameworks, by the name in the manifest. */
export const frameworks: ReadonlyMap<string, string> = new Map([
  ["next", "next"],
  ["nuxt", "nuxt"],
  ["react", "react"],
  ["vue", "vue"],
  ["svelte", "svelte"],
  ["@angular/core", "angular"],
  ["solid-js", "solid"],
  ["express", "express"],
  ["fastify", "fastify"],
  ["@nestjs/core", "nest"],
  ["hono", "hono"],
  ["electron", "electron"],
  ["django", "django"],
  ["flask", "flask"],
  ["fastapi", "fastapi"],
  ["axum", "axum"],
  ["actix-web", "actix"],
  ["rocket", "rocket"],
  ["tauri", "tauri"],
  ["rails", "rails"],
  ["sinatra", "sinatra"],
  ["gin-gonic/gin", "gin"],
  ["labstack/echo", "echo"],
]);

export const testRunners: readonly string[] = [
  "vitest",
  "jest",
  "mocha",
  "ava",
  "playwright",
  "@playwright/test",
  "pytest",
  "rspec",
];

export const buildTools: readonly string[] = [
  "vite",
  "webpack",
  "rollup",
  "rolldown",
  "esbuild",
  "tsup",
  "turbo",
  "typescript",
];

/** Files and folders that a service for continuous integration reads. */
export const ciSigns: readonly (readonly [string, string])[] = [
  [".github/workflows", "github-actions"],
  [".gitlab-ci.yml", "gitlab-ci"],
  [".circleci", "circleci"],
  ["azure-pipelines.yml", "azure-pipelines"],
  ["Jenkinsfile", "jenkins"],
  [".travis.yml", "travis"],
  [".buildkite", "buildkite"],
];

export const vcsSigns: readonly (readonly [string, string])[] = [
  [".git", "git"],
  [".jj", "jj"],
  [".hg", "hg"],
  [".svn", "svn"],
];

/** Not the project's own. */
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
