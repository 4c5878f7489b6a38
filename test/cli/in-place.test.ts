/** What the command says of an update in place, and what it does to one. */
import { act } from '../../cli/act/act.ts';
import type { ActOptions } from '../../cli/act/act.ts';
import { diagnose } from '../../cli/diagnosis/diagnose.ts';
import { explainMachine } from '../../cli/explain/machine.ts';
import { explainDeployment } from '../../cli/explain/pools.ts';
import type { Install } from '../../cli/install/install.ts';
import { poolsOf } from '../../cli/install/pools.ts';
import { progressOf } from '../../cli/install/rollout.ts';
import { statusAnswer } from '../../cli/status/status.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import { annotations, labels, options } from '../../workflows/api/constants.ts';
import { drainBlockerOf } from '../../workflows/api/drain-failure.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { NodeCondition } from '../../workflows/api/meta.ts';
import type { MachinePhase } from '../../workflows/api/phases.ts';
import { ReviewingClient } from '../support/api-server/reviewing-client.ts';
import { aNode } from '../support/builders.ts';
import { readArguments } from '../support/command-line.ts';
import { anInstall, aMachine, metaOf, minutesAgo, now } from './diagnosis/objects.ts';

const apiVersion = 'machine.sapcloud.io/v1alpha1';
const ownedBy = (kind: string, name: string) => ({
  ownerReferences: [
    { apiVersion, kind, name, uid: `uid-of-${name}`, controller: true, blockOwnerDeletion: true },
  ],
});

interface PoolChanges {
  orchestrationType?: 'Auto' | 'Manual';
  notes?: Record<string, string>;
  replicas?: number;
}

const aPool = (changes: PoolChanges = {}): MachineDeployment => ({
  apiVersion,
  kind: 'MachineDeployment',
  metadata: metaOf('pool', { annotations: changes.notes ?? {} }),
  spec: {
    replicas: changes.replicas ?? 3,
    template: {},
    strategy: {
      type: 'InPlaceUpdate',
      inPlaceUpdate: {
        maxSurge: 0,
        maxUnavailable: 1,
        orchestrationType: changes.orchestrationType ?? 'Auto',
      },
    },
  },
});

/** `old`, which is closed, and `new`. */
const aSet = (name: 'old' | 'new'): MachineSet => ({
  apiVersion,
  kind: 'MachineSet',
  metadata: metaOf(name, {
    ...ownedBy('MachineDeployment', 'pool'),
    annotations: { [annotations.revision]: name === 'old' ? '1' : '2' },
    labels: name === 'old' ? { [labels.scaleUpDisabled]: 'true' } : {},
  }),
  spec: { replicas: 1 },
});

const condition = (reason: string, message: string): NodeCondition => ({
  type: 'InPlaceUpdate',
  status: 'True',
  reason,
  message,
  lastTransitionTime: minutesAgo(5),
});

interface Where {
  phase?: MachinePhase;
  reason?: string;
  message?: string;
  description?: string;
  state?: 'Failed' | 'Processing';
  name?: string;
  set?: 'old' | 'new';
}

function updating(where: Where = {}): Machine {
  const { phase = 'Running', reason, message = 'in words', name = 'a', set = 'old' } = where;
  const { description = 'said last', state = 'Processing' } = where;
  return aMachine(name, {
    metadata: { ...ownedBy('MachineSet', set), labels: { [labels.node]: `node-${name}` } },
    spec: { providerID: `virtual:///a/i-${name}` },
    status: {
      currentStatus: { phase, lastUpdateTime: minutesAgo(4) },
      lastOperation: { description, state },
      conditions: reason === undefined ? [] : [condition(reason, message)],
    },
  });
}

const failed: Where = {
  phase: 'InPlaceUpdateFailed',
  reason: 'UpdateFailed',
  message: 'Node in-place update failed: kubelet did not start',
};

function installOf(machines: Machine[], pool = aPool()): Install {
  return anInstall({ deployments: [pool], sets: [aSet('old'), aSet('new')], machines });
}

const explained = (machine: Machine, pool = aPool(), node?: Node) =>
  explainMachine(machine, { install: installOf([machine], pool), node });

/** In minutes. */
const ago = (time?: number) => time && (now - time) / 60_000;

test.each<[where: Where, awaits: { what: string; since: number; until?: number; sequel?: string }]>(
  [
    [{ reason: 'CandidateForUpdate' }, { what: 'its turn to be updated in place', since: 5 }],
    [
      { reason: 'SelectedForUpdate' },
      {
        what: 'its pods, which have to leave its Node before it is updated in place',
        since: 5,
        until: -115,
        sequel: 'what is left of them is deleted by force',
      },
    ],
    [
      { phase: 'InPlaceUpdating', reason: 'ReadyForUpdate' },
      {
        what: 'the agent on its Node node-a, which has to update it',
        since: 4,
        until: -16,
        sequel: 'its update has failed',
      },
    ],
    [
      failed,
      { what: 'a person, or the agent on its Node node-a, which may still succeed', since: 4 },
    ],
    [
      { phase: 'InPlaceUpdateSuccessful', reason: 'UpdateSuccessful' },
      { what: 'its Node node-a, which has to be healthy after its update', since: 4 },
    ],
    [
      { reason: 'UpdateSuccessful' },
      { what: 'its move to the MachineSet of the present template', since: 5 },
    ],
  ],
)('a machine at %j waits for its next step, since when and until when', (where, awaits) => {
  const { what, since, until, sequel } = explained(updating(where)).awaits ?? {};
  expect({ what, since: ago(since), until: ago(until), sequel }).toEqual(awaits);
});

test('one that has moved waits for nothing', () => {
  expect(explained(updating({ reason: 'UpdateSuccessful', set: 'new' })).awaits).toBeUndefined();
});

test('a candidate that people select waits for them, and the way to select it is there', () => {
  const { awaits, commands } = explained(
    updating({ reason: 'CandidateForUpdate' }),
    aPool({ orchestrationType: 'Manual' }),
  );
  expect(awaits?.what).toContain('a person, or a program, that selects its Node');
  expect(commands).toContain('millwright select-for-update machine/a -n shoot');
});

interface Failure {
  name: string;
  where: Where;
  pool?: MachineDeployment;
  cause: string;
  /** Minutes from now. */
  replacedIn?: number;
}

const replacing = aPool({ notes: { [options.inPlaceFailure]: 'replace' } });

test.each<Failure>([
  {
    name: 'failed, and is to be replaced',
    where: failed,
    pool: replacing,
    cause: 'Node in-place update failed: kubelet did not start',
    replacedIn: 6,
  },
  {
    name: 'failed, and is to stay',
    where: failed,
    cause: 'Node in-place update failed: kubelet did not start',
  },
  {
    name: 'has no answer',
    pool: replacing,
    where: {
      phase: 'InPlaceUpdateFailed',
      reason: 'ReadyForUpdate',
      description: 'Machine a failed to in-place update in 20m.',
    },
    cause: 'the agent on its Node did not answer: Machine a failed to in-place update in 20m.',
    replacedIn: 6,
  },
])('an update that $name is a trouble, with its ways out', ({ where, pool, cause, replacedIn }) => {
  const [finding, ...others] = diagnose(installOf([updating(where)], pool));
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ trouble: 'update-failed', object: { name: 'a' } });
  expect(finding?.cause).toBe(cause);
  expect(finding?.until).toBe(replacedIn && now + replacedIn * 60_000);
  expect(finding?.commands).toEqual(
    expect.arrayContaining([
      'kubectl describe node node-a',
      'millwright retry-update machine/a -n shoot',
      'millwright give-up-update machine/a -n shoot',
    ]),
  );
});

test('a Node that cannot be drained for its update is the trouble of its drain', () => {
  const machine = updating({
    reason: 'SelectedForUpdate',
    state: 'Failed',
    description:
      'Drain failed due to - 1 pod left: web/shop-1: PodDisruptionBudget web/shop: no. Will retry in next sync. Initiate node drain',
  });
  // The alert counts it too.
  expect(drainBlockerOf(machine)).toBe('PodDisruptionBudget');
  const [finding] = diagnose(installOf([machine]));
  expect(finding).toMatchObject({ trouble: 'drain-budget', until: now + 115 * 60_000 });
  expect(finding?.commands).toEqual(
    expect.arrayContaining([
      'kubectl -n web describe poddisruptionbudget shop',
      'kubectl -n shoot label machine a force-drain=True',
      'kubectl label node node-a node.machine.sapcloud.io/selected-for-update-',
    ]),
  );
});

test.each([
  { reason: 'CandidateForUpdate' },
  { reason: 'SelectedForUpdate' },
  { phase: 'InPlaceUpdating', reason: 'ReadyForUpdate' },
  { phase: 'InPlaceUpdateSuccessful', reason: 'UpdateSuccessful' },
] as const)('an update at %j is no trouble', (where) => {
  expect(diagnose(installOf([updating(where)]))).toEqual([]);
});

const updateIn = (facts: readonly { name: string; value: string }[]): string[] =>
  facts.filter(({ name }) => name === 'Update').map(({ value }) => value);

test('what the Node says counts, also an answer that no step has taken up', () => {
  const machine = updating({ phase: 'InPlaceUpdating', reason: 'DrainSuccessful' });
  expect(updateIn(explained(machine).facts)).toEqual([
    `step 3 of 5, DrainSuccessful since ${minutesAgo(5)}: in words`,
  ]);
  const node = aNode({
    metadata: {
      name: 'node-a',
      labels: { [labels.updateResult]: 'failed' },
      annotations: { [annotations.updateFailedReason]: 'no space left' },
    },
    status: { conditions: [condition('ReadyForUpdate', 'Node is ready for in-place update')] },
  });
  const { facts } = explained(machine, aPool(), node);
  expect(updateIn(facts)).toEqual([
    `step 4 of 5, ReadyForUpdate since ${minutesAgo(5)}: Node is ready for in-place update; the agent says failed: no space left`,
  ]);
  expect(facts.find(({ name }) => name === 'Node')?.value).not.toContain('InPlaceUpdate');
});

const many = [
  updating({ name: 'a', reason: 'SelectedForUpdate' }),
  updating({ name: 'b', phase: 'InPlaceUpdating', reason: 'ReadyForUpdate' }),
  updating({ ...failed, name: 'c' }),
  updating({ name: 'd', reason: 'CandidateForUpdate' }),
  updating({ name: 'e', reason: 'UpdateSuccessful', set: 'new' }),
];

function poolIn(install: Install) {
  const [pool] = poolsOf(install).pools;
  if (!pool) throw new Error('no pool');
  return pool;
}

test('a pool says which machines are at which step, and how many may be next', () => {
  const install = installOf(many, aPool({ replicas: 5, orchestrationType: 'Manual' }));
  const { facts, awaits } = explainDeployment(poolIn(install), install);
  expect(awaits?.what).toBe('4 machines to be updated in place');
  expect(updateIn(facts)).toEqual([
    expect.stringMatching(/^a: waits for its pods, .* since .*, until /),
    expect.stringMatching(/^b: waits for the agent on its Node node-b, .*, until /),
    expect.stringMatching(
      /^c: waits for a person, or the agent on its Node node-c, which may still/,
    ),
    '1 that may be selected: a person selects the next',
  ]);
});

test('machines are counted by where they are, and no time is made up', () => {
  const install = installOf(many, aPool({ replicas: 5 }));
  const progress = progressOf(poolIn(install), now);
  expect(progress.counts).toBe(
    '3 of 5 ready, 1 updated, 4 of old sets, 2 updating in place, 1 update failed',
  );
  expect(progress.leftMs).toBeUndefined();
  const { text, data } = statusAnswer(install, { isWide: false });
  expect(text).toContain('5 machines, 3 ready, 2 updating in place, 1 update failed\n');
  expect(data).toMatchObject({
    machines: { updatingInPlace: 2, updatesFailed: 1, failing: 1 },
    deployments: [{ updatingInPlace: 2, updatesFailed: 1 }],
  });
});

function waits(replicas: number): string | undefined {
  const install = installOf(many, aPool({ replicas }));
  return progressOf(poolIn(install), now).awaits;
}

test('what is missing beside old machines is made, and what is too many goes', () => {
  expect(waits(6)).toBe('4 machines to be updated in place, and 1 new machine to become available');
  expect(waits(4)).toBe('3 machines to be updated in place, and 1 old machine to go');
});

const place = (machine: Machine) => ({
  kube: new ReviewingClient(machine, aNode({ metadata: { name: 'node-a' } })),
  namespace: 'shoot',
});

type Verb = 'selectForUpdate' | 'retryUpdate' | 'giveUpUpdate';
const ask = (verb: Verb): ActOptions => ({ name: 'a', command: { verb } });

test.each<[verb: Verb, where: Where, deed: string]>([
  [
    'selectForUpdate',
    { reason: 'CandidateForUpdate' },
    'select Node node-a for its update in place, unless a worker says',
  ],
  ['retryUpdate', failed, 'have the agent on Node node-a begin its update anew'],
  [
    'giveUpUpdate',
    failed,
    'instance virtual:///a/i-a is deleted, and what is on its disks is lost. A new one is made',
  ],
])('%s says what will happen, and does nothing without consent', async (verb, where, deed) => {
  const at = place(updating(where));
  const { text, exitCode } = await act(at, ask(verb));
  expect(text).toContain(deed);
  expect(exitCode).toBe(1);
  expect(at.kube.writes()).toEqual([]);
});

test('without a MachineSet nothing replaces one that is given up', async () => {
  const machine = updating(failed);
  machine.metadata.ownerReferences = [];
  const { text } = await act(place(machine), ask('giveUpUpdate'));
  expect(text).toContain('i-a stays until it is deleted, as no MachineSet owns it');
});

test('a Node is found by its Machine', async () => {
  const at = place(updating({ reason: 'CandidateForUpdate' }));
  const asked: ActOptions = { ...ask('selectForUpdate'), kind: 'node', name: 'node-a' };
  expect((await act(at, asked)).text).toContain('machine/a now');
  await expect(act(at, { ...asked, name: 'node-b' })).rejects.toThrow(
    'no Machine in namespace shoot has Node node-b',
  );
});

test.each<[verb: Verb, where: Where, words: string]>([
  ['selectForUpdate', {}, 'is no candidate for an update in place'],
  ['selectForUpdate', { reason: 'SelectedForUpdate' }, 'is selected already'],
  ['retryUpdate', { phase: 'InPlaceUpdating' }, 'no update in place of it has failed'],
  ['giveUpUpdate', { phase: 'Failed' }, 'machine/a is Failed: no update in place'],
])('%s of a machine at %j is refused in words', async (verb, where, words) => {
  const at = place(updating(where));
  await expect(act(at, { ...ask(verb), yes: true })).rejects.toThrow(words);
  expect(at.kube.writes()).toEqual([]);
});

test.each([
  [
    ['select-for-update', 'node/n', '--yes'],
    { kind: 'node', name: 'n', yes: true, command: { verb: 'selectForUpdate' } },
  ],
  [['select-for-update', 'machine/a'], { name: 'a', command: { verb: 'selectForUpdate' } }],
  [['retry-update', 'mc', 'a'], { name: 'a', command: { verb: 'retryUpdate' } }],
  [['give-up-update', 'machine/a'], { name: 'a', command: { verb: 'giveUpUpdate' } }],
])('%j is read', (words, expected) => {
  expect(readArguments(words)).toMatchObject(expected);
});

test('only a selection takes a Node', () => {
  expect(() => readArguments(['retry-update', 'node/n'])).toThrow('is no kind for this command');
});
