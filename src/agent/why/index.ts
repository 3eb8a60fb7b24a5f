/** Why a session is as it is: the manifest of its model calls, and answers to questions about it. Loaded on first use. */
export { cutAnswer, NoAnswer, usualDepth, type WhyAnswer } from "./answer.ts";
export { answerWhy, callAsked, type WhyQuestion } from "./explain.ts";
export { type ManifestPart, manifestOf } from "./manifest.ts";
