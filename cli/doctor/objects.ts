/** Checks what has to stand in the clusters: CRDs, the Lease of a watcher, Nodes, and no stop. */
import type { KubeClient } from '../../kube/client/client.ts';
import { isNotFound, isRefusal } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { disruptionPolicy, lease, namespaced, node as nodePath } from '../../kube/client/paths.ts';
import { mcmLeases, ownLeaseOf } from '../../kube/leases/lease-set.ts';
import type { Lease } from '../../kube/leases/observed-lease.ts';
import type { StopObject } from '../../kube/objects/global-stop.ts';
import { stopName, stopOf } from '../../kube/objects/global-stop.ts';
import { apiVersion, group } from '../../workflows/api/constants.ts';
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import { isoOf } from '../install/times.ts';
import type { LeaseFact } from '../install/install.ts';
import { leaseFactsOf } from '../install/lease-facts.ts';
import { podsCommand } from './observed.ts';
import type { Observed } from './observed.ts';
import type { Check, DoctorResult } from './check.ts';
import { error, ok, skipped, warning } from './check.ts';

export function objectChecks(observed: Observed): Check[] {
  return [
    { name: 'CRDs', run: () => resources(observed.kube) },
    { name: 'CRD fields', run: () => fields(observed.kube) },
    { name: 'policies', run: () => policies(observed) },
    { name: 'watcher', run: () => watcher(observed) },
    { name: 'stop', run: () => stop(observed) },
    { name: 'Nodes', run: () => nodes(observed) },
  ];
}

const applyCrds = 'kubectl apply --server-side -f deploy/crds';
const needed = [
  'machines',
  'machinesets',
  'machinedeployments',
  'machineclasses',
  'machines/status',
  'machinesets/status',
  'machinedeployments/status',
];

async function resources(kube: KubeClient): Promise<DoctorResult> {
  const check = 'CRDs';
  const found = await ignoreNotFound(
    kube.get<{ resources: { name: string }[] }>(`/apis/${apiVersion}`),
  );
  const served = (found?.resources ?? []).map(({ name }) => name);
  const missing = needed.filter((name) => !served.includes(name));
  if (missing.length === 0) return ok(check, `${apiVersion} has all that is needed`);
  return error(check, `${apiVersion} has no ${missing.join(', ')}`, applyCrds);
}

/** Fields that ours have, and those of MCM do not: without them less is written. */
const fieldsOfOurs = ['nodeRef', 'failureMessage'];

async function fields(kube: KubeClient): Promise<DoctorResult> {
  const check = 'CRD fields';
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/machines.${group}`;
  try {
    const { spec } = await kube.get<{ spec?: object }>(path);
    const text = JSON.stringify(spec ?? {});
    const missing = fieldsOfOurs.filter((name) => !text.includes(`"${name}"`));
    if (missing.length === 0) return ok(check, 'those of this release');
    const message = `status of machines has no ${missing.join(', ')}: they are of MCM or of an earlier release`;
    return warning(check, message, applyCrds);
  } catch (reason) {
    if (isRefusal(reason)) return skipped(check, 'you may not read CustomResourceDefinitions');
    if (isNotFound(reason)) return skipped(check, 'there are no CRDs');
    throw reason;
  }
}

/** By their statuses: the worker has written there what it cannot follow. */
async function policies({ kube, namespace }: Observed): Promise<DoctorResult | DoctorResult[]> {
  const check = 'policies';
  try {
    const path = disruptionPolicy(namespace);
    const found = await ignoreNotFound(kube.list<DisruptionPolicy>(path));
    if (!found) return ok(check, 'DisruptionPolicies are not served: none holds anything up');
    const closed = found.items.flatMap(({ metadata: { name }, status }) => {
      const accepted = status?.conditions?.find(({ type }) => type === 'Accepted');
      if (accepted?.status !== 'False') return [];
      const message = `DisruptionPolicy ${name} is closed: ${accepted.message}`;
      return [warning(check, message, `kubectl edit dp ${name} -n ${namespace}`)];
    });
    if (closed.length > 0) return closed;
    return ok(check, `${found.items.length} in ${namespace}, none with a fault`);
  } catch (reason) {
    if (!isRefusal(reason)) throw reason;
    return skipped(check, 'you may not list DisruptionPolicies');
  }
}

async function watcher(observed: Observed): Promise<DoctorResult> {
  const { kube, namespace, flags } = observed;
  const own = ownLeaseOf(namespace, flags.leasePlace);
  const ofMcm = mcmLeases.map(async (one) => {
    // Where it may not be read, less is said.
    return await kube.get<Lease>(lease(namespace, one)).catch(() => undefined);
  });
  const ofOurs = ignoreNotFound(kube.get<Lease>(lease(own.namespace, own.name)));
  const found = (await Promise.all([ofOurs, ...ofMcm])).flatMap((one) => one ?? []);
  const [fact] = leaseFactsOf(found, { namespace, leasePlace: flags.leasePlace });
  const name = `Lease ${own.namespace}/${own.name}`;
  if (fact?.holder !== undefined) return ok('watcher', `${fact.holder} holds ${name}`);
  return leaderless(observed, name, fact);
}

function leaderless(observed: Observed, name: string, fact: LeaseFact | undefined): DoctorResult {
  const { mcm, renewedAt } = fact ?? {};
  const since = renewedAt === undefined ? '' : `, the last one renewed it at ${isoOf(renewedAt)}`;
  const message = `no watcher holds ${name}${since}`;
  if (mcm) {
    const acts = `${message}: MCM acts, ${mcm.holder} holds Lease ${mcm.lease}`;
    return error('watcher', acts, `millwright migrate check -n ${observed.namespace}`);
  }
  const repair = `start a watcher; ${podsCommand(observed)}`;
  return error('watcher', `${message}: nothing is created or deleted`, repair);
}

async function stop({ kube, namespace }: Observed): Promise<DoctorResult> {
  const path = namespaced('configmaps', namespace, stopName);
  const object = await ignoreNotFound(kube.get<StopObject>(path));
  if (!object) return ok('stop', 'nothing is stopped');
  const { reason, by, since } = stopOf(object);
  const message = `everything is stopped since ${new Date(since).toISOString()}${by === undefined ? '' : ` by ${by}`}: ${reason}`;
  return error('stop', message, `millwright start -n ${namespace}`);
}

async function nodes({ target, isSameCluster }: Observed): Promise<DoctorResult> {
  const where = isSameCluster ? 'the control cluster' : 'the target cluster';
  try {
    await target.get(nodePath(), { limit: 1 });
    return ok('Nodes', `they can be listed in ${where}`);
  } catch (reason) {
    if (!isRefusal(reason)) throw reason;
    return skipped('Nodes', `you may not list them in ${where}`);
  }
}
