import { fromZeroChanges } from '../../../../workflows/plan/machine-deployment/from-zero.ts';

const prefix = 'capacity.cluster-autoscaler.kubernetes.io/';
const asking = { 'millwright.dev/scale-from-zero': 'true' };
const appliedKey = 'millwright.dev/scale-from-zero-applied';
const ofClass = {
  capacity: { cpu: 4, memory: '16Gi', gpu: 0, 'ephemeral-storage': '50Gi', pods: '110' },
  instanceType: 'm5.xlarge',
  region: 'eu-west-1',
  zone: 'eu-west-1a',
};

type Notes = Record<string, string>;

/** The annotations after the change; what was written, without the note of it. */
function written(notes: Notes, pool: Partial<Parameters<typeof fromZeroChanges>[0]> = {}) {
  const changes = fromZeroChanges({ notes, ofClass, ...pool });
  const after: Notes = { ...notes };
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) delete after[key];
    else after[key] = value;
  }
  const { [appliedKey]: _note, ...shown } = changes;
  return { after, shown };
}

test('a pool that asks gets what its class says of a new Node', () => {
  const nodeTemplate = {
    metadata: { labels: { pool: 'a' } },
    spec: {
      taints: [
        { key: 'dedicated', value: 'a', effect: 'NoSchedule' },
        { key: 'slow', effect: 'PreferNoSchedule' },
      ],
    },
  };
  expect(written(asking, { nodeTemplate }).shown).toEqual({
    [`${prefix}cpu`]: '4',
    [`${prefix}memory`]: '16Gi',
    [`${prefix}ephemeral-disk`]: '50Gi',
    [`${prefix}maxPods`]: '110',
    [`${prefix}labels`]:
      'node.kubernetes.io/instance-type=m5.xlarge,topology.kubernetes.io/region=eu-west-1,topology.kubernetes.io/zone=eu-west-1a,pool=a',
    [`${prefix}taints`]: 'dedicated=a:NoSchedule,slow=:PreferNoSchedule',
  });
});

test.each([
  { name: 'MCM calls them', capacity: { gpu: 2 } },
  { name: 'the device plugin calls them', capacity: { gpu: 0, 'nvidia.com/gpu': '2' } },
])('GPUs count as $name', ({ capacity }) => {
  expect(written(asking, { ofClass: { ...ofClass, capacity } }).shown).toMatchObject({
    [`${prefix}gpu-count`]: '2',
    [`${prefix}gpu-type`]: 'nvidia.com/gpu',
  });
});

describe('nothing is written', () => {
  test('of a pool that does not ask', () => {
    expect(fromZeroChanges({ notes: {}, ofClass })).toEqual({});
    expect(
      fromZeroChanges({ notes: { 'millwright.dev/scale-from-zero': 'yes' }, ofClass }),
    ).toEqual({});
  });
});

describe("a user's own annotation", () => {
  const own = { ...asking, [`${prefix}cpu`]: '64' };

  test('stays when it was ours before, and when the pool asks no more', () => {
    const { after } = written(asking);
    const edited: Notes = { ...after, [`${prefix}cpu`]: '64' };
    expect(written(edited).after[`${prefix}cpu`]).toBe('64');
    const { 'millwright.dev/scale-from-zero': _asks, ...silent } = edited;
    const { after: left } = written(silent);
    expect(left).toEqual({ [`${prefix}cpu`]: '64' });
  });

  test('stays where what was applied cannot be read', () => {
    const notes = { ...own, [appliedKey]: '{' };
    expect(written(notes).after[`${prefix}cpu`]).toBe('64');
  });
});

test('ours follow the class, and go with it', () => {
  const { after } = written(asking);
  const bigger = written(after, { ofClass: { ...ofClass, capacity: { cpu: 8 } } });
  expect(bigger.after[`${prefix}cpu`]).toBe('8');
  expect(bigger.after).not.toHaveProperty([`${prefix}memory`]);
  const changes = fromZeroChanges({ notes: bigger.after });
  expect(changes).toMatchObject({ [`${prefix}cpu`]: null, [appliedKey]: null });
});
