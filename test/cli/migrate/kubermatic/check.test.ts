/** Findings on a pool of machine-controller in the middle of a rollout. */
import { check } from '../../../../cli/migrate/kubermatic/check.ts';
import { flagsOf } from '../../../../cli/migrate/kubermatic/flags.ts';
import { front, kubermaticAnnotations } from '../../../../workflows/api/kubermatic-names.ts';
import { inKubeSystem, joined, namespace, paths, process, TheirCluster } from './their-cluster.ts';

/** `hinders pools: ...` of all that is not in order; without what is so from the start. */
async function findings(change: (cluster: TheirCluster) => void = () => undefined) {
  const cluster = new TheirCluster();
  cluster.settle();
  change(cluster);
  const { text, exitCode } = await check({ kube: cluster, namespace }, inKubeSystem);
  expect(cluster.writes().filter((call) => !call.endsWith('reviews'))).toEqual([]);
  const lines = text.split('\n').filter((line) => /^(hinders|note) /.test(line));
  expect(exitCode).toBe(lines.some((line) => line.startsWith('hinders')) ? 1 : 0);
  return lines
    .map((line) => line.replaceAll(/ +/g, ' '))
    .filter((line) => !/the CRDs of cluster|sshKeys is not given/.test(line));
}

test('a pool in the middle of a rollout can be taken over', async () => {
  expect(await findings()).toEqual([]);
});

const [old, fresh] = joined;

test.each<[string, (cluster: TheirCluster) => void, RegExp]>([
  [
    'a Machine whose server is being made',
    (cluster) => cluster.unsettle(),
    /^hinders pools Machine web-7f4c8b956d-zz5t9: its instance is not known, as no Node has joined/,
  ],
  [
    'two Machines with one instance',
    (cluster) => {
      const { status } = cluster.machine(old);
      cluster.change(paths.machine(fresh), {
        status,
        metadata: { uid: cluster.machine(old).metadata.uid },
      });
    },
    /^hinders pools Machines web-659dc857fb-8x4hd, web-7f4c8b956d-q7w2k have one instance, hcloud:\/\/\/fsn1\/50000041/,
  ],
  [
    'a Node that went',
    (cluster) => cluster.change(paths.machine(old), { status: { nodeRef: { name: 'gone' } } }),
    /^hinders pools Machine web-659dc857fb-8x4hd: its instance is not known, as its Node gone is gone/,
  ],
  [
    'initializers',
    (cluster) =>
      cluster.change(paths.machine(old), {
        metadata: { annotations: { [kubermaticAnnotations.initializers]: 'x' } },
      }),
    /^hinders pools Machine web-659dc857fb-8x4hd: it has annotation .*initializers/,
  ],
  [
    'a Machine of another controller',
    (cluster) =>
      cluster.change(paths.machine(old), {
        metadata: { labels: { 'machine.k8s.io/controller': 'b' } },
      }),
    /^hinders controller its flag -name is "", and label .* of Machines web-659dc857fb-8x4hd/,
  ],
  [
    'a terminal error',
    (cluster) =>
      cluster.change(paths.machine(old), {
        status: { errorReason: 'CreateError', errorMessage: 'quota' },
      }),
    /^note pools Machine web-659dc857fb-8x4hd: CreateError, quota/,
  ],
  [
    'a set that is being deleted',
    (cluster) =>
      cluster.change(paths.set, { metadata: { deletionTimestamp: '2026-10-05T12:00:00Z' } }),
    /^hinders pools MachineSet web-659dc857fb: it is being deleted/,
  ],
  [
    'a provider without a table',
    (cluster) => cluster.template(paths.deployment, { cloudProvider: 'edge' }),
    /^hinders pools MachineDeployment web: .*cloudProvider "edge" cannot be translated/,
  ],
  [
    'a field that cannot be said, in an old template alone',
    (cluster) =>
      cluster.template(paths.set, { cloudProviderSpec: { placementGroupPrefix: 'web' } }),
    /^hinders pools MachineSet web-659dc857fb: cloudProviderSpec.placementGroupPrefix "web" cannot be said/,
  ],
  [
    'a set without a deployment',
    (cluster) => cluster.change(paths.set, { metadata: { ownerReferences: [] } }),
    /^note pools MachineSet web-659dc857fb belongs to no MachineDeployment/,
  ],
  [
    'a name that is ours',
    (cluster) =>
      cluster.put({
        apiVersion: 'machine.sapcloud.io/v1alpha1',
        kind: 'Machine',
        metadata: { name: old, namespace },
        spec: { class: { kind: 'MachineClass', name: 'x' } },
      }),
    /^hinders pools Machine web-659dc857fb-8x4hd: Millwright has one of this name/,
  ],
  [
    'a Lease of somebody else',
    (cluster) => cluster.objects.delete(paths.controller),
    /^hinders leases Lease kube-system\/machine-controller is held by .*, which is no pod of the Deployment/,
  ],
  [
    'no Lease at all',
    (cluster) =>
      cluster.store(
        paths.controller,
        process('machine-controller', ['-enable-leader-election=false']),
      ),
    /^hinders controller -enable-leader-election=false/,
  ],
  [
    'another Lease than the front goes by',
    (cluster) =>
      cluster.store(
        paths.controller,
        process('machine-controller', ['-leader-election-namespace', 'mc']),
      ),
    /^hinders millwright Deployment front does not go by the Lease .*--machine-controller-lease=mc\/machine-controller/,
  ],
  [
    'a watcher that would hold it as one of MCM',
    (cluster) =>
      cluster.change(`/apis/apps/v1/namespaces/${namespace}/deployments/watcher`, {
        spec: {
          template: { spec: { containers: [{ name: 'x', args: [`--namespace=${namespace}`] }] } },
        },
      }),
    /^hinders millwright Deployment watcher does not go by the Lease .*=kube-system\/machine-controller/,
  ],
  [
    'pools in another namespace',
    (cluster) =>
      cluster.store(paths.deployment.replace(namespace, 'other'), {
        metadata: { ...cluster.machine(old).metadata, name: 'x', namespace: 'other' },
      }),
    /^note controller it acts in namespace other as well/,
  ],
  [
    'a webhook of another',
    (cluster) => cluster.addWebhook('machinedeployments.osm.k8c.io'),
    /^note webhooks machinedeployments.osm.k8c.io of .* is asked about cluster.k8s.io too/,
  ],
  [
    'a missing right',
    (cluster) => cluster.refused.add('list nodes'),
    /^hinders rights you may not list nodes/,
  ],
])('the check finds %s', async (_what, change, expected) => {
  expect(await findings(change)).toContainEqual(expect.stringMatching(expected));
});

test('what the front serves is no hindrance', async () => {
  const found = await findings((cluster) => {
    for (const path of cluster.objects.keys()) {
      if (/\/machine(s|sets|deployments)\//.test(path)) {
        cluster.change(path, { metadata: { finalizers: [front.finalizer] } });
      }
    }
  });
  expect(found.filter((line) => line.startsWith('hinders'))).toEqual([]);
});

test('flags as values of the chart', () => {
  const words = [
    '-join-cluster-timeout=25m',
    '--skip-eviction-after',
    '2h0m0s',
    '-node-csr-approver',
    '-worker-count=5',
    '-cluster-dns=10.10.10.10',
    '-leader-election-namespace=mc',
    '-new-flag=1',
  ];
  expect(flagsOf(process('machine-controller', words))).toEqual({
    values: {
      front: {
        enabled: true,
        joinClusterTimeout: '25m',
        machineControllerLease: 'mc/machine-controller',
      },
      workers: { worker: { flags: { 'approve-kubelet-serving': 'true' } } },
    },
    leftOut: [
      '--worker-count: the worker has --concurrent-syncs, 50 by default',
      '--cluster-dns: has no effect with machine-controller either',
    ],
    unknown: ['new-flag'],
    name: '',
    isWithoutLease: false,
    lease: { namespace: 'mc', name: 'machine-controller' },
  });
});
