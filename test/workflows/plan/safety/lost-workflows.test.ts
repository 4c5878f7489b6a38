import fc from 'fast-check';
import type { WorkflowRef } from '../../../../workflows/plan/safety/lost-workflows.ts';
import {
  agreedOn,
  compare,
  workflowKinds,
  isWell,
} from '../../../../workflows/plan/safety/lost-workflows.ts';

const pool: WorkflowRef = { kind: 'machineDeployment', name: 'pool' };
const set: WorkflowRef = { kind: 'machineSet', name: 'pool' };
const a: WorkflowRef = { kind: 'machine', name: 'pool-a' };
const b: WorkflowRef = { kind: 'machine', name: 'pool-b' };
const limit = 10;

describe('objects and workflows', () => {
  test('objects and workflows that belong together are well', () => {
    const look = compare({ objects: [pool, set, a], running: [a, set, pool], limit });
    expect(look).toMatchObject({ objects: 3, running: 3, omitted: 0 });
    expect(isWell(look)).toBe(true);
  });

  test('are told apart by kind and name, deployments first', () => {
    const { unattended, leftOver } = compare({
      objects: [a, set, pool],
      running: [b],
      limit,
    });
    expect(unattended).toEqual([pool, set, a]);
    expect(leftOver).toEqual([b]);
  });

  test('beyond the limit wait for a later look', () => {
    const look = compare({ objects: [a, b, set, pool], running: [], limit: 2 });
    expect(look).toMatchObject({ unattended: [pool, set], omitted: 2 });
  });

  test('are amiss only when two looks agree', () => {
    const first = compare({ objects: [a, b], running: [set], limit });
    const second = compare({ objects: [a, b], running: [b], limit });
    expect(agreedOn(first, second)).toMatchObject({ unattended: [a], leftOver: [] });
  });
});

const aRef = fc.record({
  kind: fc.constantFrom(...workflowKinds),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
});
const refs = fc.uniqueArray(aRef, { selector: ({ kind, name }) => `${kind}/${name}` });

test('each difference is found or left for later, whatever the order', () => {
  fc.assert(
    fc.property(refs, refs, fc.nat(6), (objects, running, few) => {
      const look = compare({ objects, running, limit: few });
      const mirrored = compare({
        objects: objects.toReversed(),
        running: running.toReversed(),
        limit: few,
      });
      expect(mirrored).toEqual(look);
      const found = look.unattended.length + look.leftOver.length + look.omitted;
      const inBoth = objects.filter((ref) =>
        running.some(({ kind, name }) => kind === ref.kind && name === ref.name),
      );
      expect(found).toBe(objects.length + running.length - 2 * inBoth.length);
      expect(isWell(agreedOn(look, look))).toBe(isWell(look));
    }),
  );
});
