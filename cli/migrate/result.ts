/** Result of `millwright migrate check`. */
import type { CheckResult } from '../command-line/check-result.ts';
import { formatResult } from '../command-line/check-result.ts';

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
