/** The flags of machine-controller (at f1068332) -> values of the chart. */
import { parseDuration } from '../../../workflows/api/duration.ts';
import { kubermaticLease } from '../../../workflows/api/kubermatic-names.ts';
import type { NamespacedName } from '../../../workflows/contracts/references.ts';
import { containersOf, type Container, type Deployment } from '../../install/deployments.ts';

type FlagTexts = Readonly<Record<string, string>>;

export interface FlagsOfController {
  values: {
    front: { enabled: true; [value: string]: string | true };
    workers?: { worker: { flags: FlagTexts } };
  };
  /** `--name: why`: what is done elsewhere, or by other means. */
  leftOut: string[];
  /** Not known at the version that was read. */
  unknown: string[];
  /** Only Machines with this label `machine.k8s.io/controller` are its; empty: those without. */
  name: string;
  isWithoutLease: boolean;
  lease: NamespacedName;
}

const userData = 'part of the user data: docs/user-data.md';
const chart = 'the chart chooses it';
const noEffect = 'has no effect with machine-controller either';

const leftOutBecause: Readonly<Record<string, string>> = {
  kubeconfig: 'values control.* and target.*',
  master: 'values control.* and target.*',
  'worker-count': 'the worker has --concurrent-syncs, 50 by default',
  'health-probe-address': chart,
  'metrics-address': chart,
  'enable-profiling': chart,
  'log-debug': 'value flags.log-level',
  'log-format': 'the chart writes JSON',
  'ca-bundle': 'variable NODE_EXTRA_CA_CERTS of the worker',
  'bootstrap-token-service-account-name': userData,
  'override-bootstrap-kubelet-apiserver': userData,
  'node-external-cloud-provider': userData,
  'node-kubelet-feature-gates': userData,
  'node-port-range': 'Millwright makes no security groups',
  'cluster-dns': noEffect,
  'use-external-bootstrap': noEffect,
  'node-http-proxy': noEffect,
  'node-no-proxy': noEffect,
  'node-insecure-registries': noEffect,
  'node-registry-mirrors': noEffect,
  'node-pause-image': noEffect,
  'node-container-runtime': noEffect,
  'node-containerd-version': noEffect,
  'node-containerd-registry-mirrors': noEffect,
  'node-registry-credentials-secret': noEffect,
};

/** Said by other means: see `flagsOf`. */
const read = [
  'name',
  'enable-leader-election',
  'leader-election-namespace',
  'join-cluster-timeout',
  'skip-eviction-after',
  'node-csr-approver',
];

const booleans = new Set([
  'enable-leader-election',
  'enable-profiling',
  'log-debug',
  'node-csr-approver',
  'node-external-cloud-provider',
  'use-external-bootstrap',
]);

export function flagsOf(controller: Deployment | undefined): FlagsOfController {
  const given = new Map(controller ? containersOf(controller).flatMap(flagsIn) : []);
  const lease = {
    namespace: given.get('leader-election-namespace') || kubermaticLease.namespace,
    name: kubermaticLease.name,
  };
  // Off by default with Millwright, and on with machine-controller.
  const approves = controller !== undefined && given.get('node-csr-approver') !== 'false';
  return {
    values: {
      front: { enabled: true, ...ofFront(given, lease) },
      ...(approves && { workers: { worker: { flags: { 'approve-kubelet-serving': 'true' } } } }),
    },
    leftOut: [...given.keys()].flatMap((name) => {
      const why = leftOutBecause[name];
      return why === undefined ? [] : [`--${name}: ${why}`];
    }),
    unknown: [...given.keys()].filter((name) => !read.includes(name) && !(name in leftOutBecause)),
    name: given.get('name') ?? '',
    isWithoutLease: given.get('enable-leader-election') === 'false',
    lease,
  };
}

function ofFront(given: ReadonlyMap<string, string>, lease: NamespacedName): FlagTexts {
  const join = given.get('join-cluster-timeout');
  const eviction = given.get('skip-eviction-after');
  const isOwnEviction = eviction !== undefined && parseDuration(eviction) !== 2 * 3_600;
  return {
    ...(join && { joinClusterTimeout: join }),
    ...(isOwnEviction && { skipEvictionAfter: eviction }),
    ...(lease.namespace !== kubermaticLease.namespace && {
      machineControllerLease: `${lease.namespace}/${lease.name}`,
    }),
  };
}

/** Go takes one dash or two, and the value of all but a boolean also as the next word. */
function flagsIn({ command = [], args = [] }: Container): [name: string, text: string][] {
  const words = [...command, ...args].values();
  const found: [string, string][] = [];
  for (const word of words) {
    const [, name, text] = /^--?([a-z][-\w]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) continue;
    const next = booleans.has(name) ? 'true' : undefined;
    found.push([name, text ?? next ?? words.next().value ?? '']);
  }
  return found;
}
