/** New machines while a wave of a canary has its time. */
import type { Machine } from '../../workflows/api/machine.ts';
import type {
  RolloutOptions,
  WatchedMachines,
} from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import { isFailed } from '../../workflows/plan/machine-set/deletions.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { Period } from '../../workflows/values/pauses.ts';
import { deadlineOf } from '../../workflows/values/pauses.ts';
import type { KubeObject } from '../../kube/client/client.ts';
import { timestamp } from '../../kube/objects/time.ts';
import { factOf } from '../machine-set/facts.ts';

/** Undefined without a wave that has a time. `machines`: of the set of the template. */
export function watchedMachinesOf(
  { waves = [], waveNote: note }: Pick<RolloutOptions, 'waves' | 'waveNote'>,
  machines: readonly Machine[],
  pauses: readonly Period[],
): WatchedMachines | undefined {
  if (waves.every(({ seconds }) => seconds === undefined)) return undefined;
  const present = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const youngest = present.length > 0 ? Math.max(...present.map(madeAt)) : undefined;
  const noted = note?.machines;
  const left =
    noted && present.filter((one) => madeAt(one) <= noted.youngest && !isFailed(factOf(one)));
  const timeoutMs = (waves[note?.count ?? 0]?.seconds ?? 0) * 1_000;
  const at = note && deadlineOf({ from: note.since, timeoutMs }, pauses);
  const end = at === undefined ? undefined : { at, text: timestamp(at) };
  return defined({ youngest, left: left?.length, end });
}

/** Milliseconds. */
export function madeAt({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp);
}
