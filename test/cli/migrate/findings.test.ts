import { replicasBefore, type Deployment } from '../../../cli/install/deployments.ts';
import type { Facts } from '../../../cli/migrate/facts.ts';
import { findingsOf } from '../../../cli/migrate/findings.ts';
import { translate } from '../../../cli/migrate/flags.ts';
import { apiVersion } from '../../../workflows/api/constants.ts';
import type { InPlaceReason } from '../../../workflows/api/in-place.ts';
import { inPlaceUpdate } from '../../../workflows/api/in-place.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../../workflows/api/machine.ts';

const served = [
  'machines',
  'machines/status',
  'machinesets',
  'machinesets/status',
  'machinesets/scale',
  'machinedeployments',
  'machinedeployments/status',
  'machinedeployments/scale',
  'machineclasses',
];
const nobody = {
  'machine-controller-manager': undefined,
  'machine-controller': undefined,
  millwright: undefined,
};

const stored = { uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

function aDeployment(name: string, replicas: number, more: object = {}): Deployment {
  const metadata = { ...stored, name };
  const image = 'registry/machine-controller-manager:v0.62.1';
  const spec = { replicas, template: { spec: { containers: [{ name: 'manager', image }] } } };
  return { metadata, spec, ...more };
}

/** `hinders features: ...` of all that is not in order. */
function notesOn(changes: Partial<Facts>, externalProviders: string[] = [], words: string[] = []) {
  const facts: Facts = {
    namespace: 'shoot',
    kubernetes: 'v1.33.2',
    served,
    mcm: [],
    policy: undefined,
    ours: [],
    holders: nobody,
    classes: [],
    deployments: [],
    sets: [],
    machines: [],
    missingRights: [],
    unread: [],
    ...changes,
  };
  const translation = translate([{ component: 'worker', words }], 'shoot');
  return findingsOf({ facts, translation, externalProviders })
    .filter(({ state, what }) => state !== 'ok' && what !== 'millwright')
    .map(({ state, what, text }) => `${state} ${what}: ${text}`);
}

const metadata = { ...stored, name: 'one' };

const aSpec = {
  ami: 'ami-1',
  region: 'eu-west-1',
  machineType: 'm5.large',
  iam: { name: 'nodes' },
  networkInterfaces: [{ subnetID: 'subnet-1', securityGroupIDs: ['sg-1'] }],
  // As Gardener's chart spells it, and as it does not.
  BlockDevices: [{ ebs: { volumeType: 'gp3', volumeSize: 50 } }],
  tags: { 'kubernetes.io/cluster/a': '1', 'kubernetes.io/role/node': null },
};

function aClass(changes: Partial<MachineClass>): MachineClass {
  return {
    apiVersion,
    kind: 'MachineClass',
    metadata,
    provider: 'AWS',
    providerSpec: aSpec,
    ...changes,
  };
}

const hasNoHash = { key: 'machine-template-hash', operator: 'DoesNotExist' };

function aPool(spec: Partial<MachineDeployment['spec']>): MachineDeployment {
  const template = {
    metadata: { labels: { pool: 'a' } },
    spec: { class: { kind: 'MachineClass', name: 'small' } },
  };
  const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
  return {
    apiVersion,
    kind: 'MachineDeployment',
    metadata,
    spec: {
      selector: { matchLabels: { pool: 'a' } },
      strategy: { type: 'RollingUpdate', rollingUpdate },
      template,
      ...spec,
    },
  };
}

function aMachine(status: Machine['status']): Machine {
  const spec = { class: { kind: 'MachineClass', name: 'small' } };
  return { apiVersion, kind: 'Machine', metadata, spec, ...(status && { status }) };
}

const inPlace = (reason: InPlaceReason) => ({
  type: inPlaceUpdate,
  status: 'True' as const,
  reason,
});

test('nothing hinders where there is nothing, and no MCM', () => {
  expect(notesOn({})).toEqual([]);
  expect(notesOn({ served: [] })).toEqual([expect.stringMatching(/^note api: no CRDs/)]);
});

test.each<{ name: string; facts: Partial<Facts>; says: RegExp; words?: string[] }>([
  {
    name: 'an old Kubernetes',
    facts: { kubernetes: 'v1.29.1' },
    says: /^hinders kubernetes: v1.29.1; .*1.30/,
  },
  {
    name: 'CRDs that are older',
    facts: { served: served.filter((one) => one !== 'machinesets/scale') },
    says: /^hinders api: .* no machinesets\/scale.*older.*kubectl apply/,
  },
  {
    name: 'another version of MCM',
    facts: {
      mcm: [
        aDeployment('mcm', 1, {
          spec: {
            template: {
              spec: { containers: [{ name: 'm', image: 'x/machine-controller-manager:v0.50.0' }] },
            },
          },
        }),
      ],
    },
    says: /^note mcm: .*v0.50.0: Millwright was compared with v0.62/,
  },
  {
    name: 'a policy that MCM works against',
    facts: { mcm: [aDeployment('machine-controller-manager', 1)], policy: 'policy x keeps MCM' },
    says: /^hinders mcm: policy x keeps MCM/,
  },
  {
    name: 'a policy that would keep MCM from going on',
    facts: { mcm: [aDeployment('machine-controller-manager', 0)], policy: 'policy x keeps MCM' },
    says: /^note mcm: policy x keeps MCM/,
  },
  {
    name: 'a flag that nobody knows',
    facts: {},
    words: ['--invented'],
    says: /^hinders flags: --invented is not known/,
  },
  {
    name: 'a flag without effect',
    facts: {},
    words: ['--profiling'],
    says: /^note flags: no effect: --profiling/,
  },
  {
    name: 'no leader election',
    facts: {},
    words: ['--leader-elect=false'],
    says: /^hinders flags: --leader-elect=false: MCM acts without its Lease/,
  },
  {
    name: 'both at work',
    facts: { holders: { ...nobody, 'machine-controller': 'pod-1', millwright: 'pod-2' } },
    says: /^hinders leases: both are at work: millwright is held by pod-2, and machine-controller is held by pod-1/,
  },
  {
    name: 'an MCM under another name',
    facts: { holders: { ...nobody, 'machine-controller': 'pod-1' } },
    says: /^hinders leases: .*by none of the Deployments.*--mcm-deployment/,
  },
  {
    name: 'a provider without a driver',
    facts: { classes: [aClass({ provider: 'stackit' })] },
    says: /^hinders features: MachineClass one: no driver of provider "stackit".*--external-provider stackit/,
  },
  {
    name: 'a Secret elsewhere',
    facts: { classes: [aClass({ secretRef: { name: 's', namespace: 'garden' } })] },
    says: /^hinders features: MachineClass one: Secret garden\/s is in another namespace/,
  },
  {
    name: 'a class that a driver here does not take',
    facts: { classes: [aClass({ providerSpec: { ...aSpec, blockDevices: [], machineType: 3 } })] },
    says: /^note objects: MachineClass one is invalid: providerSpec.machineType: 3 is not a string: put it in quotes; providerSpec.blockDevices: \[\] is not a list with at least 1 of them$/,
  },
  {
    name: 'an object that MCM ignores',
    facts: { deployments: [aPool({ selector: { matchLabels: { pool: 'b' } } })] },
    says: /^note objects: MachineDeployment one is invalid: spec.selector.matchLabels/,
  },
  {
    name: 'a selector with the label of one set',
    facts: { deployments: [aPool({ selector: { matchExpressions: [hasNoHash] } })] },
    says: /^note objects: MachineDeployment one is invalid: spec.selector: .*machine-template-hash/,
  },
  {
    name: 'a machine that boots',
    facts: { machines: [aMachine({ currentStatus: { phase: 'Pending' } })] },
    says: /^note progress: being created: one/,
  },
  {
    name: 'a create that is refused',
    facts: { machines: [aMachine({ currentStatus: { phase: 'CrashLoopBackOff' } })] },
    says: /^note progress: refused by the cloud so far: one/,
  },
  {
    name: 'a Node that is drained for an update in place',
    facts: {
      machines: [
        aMachine({
          currentStatus: { phase: 'Running' },
          conditions: [inPlace('SelectedForUpdate')],
        }),
      ],
    },
    says: /^note progress: updated in place: one/,
  },
  {
    name: 'a Node that an agent updates',
    facts: { machines: [aMachine({ currentStatus: { phase: 'InPlaceUpdating' } })] },
    says: /^note progress: updated in place: one/,
  },
  {
    name: 'a right that is missing',
    facts: { missingRights: ['patch deployments.apps in shoot'] },
    says: /^hinders rights: you may not patch deployments.apps in shoot/,
  },
  {
    name: 'what could not be read',
    facts: { unread: ['Leases'] },
    says: /^hinders rights: Leases could not be read/,
  },
])('the check names $name', ({ facts, says, words }) => {
  expect(notesOn(facts, [], words)).toEqual([expect.stringMatching(says)]);
});

test('a pool that is updated in place hinders nothing, nor does a Node before and after it', () => {
  const limits = { maxSurge: 1, maxUnavailable: 1, orchestrationType: 'Auto' as const };
  const machines = [inPlace('CandidateForUpdate'), inPlace('UpdateSuccessful')].map((condition) =>
    aMachine({ currentStatus: { phase: 'Running' }, conditions: [condition] }),
  );
  const deployments = [aPool({ strategy: { type: 'InPlaceUpdate', inPlaceUpdate: limits } })];
  expect(notesOn({ deployments, machines })).toEqual([]);
});

test('a provider that a driver of its own serves does not hinder', () => {
  const classes = [aClass({ provider: 'stackit' })];
  expect(notesOn({ classes }, ['stackit'])).toEqual([]);
});

test("MCM's own Lease, and ours after a take-over, are in order", () => {
  const mcm = [aDeployment('machine-controller-manager', 1)];
  expect(notesOn({ mcm, holders: { ...nobody, 'machine-controller': 'pod-1' } })).toEqual([]);
  const ours = { 'machine-controller-manager': 'w', 'machine-controller': 'w', millwright: 'w' };
  expect(notesOn({ mcm: [aDeployment('machine-controller-manager', 0)], holders: ours })).toEqual(
    [],
  );
});

test('Leases that MCM has left to run out do not hinder a take-over that is run again', () => {
  const holders = { ...nobody, 'machine-controller': 'machine-controller-manager-7d9c5-x2x_5f1' };
  const annotations = { [replicasBefore]: '1' };
  const scaled = aDeployment('machine-controller-manager', 0);
  const mcm = [{ ...scaled, metadata: { ...scaled.metadata, annotations } }];
  expect(notesOn({ mcm, holders })).toEqual([]);
  const unknown = [expect.stringMatching(/^hinders leases: .*by none of the Deployments/)];
  expect(notesOn({ mcm: [scaled], holders })).toEqual(unknown);
  const ofAnother = { ...nobody, 'machine-controller': 'mcm-7d9c5-x2x_5f1' };
  expect(notesOn({ mcm, holders: ofAnother })).toEqual(unknown);
});
