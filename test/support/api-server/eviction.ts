/** What an eviction says on its pod before it deletes it. */
import { isRecord } from '../../../workflows/values/is-record.ts';
import { secondOf } from './naming.ts';
import type { Clock } from './naming.ts';
import type { Stored } from './store.ts';

const type = 'DisruptionTarget';

export function withEvictionCondition(pod: Stored, clock: Clock): Stored {
  const status = isRecord(pod['status']) ? pod['status'] : {};
  const present = Array.isArray(status['conditions']) ? status['conditions'] : [];
  if (present.some((one) => isRecord(one) && one['type'] === type)) return pod;
  const condition = {
    type,
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastProbeTime: null,
    lastTransitionTime: secondOf(clock.now()),
  };
  return { ...pod, status: { ...status, conditions: [...present, condition] } };
}
