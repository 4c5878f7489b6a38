/** How much is kept of what an instance has printed to its console. */

/** On the Machine, in UTF-8. */
export const longestConsoleBytes = 4_096;
/** In an Event, which takes 1024 characters with its first words, and in a workflow's result. */
export const longestConsoleEndBytes = 900;
