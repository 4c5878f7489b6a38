/** What a drain would meet, by the planner of drains. */
import { drain } from '../../../cli/drain/drain.ts';
import { drainOptions, labels } from '../../../workflows/api/constants.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { readArguments } from '../../support/command-line.ts';
import { aMachine, aNode, aPod } from '../../support/builders.ts';

const budget = (name: string, disruptionsAllowed: number) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace: 'default', generation: 1 },
  spec: { selector: { matchLabels: { app: name } } },
  status: { disruptionsAllowed, observedGeneration: 1, expectedPods: 1, currentHealthy: 1 },
});

const pod = (app: string, priority = 0, claim?: string) =>
  aPod({
    metadata: { name: app, labels: { app } },
    spec: {
      nodeName: 'pool-a',
      priority,
      ...(claim !== undefined && { volumes: [{ persistentVolumeClaim: { claimName: claim } }] }),
    },
  });

const node = () =>
  aMachine({ phase: 'Running', metadata: { labels: { [labels.node]: 'pool-a' } } });
const asked = { name: 'pool-a' };
const at = (...objects: object[]) => ({
  kube: new InMemoryClient(node(), ...objects),
  namespace: 'shoot',
});

test('it names the order, the budget that refuses, and the volume that is waited for', async () => {
  const place = at(
    aNode(),
    pod('web'),
    pod('free'),
    pod('db-low', 1, 'low'),
    pod('db-high', 5, 'high'),
    budget('web', 0),
    budget('free', 1),
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'high', namespace: 'default' },
      spec: { volumeName: 'pv-high', accessModes: ['ReadWriteOnce'] },
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'at-high' },
      spec: { nodeName: 'pool-a', source: { persistentVolumeName: 'pv-high' } },
      status: { attached: true },
    },
  );
  const { text, data, exitCode } = await drain(place, asked);
  expect(exitCode).toBe(1);
  expect(data).toMatchObject({
    pods: [
      { pod: 'default/free', turn: 'together' },
      { pod: 'default/web', refusal: { blockedBy: 'PodDisruptionBudget/default/web' } },
      { pod: 'default/db-high', turn: 1, volumes: ['pv-high'], volumeSeconds: 240 },
      { pod: 'default/db-low', turn: 2, volumes: [] },
    ],
  });
  expect(text.match(/would be refused/g)).toHaveLength(1);
  expect(text).toContain('would be refused now: PodDisruptionBudget default/web is misconfigured');
  expect(text).toContain('waits for pv-high to move, at most 4m0s');
  expect(place.kube.writes()).toEqual([]);
});

test.each(['Pending', 'Succeeded', 'Failed'])(
  'no budget refuses a pod that is %s, as the API server asks none',
  async (phase) => {
    const place = at(aNode(), { ...pod('web'), status: { phase } }, budget('web', 0));
    const { data, exitCode } = await drain(place, asked);
    expect(data).toMatchObject({ pods: [{ pod: 'default/web' }] });
    expect(exitCode).toBe(0);
  },
);

test.each([
  { name: 'has none', spec: { drainTimeout: '0s' }, isOver: true },
  { name: 'was deleted long ago', deletionTimestamp: '2026-01-01T00:00:00Z', isOver: true },
  {
    name: 'was given more',
    deletionTimestamp: '2026-01-01T00:00:00Z',
    until: '2999-01-01T00:00:00Z',
    isOver: false,
  },
])('a machine whose time for the drain $name is drained as it says', async (given) => {
  const { spec = {}, deletionTimestamp, until, isOver } = given;
  const machine = node();
  const metadata = {
    ...machine.metadata,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(until !== undefined && { annotations: { [drainOptions.until]: until } }),
  };
  const place = at(aNode(), pod('free'));
  place.kube.put({ ...machine, metadata, spec: { ...machine.spec, ...spec } });
  const { text, exitCode } = await drain(place, asked);
  expect(exitCode).toBe(isOver ? 1 : 0);
  expect(text.includes('by force, no budget is asked: its time for the drain')).toBe(isOver);
});

test('a Node that is sick is drained by force', async () => {
  const sick = {
    type: 'Ready',
    status: 'Unknown',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  } as const;
  const place = at(aNode({ status: { conditions: [sick] } }), pod('web'));
  const { text, exitCode } = await drain(place, asked);
  expect(text).toContain('by force, no budget is asked: Ready is Unknown for over 5 minutes');
  expect(exitCode).toBe(1);
});

test('a Node in another cluster is named', async () => {
  await expect(drain(at(), asked)).rejects.toThrow('--target-kubeconfig');
});

test('there is no drain that does anything', () => {
  expect(() => readArguments(['drain', 'machine/a'])).toThrow('there is only --dry-run');
  expect(readArguments(['drain', '--dry-run', 'machine/a'])).toEqual({ name: 'a' });
});
