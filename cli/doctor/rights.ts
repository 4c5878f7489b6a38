/** What the caller may do, and what the service accounts of the install may do. */
import type { KubeClient } from '../../kube/client/client.ts';
import type { Deployment } from '../install/deployments.ts';
import { isWatcher } from '../install/deployments.ts';
import type { Right } from '../objects/rights.ts';
import { attributesOf, formatRight, isAllowed, rightOnMachines } from '../objects/rights.ts';
import type { Check, DoctorResult } from './check.ts';
import { error, ok, skipped, warning } from './check.ts';
import type { Observed } from './observed.ts';

export function rightChecks(observed: Observed): Check[] {
  return [
    { name: 'your rights', run: () => ofCaller(observed) },
    { name: 'rights of the install', run: () => ofInstall(observed) },
  ];
}

const kinds = ['machines', 'machinesets', 'machinedeployments', 'machineclasses'];

async function ofCaller({ kube, namespace }: Observed): Promise<DoctorResult> {
  const check = 'your rights';
  const rights = [
    ...kinds.map((resource) => rightOnMachines('list', resource, namespace)),
    ...['machines', 'machinedeployments'].map((resource) =>
      rightOnMachines('patch', resource, namespace),
    ),
    { verb: 'list', group: '', resource: 'events', namespace },
    { verb: 'create', group: '', resource: 'configmaps', namespace },
  ];
  const missing = await missingOf(rights, (right) => isAllowed(kube, right));
  if (missing.length === 0) return ok(check, 'all that the commands need');
  const repair = `ask for a Role in ${namespace} with them; kubectl auth can-i --list -n ${namespace}`;
  return warning(check, `you may not ${missing.map(formatRight).join(', ')}`, repair);
}

async function missingOf(
  rights: readonly Right[],
  isGiven: (right: Right) => Promise<boolean>,
): Promise<Right[]> {
  const answers = await Promise.all(rights.map(isGiven));
  return rights.filter((_right, index) => !answers[index]);
}

async function ofInstall(observed: Observed): Promise<DoctorResult | DoctorResult[]> {
  const { kube, ours, release } = observed;
  const check = 'rights of the install';
  if (!ours) return skipped(check, `you may not list Deployments in ${release}`);
  if (ours.length === 0) {
    return skipped(
      check,
      `no Deployment of the chart serves this namespace in ${release}; name another with --release-namespace`,
    );
  }
  const review = {
    verb: 'create',
    group: 'authorization.k8s.io',
    resource: 'subjectaccessreviews',
    namespace: '',
  };
  if (!(await isAllowed(kube, review))) return skipped(check, 'you may not ask what others may do');
  return await Promise.all(ours.map((deployment) => ofDeployment(observed, deployment)));
}

async function ofDeployment(
  { kube, namespace, release }: Observed,
  deployment: Deployment,
): Promise<DoctorResult> {
  const check = 'rights of the install';
  const account = deployment.spec?.template?.spec?.serviceAccountName ?? 'default';
  const user = `system:serviceaccount:${release}:${account}`;
  const rights = isWatcher(deployment) ? watcherRights(namespace) : workerRights(namespace);
  const missing = await missingOf(rights, (right) => isAllowedTo(kube, user, right));
  const { name } = deployment.metadata;
  if (missing.length === 0)
    return ok(check, `ServiceAccount ${account} of Deployment ${name} has them`);
  const message = `ServiceAccount ${account} of Deployment ${name} may not ${missing.map(formatRight).join(', ')}`;
  return error(
    check,
    message,
    `apply the chart's Roles again: helm upgrade; kubectl -n ${namespace} get rolebindings`,
  );
}

const watcherRights = (namespace: string): Right[] =>
  kinds.flatMap((resource) =>
    ['list', 'watch'].map((verb) => rightOnMachines(verb, resource, namespace)),
  );

/** That each worker needs, also one that serves drains or a driver alone. */
const workerRights = (namespace: string): Right[] => [
  rightOnMachines('get', 'machines', namespace),
  { verb: 'create', group: '', resource: 'events', namespace },
];

async function isAllowedTo(kube: KubeClient, user: string, right: Right): Promise<boolean> {
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const review = await kube.create<{ status?: { allowed?: boolean } }>(path, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, groups: groupsOf(user), resourceAttributes: attributesOf(right) },
  });
  return review.status?.allowed ?? false;
}

function groupsOf(user: string): string[] {
  const [, , namespace = ''] = user.split(':');
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
}
