/** What a worker takes commands by: `--commands-by`. */
export const commandSources = ['temporal', 'kubernetes', 'none'] as const;
export type CommandSource = (typeof commandSources)[number];
