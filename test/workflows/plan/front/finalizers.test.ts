/** Finalizers of Machines of theirs, as they come, stay and go. */
import type { KubermaticMachine } from '../../../../workflows/api/kubermatic.ts';
import { finalizersOfOthers, type PoolFacts } from '../../../../workflows/plan/front/facts.ts';
import { planHandBack } from '../../../../workflows/plan/front/hand-back.ts';

const metadata = (finalizers: string[]) => ({
  name: 'm',
  namespace: 'n',
  uid: 'uid',
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
  finalizers,
});

function handedBack(cloudProvider: string, finalizers: string[]): unknown {
  const machine: KubermaticMachine = {
    apiVersion: 'cluster.k8s.io/v1alpha1',
    kind: 'Machine',
    metadata: metadata(['front.millwright.dev/mirror', ...finalizers]),
    spec: { providerSpec: { value: { cloudProvider } } },
  };
  const facts: PoolFacts = {
    theirs: {
      deployment: {
        apiVersion: 'cluster.k8s.io/v1alpha1',
        kind: 'MachineDeployment',
        metadata: metadata([]),
        spec: { selector: {}, template: { spec: machine.spec } },
      },
      sets: [],
      machines: [machine],
    },
    ours: {
      deployment: undefined,
      sets: [],
      machines: [],
      classes: [],
      secrets: [],
      configMaps: [],
    },
    templates: new Map(),
    current: '',
    nodes: new Map(),
    providerIDs: new Map(),
    leaseHolder: undefined,
    now: '2026-01-01T00:00:00Z',
  };
  const plan = planHandBack(facts);
  return 'writes' in plan ? plan.writes.find(({ kind }) => kind === 'theirMachine') : plan;
}

const usual = ['machine-delete-finalizer', 'machine-node-delete-finalizer'];
const ofAzure = ['vm', 'disks', 'nic'].map((part) => `kubermatic.io/cleanup-azure-${part}`);

test.each([
  ['aws', [], usual],
  ['azure', [], [...usual, ...ofAzure]],
  ['azure', ofAzure.slice(0, 1), [...ofAzure.slice(0, 1), ...usual, ...ofAzure.slice(1)]],
  [
    'openstack',
    ['kubermatic.io/release-openstack-floating-ip'],
    ['kubermatic.io/release-openstack-floating-ip', ...usual],
  ],
])('machine-controller cleans up in %s what has %j before', (cloudProvider, before, finalizers) => {
  expect(handedBack(cloudProvider, before)).toMatchObject({ body: { metadata: { finalizers } } });
});

test('when ours is gone only the finalizers of others hold up theirs', () => {
  const finalizers = ['front.millwright.dev/mirror', ...usual, ...ofAzure, 'example.com/backup'];
  expect(finalizersOfOthers({ metadata: metadata(finalizers) })).toEqual(['example.com/backup']);
});
