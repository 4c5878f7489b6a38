import fc from 'fast-check';
import type {
  MachineFact,
  NodeFact,
  UnmanagedNodesInput,
} from '../../../../workflows/plan/safety/unmanaged-nodes.ts';
import { planUnmanagedNodes } from '../../../../workflows/plan/safety/unmanaged-nodes.ts';

const now = 10_000_000;

const aNode = (changes: Partial<NodeFact> & { ageSeconds?: number } = {}): NodeFact => {
  const { ageSeconds = 2_000, ...fields } = changes;
  const createdAt = now - ageSeconds * 1_000;
  return { name: 'node-a', createdAt, isMarked: false, hasFinalizer: true, ...fields };
};

const aMachine = (changes: Partial<MachineFact> = {}): MachineFact => ({
  name: 'pool-a',
  creationTimeoutSeconds: 1_200,
  ...changes,
});

const mark = { unmanaged: 1, mark: ['node-a'], clear: [] };
const nothing = { unmanaged: 0, mark: [], clear: [] };

test.each<{ when: string; node?: NodeFact; machines?: MachineFact[]; expected: object }>([
  { when: 'it is as old as the timeout', node: aNode({ ageSeconds: 1_200 }), expected: nothing },
  { when: 'a Machine has it', machines: [aMachine({ nodeName: 'node-a' })], expected: nothing },
  {
    when: 'its label names a Machine',
    node: aNode({ machineName: 'pool-a' }),
    machines: [aMachine({ nodeName: 'elsewhere' })],
    expected: nothing,
  },
  {
    when: 'its label names a Machine that is gone',
    node: aNode({ machineName: 'pool-b' }),
    machines: [aMachine({ nodeName: 'elsewhere' })],
    expected: mark,
  },
  {
    when: 'a Machine waits for its Node for longer',
    machines: [aMachine({ creationTimeoutSeconds: 3_600 })],
    expected: nothing,
  },
  {
    when: 'a Machine with a long timeout has its Node',
    machines: [aMachine({ creationTimeoutSeconds: 3_600, nodeName: 'elsewhere' })],
    expected: mark,
  },
  {
    when: 'it is marked and has let go',
    node: aNode({ isMarked: true, hasFinalizer: false }),
    expected: { unmanaged: 1, mark: [], clear: [] },
  },
  { when: 'it is marked and has not let go', node: aNode({ isMarked: true }), expected: mark },
  {
    when: 'it is marked and a Machine has it again',
    node: aNode({ isMarked: true }),
    machines: [aMachine({ nodeName: 'node-a' })],
    expected: { unmanaged: 0, mark: [], clear: ['node-a'] },
  },
])('what is done with a Node when $when', ({ node = aNode(), machines = [], expected }) => {
  const input = { nodes: [node], machines, creationTimeoutSeconds: 1_200, now };
  expect(planUnmanagedNodes(input)).toEqual(expected);
});

const anyName = fc.constantFrom('a', 'b', 'c', 'd');
const anyInput: fc.Arbitrary<UnmanagedNodesInput> = fc.record({
  nodes: fc.uniqueArray(
    fc
      .record({
        name: anyName,
        ageSeconds: fc.integer({ min: 0, max: 5_000 }),
        isMarked: fc.boolean(),
        hasFinalizer: fc.boolean(),
      })
      .map(aNode),
    { selector: ({ name }) => name },
  ),
  machines: fc.array(
    fc.record(
      { name: anyName, nodeName: anyName, creationTimeoutSeconds: fc.constantFrom(60, 3_600) },
      { requiredKeys: ['name', 'creationTimeoutSeconds'] },
    ),
    { maxLength: 4 },
  ),
  creationTimeoutSeconds: fc.constant(1_200),
  now: fc.constant(now),
});

test('no Node of a Machine is marked, and a second run has nothing to do', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const plan = planUnmanagedNodes(input);
      const owned = new Set(input.machines.map(({ nodeName }) => nodeName));
      expect(plan.mark.filter((name) => owned.has(name))).toEqual([]);
      const nodes = input.nodes.map((node) => {
        if (plan.mark.includes(node.name)) return { ...node, isMarked: true, hasFinalizer: false };
        return plan.clear.includes(node.name) ? { ...node, isMarked: false } : node;
      });
      expect(planUnmanagedNodes({ ...input, nodes })).toMatchObject({ mark: [], clear: [] });
    }),
  );
});
