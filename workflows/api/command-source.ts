/** Sources from which a worker takes commands: `--commands-by`. */
export const commandSources = ['temporal', 'kubernetes', 'none'] as const;
export type CommandSource = (typeof commandSources)[number];

/** Most have the default, and what is absent takes no room in a history. */
export function otherThanUsual(source: CommandSource | undefined): CommandSource | undefined {
  return source === 'temporal' ? undefined : source;
}
