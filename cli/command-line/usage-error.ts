/** Says what a person has to write otherwise: a file, a combination of options. Exit code 2. */
export class UsageError extends Error {}
