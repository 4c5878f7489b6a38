/** What `millwright migrate check` says of one thing. */

export interface Finding {
  what:
    | 'kubernetes'
    | 'api'
    | 'mcm'
    | 'flags'
    | 'leases'
    | 'millwright'
    | 'features'
    | 'objects'
    | 'progress'
    | 'rights';
  /** `hinders`: a take-over is refused. `note`: it is not, but a person should read this. */
  state: 'ok' | 'note' | 'hinders';
  text: string;
}

export const ok = (what: Finding['what'], text: string): Finding => ({ what, state: 'ok', text });

export const note = (what: Finding['what'], text: string): Finding => ({
  what,
  state: 'note',
  text,
});

export const hinders = (what: Finding['what'], text: string): Finding => ({
  what,
  state: 'hinders',
  text,
});

export const isHindered = (findings: readonly Finding[]): boolean =>
  findings.some(({ state }) => state === 'hinders');

/** The columns of people. */
export const lineOf = ({ what, state, text }: Finding): string =>
  `${state.padEnd(9)}${what.padEnd(12)}${text}`;

const namesMax = 5;

/** The first names, and how many there are beside them. */
export function listOf(names: readonly string[]): string {
  const shown = names.toSorted().slice(0, namesMax).join(', ');
  return names.length > namesMax ? `${shown} and ${names.length - namesMax} more` : shown;
}
