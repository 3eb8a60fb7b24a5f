/** Narration in artifacts, three levels: 100 lines that talk about the writing, 100 that are written (docs/control-plane.md). */
import { describe, expect, it, test } from "vitest";
import { cleanArtifact, isNarration } from "../../../../src/agent/completion/work-items/narration.ts";

const openers = ["", "Okay, ", "Sure! ", "Great. ", "Now, ", "Of course, ", "Alright, ", "Perfect. "];
const making = [
  "I've created the report you asked for.",
  "I have written the summary below:",
  "I will now provide the document.",
  "Let me present the final version:",
  "I'm storing this artifact now.",
  "We have prepared the draft.",
  "I've updated the file with the results.",
  "I generated the list:",
];
const here = [
  "Here is the report:",
  "Here's the final version of the document:",
  "Below is the analysis:",
  "Here are the results:",
  "Attached is the outline.",
];
const offers = [
  "Let me know if you need any changes!",
  "I hope this helps.",
  "Feel free to ask for revisions.",
  "If you'd like, I can add more detail.",
  "I'm happy to help with anything else.",
  "Would you like me to continue?",
  "Happy to adjust the wording.",
  "This artifact has been stored.",
  "Sure!",
  "Don't hesitate to reach out.",
];
/** 8 × 8 with an opening, 5 × 5 of what comes, 10 offers, and the last with an apostrophe of a word processor. */
const narration = [
  ...openers.flatMap((opener) => making.map((line) => opener + line)),
  ...openers.slice(0, 5).flatMap((opener) => here.map((line) => opener + line)),
  ...offers,
  "I’ve written the report.",
];

const written = [
  "# The report",
  "## Results",
  "> I wrote this in May.",
  "- I've created the file",
  "1. Here is the list:",
  "* Let me know",
  "| I | made |",
  "+ Sure!",
  "• Here is the list:",
  "12) I've written the text:",
  '{"summary": "Here is the report:"}',
  "[1, 2, 3]",
  "// I've created this file",
  "/* Here is the code: */",
  "    I have written the report:",
  "\tHere is the code:",
  "```ts",
  "~~~",
  "$ npm test",
  "@decorator",
  "",
  "   ",
  "The service listens on port 8081.",
  "In 1851 the bridge was opened.",
  "Wind gave 12 GWh, the sun 9.",
  "Memory grows by 4 MB with each call.",
  "The committee met on Monday; nobody objected.",
  "We are a family business since 1921.",
  "Our prices do not include tax.",
  "Dear Ms. Dahl,",
  "Kind regards",
  "To whom it may concern:",
  "Ingredients:",
  "Call me Ishmael.",
  "It was the best of times, it was the worst of times.",
  "There is no cure for this.",
  "Here the river turns north.",
  "Below zero the valve freezes.",
  "The following year brought a drought.",
  "Following the river, one comes to the mill.",
  "If the pump fails, the second one starts.",
  "Whether you need a permit depends on the county.",
  "This is why the test fails.",
  "The file is read once at the start.",
  "The report of 1987 says otherwise.",
  "Sure enough, it rained.",
  "Great care is taken of the gulls.",
  "Now the tide turns.",
  "First, the bell is rung.",
  "Finally, the gate is shut.",
  "Well water is tested every month.",
  "So the port stays open.",
  "Right angles are marked with a square.",
  "Yes votes: 12. No votes: 3.",
  "I am the captain of this ship.",
  "My father kept bees.",
  "I went to the harbour at six.",
  "We sailed at noon.",
  "Let me be the first, said the pilot.",
  "I saw three ships.",
  "We paid 30 crowns.",
  "I do not like the weather.",
  "My favourite colour is green.",
  "I'll be home by eight.",
  "We've known each other for years.",
  "My watch has stopped.",
  "function add(a, b) {",
  "return a + b",
  "}",
  "const port = 8081;",
  "import fs from 'node:fs'",
  "SELECT name FROM berth",
  "<p>Here is the text:</p>",
  '"I have written it", she said.',
  "(I made the list myself.)",
  "-- migration 12",
  "key: value",
  "port = 8081",
  "name,age,city",
  "2026-05-14 10:00 calm",
  "https://example.org/report",
  "src/cart.ts:12: total(items)",
  "Total: 41 of 42.",
  "A. Nordal, 21 May",
  "Question: why is the sky blue?",
  "Answer: because of scattering.",
  "Step one is to shut the valve.",
  "Nothing else is known.",
  "Help is on the way.",
  "The happy few.",
  "Anyone can help to clean the beach.",
  "Trust is good, control is better.",
  "They hope for rain.",
  "Hope is not a plan.",
  "Please sign here.",
  "Do not open before May.",
  "Should it rain, the match is moved.",
  "Is there water on the moon?",
  "Would that it were so.",
  "Okay is a town in Oklahoma.",
];

test("there are 200 lines", () => {
  expect([narration.length, written.length]).toEqual([100, 100]);
  expect(new Set([...narration, ...written]).size).toBe(200);
});

it.each(narration)("talks about the writing: %s", (line) => {
  expect(isNarration(line)).toBe(true);
});

it.each(written)("is written: %s", (line) => {
  expect(isNarration(line)).toBe(false);
});

describe("an artifact", () => {
  const text = "# The harbour\n\nThe tide is 3.25 metres at berth 77, and the deadline is 21 May.\n"
    .repeat(4)
    .trim();

  it("is clean when nothing at its edges talks about it", () => {
    expect(cleanArtifact(text)).toEqual({ content: text, level: "clean", stripped: [] });
    const inside = `${text}\n\nHere is the report:\n\n${text}`;
    expect(cleanArtifact(inside).level).toBe("clean");
  });

  it("is light with at most two lines that are less than a tenth of it", () => {
    const found = cleanArtifact(`Here is the report:\n\n${text}`);
    expect(found).toEqual({ content: text, level: "light", stripped: ["Here is the report:"] });
  });

  it("is heavy with more, and is stripped as well, the fence round it included", () => {
    const lines = ["Sure!", "I've written the report.", "Here is the report:"];
    const found = cleanArtifact(`${lines.join("\n")}\n\`\`\`md\n${text}\n\`\`\`\nI hope this helps.`);
    expect(found.level).toBe("heavy");
    expect(found.content.startsWith("# The harbour")).toBe(true);
    expect(found.content.endsWith("21 May.")).toBe(true);
    expect(found.stripped).toContain("I hope this helps.");
  });

  it("is heavy, too, where two lines are a tenth of it or more, and where three lines are less", () => {
    expect(cleanArtifact("Here is the report:\n\n# The harbour\n\nThe tide is 3.25 metres.").level).toBe(
      "heavy",
    );
    const three = cleanArtifact(`Sure!\nOkay.\nHere is the report:\n\n${text.repeat(4)}`);
    expect([three.stripped.length, three.level]).toEqual([3, "heavy"]);
  });

  it("that says nothing but how it was made is empty", () => {
    expect(cleanArtifact("Here is the report:\n\nI hope this helps.").content.trim()).toBe("");
  });

  it("is looked at five lines from each edge", () => {
    const many = Array.from({ length: 7 }, () => "I hope this helps.");
    expect(cleanArtifact(`${many.join("\n")}\n${text}`).stripped).toHaveLength(5);
  });
});
