/** What is sent of a run at once, and how often: for who writes the events, serves them and shows them. */
const KiB = 1024;

export const eventLimits = {
  /** A text of an event beyond it stands as a reference. Bytes. */
  eventText: 16 * KiB,
  /** Ephemeral texts are joined for so long, or until there are so many bytes. */
  deltaDelay: 50,
  deltaBytes: 2 * KiB,
  /** Of what a call prints, so many characters are sent at once: the last ones. A page keeps as many. */
  output: 16 * KiB,
  /** Between two times at which an unfinished answer is kept. Milliseconds. */
  partialDelay: 200,
} as const;
