/** Checks DisruptionPolicies, and names the rights that their CRD brings with it. */
import { isForbidden } from '../../kube/client/errors.ts';
import { ownGroup } from '../../workflows/api/constants.ts';
import { readPolicies, servesPolicies } from '../install/read-policies.ts';
import type { Right } from '../objects/rights.ts';
import type { DoctorResult } from './check.ts';
import { ok, skipped, warning } from './check.ts';
import type { Observed } from './observed.ts';

const check = 'DisruptionPolicies';

export async function policies({
  kube,
  namespace,
}: Pick<Observed, 'kube' | 'namespace'>): Promise<DoctorResult[]> {
  try {
    const items = await readPolicies(kube, namespace);
    const faults = items.flatMap(({ metadata: { name }, status }) => {
      const accepted = status?.conditions?.find(({ type }) => type === 'Accepted');
      if (accepted?.status !== 'False') return [];
      const repair = `kubectl -n ${namespace} edit disruptionpolicy ${name}`;
      return [warning(check, `${name} holds what it selects: ${accepted.message}`, repair)];
    });
    if (faults.length > 0) return faults;
    if (items.length > 0 || (await servesPolicies(kube))) {
      return [ok(check, `${items.length} in ${namespace}, none of them invalid`)];
    }
    return [ok(check, 'their CRD is not installed: rollouts wait for none')];
  } catch (reason) {
    if (!isForbidden(reason)) throw reason;
    return [skipped(check, `you may not list them in ${namespace}`)];
  }
}

/** Without them rollouts hold, where the CRD is installed. */
export function policyRights(namespace: string, isOfWatcher: boolean): Right[] {
  const right = (verb: string, resource: string): Right => ({
    verb,
    group: ownGroup,
    resource,
    namespace,
  });
  return [
    right('list', 'disruptionpolicies'),
    right('watch', 'disruptionpolicies'),
    ...(isOfWatcher ? [] : [right('patch', 'disruptionpolicies/status')]),
  ];
}
