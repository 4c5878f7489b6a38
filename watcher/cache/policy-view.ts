/** What is kept of a DisruptionPolicy: whom a change of it concerns. */
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import { digestOf } from './digest.ts';
import { trimmedMeta } from './metadata.ts';
import type { DisruptionPolicyView } from './views.ts';

/** Without counts, conditions and times, which are no news to a deployment. */
export function viewOfPolicy({
  metadata,
  spec,
  status = {},
}: DisruptionPolicy): DisruptionPolicyView {
  const { selector, reasons = [] } = spec;
  const { grants = [], turns = [] } = status;
  return {
    ...trimmedMeta(metadata),
    specDigest: digestOf(spec),
    selector,
    namesRepair: reasons.includes('Repair'),
    shares: [
      ...turns.map(({ deployment, uid }) => ({ key: `turn ${uid}`, deployment })),
      ...grants.map(({ deployment, uid, set, to, machine }) => ({
        key: `grant ${uid} ${set} ${machine ?? to}`,
        deployment,
      })),
    ],
  };
}
