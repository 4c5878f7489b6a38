/** Runs all checks of `millwright doctor`, and prints what they found. */
import type { Environment } from '../../workers/config/temporal.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { TargetOptions } from '../connection/target.ts';
import { inTarget } from '../connection/target.ts';
import { clusterChecks } from './clusters.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import type { DoctorResult } from './check.ts';
import { runAll, skipped, error, ok, warning } from './check.ts';
import { formatResult } from '../command-line/check-result.ts';
import { objectChecks } from './objects.ts';
import type { Observed } from './observed.ts';
import { observe } from './observed.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Deployment } from '../install/deployments.ts';
import { isWatcher, isWorker } from '../install/deployments.ts';
import type { Right } from '../objects/rights.ts';
import { attributesOf, formatRight, isAllowed, rightOnMachines } from '../objects/rights.ts';
import { isRefusal } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource, namespaced } from '../../kube/client/paths.ts';
import { isServed } from '../../kube/client/served.ts';
import { policyResource } from '../../kube/objects/disruption-policies.ts';
import { annotations, ownGroup } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { ownSecretsOf } from '../../workflows/api/secret-refs.ts';

export interface DoctorOptions
  extends ClusterOptions, OutputOptions, TargetOptions, TemporalOptions {
  /** Namespace of the Deployments. Undefined: that of the machines. */
  releaseNamespace?: string | undefined;
  /** `--install` of the watcher. Undefined: as its Deployment says, else the namespace. */
  install?: string | undefined;
}

interface DoctorReport {
  namespace: string;
  isHealthy: boolean;
  findings: { check: string; level: DoctorResult['state']; text: string; repair?: string }[];
}

export async function doctor(
  scope: ClusterScope,
  options: DoctorOptions,
  env: Environment = process.env,
): Promise<Answer<DoctorReport>> {
  const clusters = await runAll(clusterChecks(options));
  const results = [
    ...clusters,
    ...(await inTarget(scope, options, async (target) => {
      // Without a control cluster each check would wait for it.
      if (clusters.some(({ what, state }) => what === 'control cluster' && state !== 'ok')) {
        return [skipped('all else', 'the control cluster is not reached')];
      }
      const observed = await observe(scope, target, options);
      return await runIn(observed, options, env);
    })),
  ];
  return answerOf(scope.namespace, results);
}

async function runIn(
  observed: Observed,
  options: DoctorOptions,
  env: Environment,
): Promise<DoctorResult[]> {
  const { temporalChecks } = await import('./temporal.ts');
  const temporal = await temporalChecks(observed, options, env);
  try {
    return await runAll([
      ...objectChecks(observed),
      { name: check, run: () => classes(observed) },
      { name: 'your rights', run: () => ofCaller(observed) },
      { name: 'rights of the install', run: () => ofInstall(observed) },
      ...temporal.checks,
    ]);
  } finally {
    await temporal.close();
  }
}

/** A check that could not be made is no reason to say that all is well. */
export function answerOf(namespace: string, results: DoctorResult[]): Answer<DoctorReport> {
  const count = (wanted: DoctorResult['state']): number =>
    results.filter(({ state }) => state === wanted).length;
  const errors = count('error');
  const open = count('skipped');
  const isHealthy = errors === 0;
  const verdict = open === 0 ? 'Millwright can work' : 'Nothing keeps Millwright from work';
  const counts = `warnings: ${count('warning')}${open === 0 ? '' : `; not found out: ${open}`}`;
  const end = isHealthy
    ? `${verdict} in namespace ${namespace}; ${counts}.`
    : `Millwright cannot work in namespace ${namespace}; errors: ${errors}, ${counts}.`;
  const width = Math.max(...results.map(({ what }) => what.length)) + 2;
  const findings = results.map(({ what: check, state: level, ...rest }) => ({
    check,
    level,
    ...rest,
  }));
  return {
    text: [...results.map((result) => formatResult(result, width)), end].join('\n'),
    data: { namespace, isHealthy, findings },
    exitCode: isHealthy ? 0 : 1,
  };
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
  const ofPolicies = (await isServed(kube, policyResource))
    ? policyRights(namespace, isWorker(deployment))
    : [];
  const rights = [
    ...(isWatcher(deployment) ? watcherRights(namespace) : []),
    ...(isWorker(deployment) ? workerRights(namespace) : []),
    ...ofPolicies,
  ];
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

/** Without them rollouts hold, where their CRD is installed. */
function policyRights(namespace: string, isOfWorker: boolean): Right[] {
  const right = (verb: string, resource: string): Right => ({
    verb,
    group: ownGroup,
    resource,
    namespace,
  });
  return [
    right('list', 'disruptionpolicies'),
    right('watch', 'disruptionpolicies'),
    ...(isOfWorker ? [right('patch', 'disruptionpolicies/status')] : []),
  ];
}

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

const check = 'classes';

/**
 * Checks that MachineClasses have what they name. One that is wrong stops its own machines, not
 * Millwright. Credentials are not tried: what a cloud said of them last stands on the class.
 */
async function classes({ kube, namespace }: Observed): Promise<DoctorResult[]> {
  const { items } = await kube.list<MachineClass>(customResource('machineclasses', namespace));
  const { items: machines } = await kube.list<Machine>(customResource('machines', namespace));
  const used = new Set(machines.map(({ spec }) => spec.class?.name));
  const found = await Promise.all(
    items.map(async (one) =>
      (await faultsOf(kube, namespace, one)).map((text) => {
        const { name } = one.metadata;
        const message = `MachineClass ${name}${used.has(name) ? '' : ', which no machine uses'}: ${text}`;
        return warning(check, message, `kubectl -n ${namespace} describe machineclass ${name}`);
      }),
    ),
  );
  const faults = found.flat();
  if (faults.length > 0) return faults;
  const message = `${items.length} MachineClasses, nothing is known to be wrong; their credentials are not tried`;
  return [ok(check, message)];
}

async function faultsOf(
  kube: KubeClient,
  namespace: string,
  machineClass: MachineClass,
): Promise<string[]> {
  const noted = machineClass.metadata.annotations?.[annotations.invalid];
  if (noted !== undefined) return noted.split('\n');
  const named = ownSecretsOf(machineClass, namespace);
  if (named.length === 0) return ['it names no Secret'];
  const secrets = await Promise.all(named.map(({ name }) => readKeys(kube, namespace, name)));
  const missing = named.filter((_secret, index) => secrets[index] === 'missing');
  if (missing.length > 0) {
    return missing.map(({ field, name }) => `${field}: Secret ${name} does not exist`);
  }
  const isKnown = secrets.every((keys) => keys !== 'refused');
  return isKnown && !secrets.flat().includes('userData')
    ? ['no key "userData" in its Secret: add it, it may be empty']
    : [];
}

interface SecretData {
  data?: Record<string, string>;
}

/** `refused`: the caller may not read Secrets. */
async function readKeys(
  kube: KubeClient,
  namespace: string,
  name: string,
): Promise<string[] | 'missing' | 'refused'> {
  try {
    const found = await ignoreNotFound(
      kube.get<SecretData>(namespaced('secrets', namespace, name)),
    );
    return found ? Object.keys(found.data ?? {}) : 'missing';
  } catch (reason) {
    if (isRefusal(reason)) return 'refused';
    throw reason;
  }
}
