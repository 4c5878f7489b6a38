/** Result of `millwright migrate check`. */
import type { Answer } from '../command-line/answer.ts';
import type { CheckResult } from '../command-line/check-result.ts';
import { formatResult } from '../command-line/check-result.ts';
import { yamlOf } from './flags.ts';

/** `hinders`: a take-over is refused. `note`: it is not, but a person should read this. */
export type MigrateResult = CheckResult<
  | 'kubernetes'
  | 'api'
  | 'mcm'
  | 'flags'
  | 'leases'
  | 'millwright'
  | 'features'
  | 'objects'
  | 'progress'
  | 'rights'
  | 'controller'
  | 'webhooks'
  | 'pools'
  | 'user-data'
  | 'autoscaler',
  'ok' | 'note' | 'hinders'
>;

const resultOf =
  (state: MigrateResult['state']) =>
  (what: MigrateResult['what'], text: string): MigrateResult => ({ what, state, text });

export const ok = resultOf('ok');
export const note = resultOf('note');
export const hinders = resultOf('hinders');

export const lineOf = (result: MigrateResult): string => formatResult(result, 12);

interface CheckReport {
  namespace: string;
  findings: readonly MigrateResult[];
  values: object;
  leftOut: readonly string[];
  /** The program whose flags these are; undefined: none was found. */
  whose: string | undefined;
}

/** Exit code 1: something hinders a take-over. */
export function reportOf({ whose, ...checked }: CheckReport): Answer {
  const { namespace, findings, values, leftOut } = checked;
  const isFree = findings.every(({ state }) => state !== 'hinders');
  const end = isFree
    ? `Nothing hinders a take-over of ${namespace}.`
    : `${namespace} cannot be taken over yet.`;
  const ofFlags = [
    '',
    `${whose}'s flags as values of the chart:`,
    ...yamlOf(values, '  '),
    ...leftOut.map((text) => `  # ${text}`),
  ];
  return {
    data: { ...checked, isFree },
    exitCode: isFree ? 0 : 1,
    text: [...findings.map(lineOf), ...(whose === undefined ? [] : ofFlags), '', end].join('\n'),
  };
}

/** Throws with what hinders; `begun` is what was done until then. */
export function refuseHindered(
  findings: readonly MigrateResult[],
  begun = 'Nothing was done',
): void {
  const hindering = findings.filter(({ state }) => state === 'hinders');
  if (hindering.length === 0) return;
  throw new Error([`${begun}, because of these:`, ...hindering.map(lineOf)].join('\n'));
}
