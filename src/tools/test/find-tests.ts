/** Which tests a file holds (language.md §25). */
import type { SourceFile } from "../../source/index.ts";
import type { PipelineDecl, Program } from "../../syntax/index.ts";
import type { TestCase, TestKind } from "./contract.ts";

/** Cheap look at a text: a file that mentions neither form has no test pipelines and need not be parsed. */
export function mentionsTests(text: string): boolean {
  return /\btest_|@test\b/.test(text);
}

/** Is the pipeline a test? Only the prefix or the attribute counts. */
export function isTest(pipeline: PipelineDecl): boolean {
  return (
    pipeline.name.text.startsWith("test_") ||
    pipeline.attributes.some((attribute) => attribute.name.text === "test")
  );
}

/** The test pipelines of a file, in source order; of equal names the first. */
export function testPipelines(program: Program): PipelineDecl[] {
  const found = new Map<string, PipelineDecl>();
  for (const item of program.items) {
    if (item.kind === "PipelineDecl" && isTest(item) && !found.has(item.name.text))
      found.set(item.name.text, item);
  }
  return [...found.values()];
}

/** The cases of a parsed file. */
export function pipelineCases(file: string, source: SourceFile, program: Program): TestCase[] {
  return testPipelines(program).map((pipeline) => ({
    file,
    name: pipeline.name.text,
    kind: "pipeline" as const,
    line: source.line(pipeline.name.start),
  }));
}

/** The case of a program with an expectation beside it. */
export function expectationCase(file: string, kind: Exclude<TestKind, "pipeline">): TestCase {
  const name = file.slice(file.lastIndexOf("/") + 1).replace(/\.harn$/, "");
  return { file, name, kind, line: 1 };
}

/** `--filter`: substring of name or path, the path as it is shown: where a project lies is no part of it. */
export function isWanted(test: TestCase, path: string, filter: string | undefined): boolean {
  return filter === undefined || test.name.includes(filter) || path.includes(filter);
}
