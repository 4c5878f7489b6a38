/** Who paused a MachineDeployment, as far as Kubernetes knows: by which program, and when. */
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { timeOf } from '../install/times.ts';
import { ageSince } from '../terminal/age.ts';
import type { Fact } from './explanation.ts';

export function pausedFacts({ metadata, spec }: MachineDeployment, now: number): Fact[] {
  if (spec.paused !== true) return [];
  const entries: unknown = 'managedFields' in metadata ? metadata.managedFields : [];
  const entry = (Array.isArray(entries) ? entries : []).filter(isRecord).find(ownsPaused);
  if (!entry) return [];
  const since = timeOf(String(entry['time']));
  return [{ name: 'Paused by', value: `${String(entry['manager'])}, ${ageSince(since, now)} ago` }];
}

function ownsPaused({ fieldsV1 }: Record<string, unknown>): boolean {
  const ofSpec = isRecord(fieldsV1) ? fieldsV1['f:spec'] : undefined;
  return isRecord(ofSpec) && 'f:paused' in ofSpec;
}
