/**
 * Compares the rights that the chart grants with what the API server's audit log shows: a refusal
 * is a right that is missing, and a right that no test uses is one too many.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  isRole,
  namespacedRoles,
  rightsOfCluster,
  rightsOfFront,
  usersIn,
  type Rule,
  type Role,
} from '../../deploy/local/cluster/rights.ts';
import { cloudInitSettings } from '../../workflows/api/user-data.ts';

/** `core: patch machines.machine.sapcloud.io/status`. */
export type Right = string;

export interface Grant {
  /** The role, without the part of its name that all have. */
  role: string;
  /** `verb resource.group/subresource`. */
  request: string;
  users: readonly string[];
}

/** A request as the audit log has it. */
export interface AuditedRequest {
  user: string;
  /** As in a grant. */
  request: string;
  /** Undefined: of the cluster. */
  namespace?: string | undefined;
  /** RBAC refused it. */
  isRefused: boolean;
}

/** What the tests of a day may do without, each with the reason. */
export const seldom: Readonly<Record<Right, string>> = {
  'core: watch machines.machine.sapcloud.io': 'from 200 machines on, as in the tests of the night',
  'core: watch machinesets.machine.sapcloud.io': 'the same',
  'target-drain: list volumeattachments.storage.k8s.io':
    'a worker that serves everything has it as core as well',
  'watcher: get events': 'when a namespace that a fleet does not serve is told so again',
  'watcher: patch events': 'the same',
  ...Object.fromEntries(
    [
      'machines.cluster.k8s.io',
      'machinesets.cluster.k8s.io',
      'machinesets.machine.sapcloud.io',
      'machineclasses.machine.sapcloud.io',
    ].map((kind) => [
      `front: get ${kind}`,
      'when a person took the label off by which it is found',
    ]),
  ),
  'front: get events': 'when a set without a deployment is told so again',
  'front: patch events': 'the same',
};

/** Granted for what the local stack does not show, each with the reason. */
export const unseen: Readonly<Record<Right, string>> = {
  'core: update machinesets.machine.sapcloud.io/finalizers': 'asked for by admission, not by us',
  'core: update machinedeployments.machine.sapcloud.io/finalizers': 'the same',
  ...Object.fromEntries(
    ['machinesets', 'machinedeployments'].flatMap((plural) =>
      ['cluster.k8s.io', 'machine.sapcloud.io'].map((group) => [
        `front: update ${plural}.${group}/finalizers`,
        'the same',
      ]),
    ),
  ),
  ...Object.fromEntries(
    ['create', 'get', 'update'].map((verb) => [
      `lease-front: ${verb} leases.coordination.k8s.io`,
      'role front has it as well',
    ]),
  ),
  'target-serving: approve signers.certificates.k8s.io': 'the same',
  ...Object.fromEntries(
    ['get', 'create', 'patch'].map((verb) => [
      `target-drain: ${verb} events`,
      'one cluster is both: role worker has it as well',
    ]),
  ),
  ...Object.fromEntries(
    ['get', 'create', 'update'].map((verb) => [
      `lease-watcher: ${verb} leases.coordination.k8s.io`,
      'one namespace has all Leases: role watcher has it as well',
    ]),
  ),
};

/** Where bootstrap tokens are, beside the Secrets of Machines. */
const ofTokens = 'kube-system';

/** In the order of `deploy/manifests`. */
export function grantsOf(roles: readonly Role[]): Grant[] {
  return roles.flatMap(({ metadata: { name, namespace }, rules }) => {
    const role = name.replace(/^.*?millwright-/, '');
    const users = usersIn(name);
    const isToken = namespace === ofTokens;
    const requests = rules.flatMap((rule) => requestsOf(rule, { isToken }));
    return [...new Set(requests)].map((request) => ({ role, request, users }));
  });
}

function requestsOf({ apiGroups, resources, verbs }: Rule, place: { isToken: boolean }): string[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => {
        const isToken = place.isToken && resource === 'secrets';
        return requestText({ verb, group, resource, isToken });
      }),
    ),
  );
}

interface Asked {
  verb: string;
  group: string;
  /** With subresource. */
  resource: string;
  isToken: boolean;
}

function requestText({ verb, group, resource: kind, isToken }: Asked): string {
  const [resource = '', subresource] = kind.split('/');
  const scope = group === '' ? resource : `${resource}.${group}`;
  const place = isToken ? ` in ${ofTokens}` : '';
  return `${verb} ${subresource === undefined ? scope : `${scope}/${subresource}`}${place}`;
}

export function grantsOfChart(): Grant[] {
  const roles = [...rightsOfCluster(), ...rightsOfFront('default')].filter(isRole);
  return grantsOf([...namespacedRoles(), ...roles]);
}

/**
 * What is wrong, one line each. A worker that serves everything has some rights by two roles: its
 * request shows that the first of them is used, and one of a part alone shows the other.
 */
export function rightsFaults(
  grants: readonly Grant[],
  requests: readonly AuditedRequest[],
  known: Readonly<Record<Right, string>> = unseen,
): string[] {
  const used = new Set(requests.filter(({ isRefused }) => !isRefused).map(keyOf));
  const taken = new Set<string>();
  const unused: Right[] = [];
  for (const { role, request, users } of grants) {
    const keys = users.map((user) => keyOf({ user, request })).filter((key) => !taken.has(key));
    if (!keys.some((key) => used.has(key))) unused.push(`${role}: ${request}`);
    for (const key of keys) taken.add(key);
  }
  const names = new Set(Object.keys(known));
  return [
    ...refusalsIn(requests),
    ...unused
      .filter((right) => !names.has(right) && !(right in seldom))
      .map((right) => `granted and not used: ${right}`),
    ...[...names]
      .filter((right) => !unused.includes(right))
      .map(
        (right) => `test/run/rights.ts calls it unseen, and it is not granted or is used: ${right}`,
      ),
  ];
}

/**
 * An API server that has just started refuses for a moment what it allows: there the same request
 * has to be allowed too. In a test of outages, whose processes may end before they repeat it, that
 * it is allowed in another namespace is enough.
 */
export function refusalsIn(requests: readonly AuditedRequest[]): string[] {
  const placeOf = (one: AuditedRequest): string => `${keyOf(one)} ${one.namespace}`;
  const wantedFor = (one: AuditedRequest): string =>
    one.namespace?.startsWith('outage-') ? keyOf(one) : placeOf(one);
  const granted = requests.filter(({ isRefused }) => !isRefused);
  const allowed = new Set(granted.flatMap((one) => [keyOf(one), placeOf(one)]));
  const refused = requests.filter(
    (one) => one.isRefused && !allowed.has(wantedFor(one)) && !isQuestion(one),
  );
  return [...new Set(refused.map(({ user, request }) => `refused: ${user} ${request}`))];
}

/** To the front a refusal says that no driver reads what operating-system-manager makes there. */
function isQuestion({ user, request, namespace }: AuditedRequest): boolean {
  return (
    user === 'millwright-front' && request === 'get secrets' && namespace === cloudInitSettings
  );
}

function keyOf({ user, request }: Pick<AuditedRequest, 'user' | 'request'>): string {
  return `${user} ${request}`;
}

interface ObjectRef {
  apiGroup?: string;
  resource?: string;
  subresource?: string;
  namespace?: string;
}

interface AuditLine {
  verb: string;
  user: { username: string };
  objectRef?: ObjectRef;
  annotations?: Record<string, string>;
}

/** One of each kind and namespace, of our users alone. */
export async function auditedRequests(file: string): Promise<AuditedRequest[]> {
  const seen = new Map<string, AuditedRequest>();
  for await (const text of createInterface({ input: createReadStream(file) })) {
    const one = requestIn(text);
    if (one !== undefined) seen.set(JSON.stringify(one), one);
  }
  return [...seen.values()];
}

function requestIn(text: string): AuditedRequest | undefined {
  // Most lines are of others. The API server may be writing the last one.
  if (!text.includes('"username":"millwright-') || !text.endsWith('}')) return undefined;
  const { verb, user, objectRef, annotations }: AuditLine = JSON.parse(text);
  // Versions and discovery are open to all.
  if (objectRef?.resource === undefined) return undefined;
  return {
    user: user.username,
    request: requestText({ verb, ...targetOf(objectRef) }),
    namespace: objectRef.namespace,
    isRefused: annotations?.['authorization.k8s.io/decision'] === 'forbid',
  };
}

function targetOf({ apiGroup: group = '', resource = '', ...rest }: ObjectRef) {
  const { subresource, namespace } = rest;
  return {
    group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    isToken: resource === 'secrets' && namespace === ofTokens,
  };
}

/**
 * After end-to-end tests. `isWhole`: all files ran, so that every right should have been used.
 * Throws with all faults.
 */
export async function checkRights(
  auditLog: string,
  { isWhole }: { isWhole: boolean },
): Promise<void> {
  const requests = await auditedRequests(auditLog);
  const faults = isWhole ? rightsFaults(grantsOfChart(), requests) : refusalsIn(requests);
  if (faults.length > 0) {
    const where = 'deploy/helm/millwright/templates/_rights.tpl has the rights:';
    throw new Error([where, ...faults].join('\n  '));
  }
}
