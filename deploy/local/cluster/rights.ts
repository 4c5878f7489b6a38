/**
 * The rights of the chart, as `deploy/manifests` has them, for the users of the local stack. They
 * are bound as in production: roles of the control cluster in one namespace, others in the whole
 * cluster.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repository, type User } from '../layout.ts';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}

export interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

export interface Role extends Manifest {
  rules: Rule[];
}

interface Policy extends Manifest {
  spec: {
    matchConstraints: { namespaceSelector: unknown };
    matchConditions: { name: string; expression: string }[];
  };
}

/** They serve everything; the others a part. */
const wholeWorkers: readonly User[] = ['millwright-worker', 'millwright-controller'];
const workers: readonly User[] = [
  ...wholeWorkers,
  'millwright-core',
  'millwright-drain',
  'millwright-driver',
];

const usersOf: Readonly<Record<string, readonly User[]>> = {
  watcher: ['millwright-watcher', 'millwright-controller'],
  worker: workers,
  core: [...wholeWorkers, 'millwright-core'],
  drain: [...wholeWorkers, 'millwright-drain'],
  driver: [...wholeWorkers, 'millwright-driver', 'millwright-external'],
  front: ['millwright-front'],
  serving: [...wholeWorkers, 'millwright-core'],
  fleet: ['millwright-watcher', ...wholeWorkers],
  identity: ['millwright-watcher', ...workers],
};

const file = join(repository, 'deploy/manifests/install.yaml');
/** What `--approve-kubelet-serving` needs: here any worker may be given the flag. */
const servingFile = join(repository, 'deploy/manifests/serving-rights.yaml');
const frontFile = join(repository, 'deploy/manifests/front.yaml');
const fleetFile = join(repository, 'deploy/manifests/fleet.yaml');
/** Namespace of the release that the file shows. */
const shownNamespace = 'machines';

function shown(of = file): Manifest[] {
  return manifestsIn(readFileSync(of, 'utf8'));
}

function manifestsIn(text: string): Manifest[] {
  return parseAllDocuments(text).map((document): Manifest => document.toJS());
}

/**
 * Rights that a cluster has once: roles of the cluster and kube-system, and the rule for tokens.
 */
export function rightsOfCluster(): Manifest[] {
  const roles = [...shown(), ...shown(servingFile)].filter(isRole);
  return [
    ...roles.filter(({ metadata }) => metadata.namespace !== shownNamespace).flatMap(bound),
    ...policiesFor('-tokens', 'kube-system'),
  ];
}

/** Rights in each namespace with Machines. */
export function rightsIn(namespace: string): Manifest[] {
  const ours = namespacedRoles().map((role) => ({
    ...role,
    metadata: { name: role.metadata.name, namespace },
  }));
  return [...ours.flatMap(bound), ...policiesFor('-secrets', namespace)];
}

/** The same in all namespaces: of one that is deleted the Roles go first, and the Machines stay. */
export function rightsOutlasting(namespace: string): Manifest[] {
  const ours = namespacedRoles().map((role): Role => ({
    ...role,
    kind: 'ClusterRole',
    metadata: { name: role.metadata.name },
  }));
  return [...ours.flatMap(bound), ...policiesFor('-secrets', namespace)];
}

/**
 * Rights of a fleet's processes in all namespaces, as in the chart's example of a fleet: the
 * Namespaces themselves, and the Secret `target` in each.
 */
export function rightsOfFleet(): Manifest[] {
  return shown(fleetFile)
    .filter(isRole)
    .filter(({ metadata }) => metadata.name.endsWith('-fleet'))
    .flatMap(bound);
}

/** Rights and rules of admission of the front in one namespace. */
export function rightsOfFront(namespace: string): Manifest[] {
  const text = readFileSync(frontFile, 'utf8')
    .replaceAll(`system:serviceaccount:${shownNamespace}:`, '')
    .replaceAll(`${shownNamespace}.millwright-`, `${namespace}.millwright-`)
    .replaceAll(`name: "${shownNamespace}"`, `name: "${namespace}"`)
    .replaceAll(`namespace: "${shownNamespace}"`, `namespace: "${namespace}"`);
  return manifestsIn(text).flatMap((object) => {
    if (isRole(object)) return bound(object);
    return object.kind.startsWith('ValidatingAdmissionPolicy') ? [object] : [];
  });
}

/** Roles of a namespace with Machines. */
export function namespacedRoles(): Role[] {
  return shown()
    .filter(isRole)
    .filter(({ metadata }) => metadata.namespace === shownNamespace);
}

/** Reports whether a role is for a process: those for people are bound to no user of ours. */
export function isRole(object: Manifest): object is Role {
  const isOfPeople = object.metadata.name.includes('-people-');
  return !isOfPeople && (object.kind === 'Role' || object.kind === 'ClusterRole');
}

function isPolicy(object: Manifest): object is Policy {
  return object.kind === 'ValidatingAdmissionPolicy';
}

function bound(role: Role): Manifest[] {
  return [role, bindingOf(role, usersIn(role.metadata.name))];
}

/** Gives a role to users. */
export function bindingOf({ apiVersion, kind, metadata }: Role, users: readonly User[]) {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup, kind, name: metadata.name },
    subjects: users.map((name) => ({ apiGroup, kind: 'User', name })),
  };
}

/** Users who have a role in the local stack: `machines.millwright-target-core` is one of `core`. */
export function usersIn(roleName: string): readonly User[] {
  const users = usersOf[roleName.slice(roleName.lastIndexOf('-') + 1)];
  if (users === undefined) throw new Error(`${file}: role ${roleName} is of no known part`);
  return users;
}

/** The policy whose name ends so, and its binding, for our users. */
function policiesFor(ending: string, namespace: string): Manifest[] {
  const found = shown().filter(({ metadata }) => metadata.name.endsWith(ending));
  return found
    .filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy'))
    .map((object) => {
      const metadata = { name: `${namespace}.${object.metadata.name}` };
      if (object.kind.endsWith('Binding'))
        return {
          ...object,
          metadata,
          spec: { policyName: metadata.name, validationActions: ['Deny'] },
        };
      return { ...object, metadata, spec: specFor(object, namespace) };
    });
}

function specFor(object: Manifest, namespace: string): Policy['spec'] {
  if (!isPolicy(object)) throw new Error(`${file}: ${object.metadata.name} has no spec`);
  const { spec } = object;
  const users = JSON.stringify(usersOf['identity']);
  return {
    ...spec,
    matchConstraints: {
      ...spec.matchConstraints,
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    },
    matchConditions: [{ name: 'who', expression: `request.userInfo.username in ${users}` }],
  };
}
