import fc from 'fast-check';
import { anySurgeOf } from '../../../../workflows/plan/machine-deployment/fenceposts.ts';
import type {
  DeploymentFacts,
  OvershootFinding,
  SetFacts,
} from '../../../../workflows/plan/safety/overshoot.ts';
import {
  isOvershooting,
  limitOf,
  planFreezes,
} from '../../../../workflows/plan/safety/overshoot.ts';

const rules = { up: 2, down: 1 };
const unmarked = { isFrozen: false, hasCondition: false, wantsUnfreeze: false };
const marked = { isFrozen: true, hasCondition: true, wantsUnfreeze: false };

function aSet(changes: Partial<SetFacts> = {}): SetFacts {
  return { name: 'pool-1', deployment: 'pool', count: 6, limit: 6, ...unmarked, ...changes };
}

function aDeployment(changes: Partial<DeploymentFacts> = {}): DeploymentFacts {
  return { name: 'pool', ...unmarked, ...changes };
}

function aLook(sets: SetFacts[], deployments = [aDeployment()]): OvershootFinding {
  return { total: sets.length, sets, deployments, unchecked: [] };
}

/** `freeze machineSet/pool-1` for each. */
function said(second: OvershootFinding, first = second): string[] {
  return planFreezes({ first, second }, rules).map(
    ({ action, kind, name }) => `${action} ${kind}/${name}`,
  );
}

test('a freeze whose condition could not be written is written again, as long as it holds', () => {
  const halfway = { isFrozen: true, hasCondition: false };
  const deployments = [aDeployment(marked)];
  expect(said(aLook([aSet(halfway)], deployments))).toEqual(['freeze machineSet/pool-1']);
  expect(said(aLook([aSet({ ...halfway, hasCondition: true })], deployments))).toEqual([]);
});

describe('the limit', () => {
  test.each([
    { name: 'of a set alone is twice its replicas', wanted: { replicas: 3 }, limit: 8 },
    {
      name: 'of a set with a deployment is what that wants, and its surge',
      wanted: { replicas: 3, deployment: { replicas: 3, surge: 1 } },
      limit: 6,
    },
    {
      name: 'waits until the deployment has told its set of a scale-down',
      wanted: { replicas: 6, deployment: { replicas: 2, surge: 2 } },
      limit: 8,
    },
  ])('$name', ({ wanted, limit }) => {
    expect(limitOf(wanted, rules)).toBe(limit);
  });

  const template = {};
  test.each([
    { type: 'Recreate' as const, strategy: {}, surge: 0 },
    { type: 'RollingUpdate' as const, strategy: { rollingUpdate: { maxSurge: '25%' } }, surge: 1 },
    { type: 'InPlaceUpdate' as const, strategy: { inPlaceUpdate: { maxSurge: 2 } }, surge: 2 },
  ])('knows the surge of $type', ({ type, strategy, surge }) => {
    expect(anySurgeOf({ replicas: 3, template, strategy: { type, ...strategy } })).toBe(surge);
  });
});

describe('a set', () => {
  test('with too many machines in two looks is frozen, and its deployment', () => {
    expect(said(aLook([aSet()]))).toEqual([
      'freeze machineSet/pool-1',
      'freeze machineDeployment/pool',
    ]);
    const [set, deployment] = planFreezes(
      { first: aLook([aSet()]), second: aLook([aSet()]) },
      rules,
    );
    expect(set).toMatchObject({ why: '6 machines, allowed are fewer than 6' });
    expect(deployment).toMatchObject({ reason: 'OverShootingReplicaCount' });
  });

  test.each([
    { name: 'that gets rid of machines is left alone', before: aSet({ count: 9 }) },
    { name: 'that was well a moment ago gets another look', before: aSet({ count: 5 }) },
    { name: 'that is new gets another look', before: aSet({ name: 'other' }) },
  ])('$name', ({ before }) => {
    expect(said(aLook([aSet()]), aLook([before]))).toEqual([]);
  });

  test('whose workflow has yet to see its spec is frozen only when it grows', () => {
    const behind = aSet({ isBehind: true, count: 5_000 });
    expect(said(aLook([behind]))).toEqual([]);
    expect(said(aLook([behind]), aLook([aSet({ count: 4_999 })]))).toContain(
      'freeze machineSet/pool-1',
    );
  });

  test('a set that is frozen stays so between both limits, and thaws at the lower', () => {
    const deployments = [aDeployment(marked)];
    expect(said(aLook([aSet({ ...marked, count: 6 })], deployments))).toEqual([]);
    expect(said(aLook([aSet({ ...marked, count: 5 })], deployments))).toEqual([
      'unfreeze machineSet/pool-1',
      'unfreeze machineDeployment/pool',
    ]);
  });

  test('thaws when the annotation asks for it, however many machines it has', () => {
    const set = aSet({ ...marked, wantsUnfreeze: true, count: 60 });
    expect(said(aLook([set], [aDeployment(marked)]))).toEqual([
      'unfreeze machineSet/pool-1',
      'unfreeze machineDeployment/pool',
    ]);
  });

  test('a set that somebody froze by hand thaws too, as in MCM', () => {
    expect(said(aLook([aSet({ isFrozen: true, count: 1 })]))).toContain(
      'unfreeze machineSet/pool-1',
    );
  });

  test('does not hide another', () => {
    const other = aSet({ name: 'b-1', deployment: 'b' });
    const look = aLook([aSet(), other], [aDeployment(), aDeployment({ name: 'b' })]);
    expect(said(look)).toHaveLength(4);
  });
});

describe('a deployment', () => {
  test('is as frozen as its sets, and says that it follows them', () => {
    const look = aLook([aSet({ ...marked })]);
    expect(planFreezes({ first: look, second: look }, rules)).toMatchObject([
      { kind: 'machineDeployment', action: 'freeze', reason: 'MachineDeploymentStateSync' },
    ]);
  });

  test('a deployment that was frozen by hand thaws', () => {
    expect(said(aLook([], [aDeployment({ isFrozen: true })]))).toEqual([
      'unfreeze machineDeployment/pool',
    ]);
  });

  test('thaws all its sets when the annotation asks for it', () => {
    const sets = [aSet(marked), aSet({ ...marked, name: 'pool-2' })];
    expect(said(aLook(sets, [aDeployment({ ...marked, wantsUnfreeze: true })]))).toEqual([
      'unfreeze machineSet/pool-1',
      'unfreeze machineSet/pool-2',
      'unfreeze machineDeployment/pool',
    ]);
  });
});

const marks = fc.record({
  isFrozen: fc.boolean(),
  hasCondition: fc.boolean(),
  wantsUnfreeze: fc.boolean(),
});
const anySet = (name: string) =>
  fc
    .tuple(marks, fc.nat(12), fc.integer({ min: 2, max: 10 }))
    .map(([flags, count, limit]) => aSet({ ...flags, name, count, limit }));
const anyLook = fc
  .tuple(anySet('pool-1'), anySet('pool-2'), marks)
  .map(([a, b, flags]) => aLook([a, b], [aDeployment(flags)]));

/** The marks after everything was done. */
function after(look: OvershootFinding): OvershootFinding {
  const changes = planFreezes({ first: look, second: look }, rules);
  const apply = <Facts extends DeploymentFacts>(facts: Facts): Facts => {
    const change = changes.find(({ name }) => name === facts.name);
    if (!change) return facts;
    const isFrozen = change.action === 'freeze';
    return {
      ...facts,
      isFrozen,
      hasCondition: isFrozen,
      wantsUnfreeze: isFrozen && facts.wantsUnfreeze,
    };
  };
  return { ...look, sets: look.sets.map(apply), deployments: look.deployments.map(apply) };
}

test('a deployment is frozen exactly while one of its sets is', () => {
  fc.assert(
    fc.property(anyLook, (look) => {
      const { sets, deployments } = after(look);
      const isAnyFrozen = sets.some(({ isFrozen, hasCondition }) => isFrozen || hasCondition);
      expect(deployments).toMatchObject([{ isFrozen: isAnyFrozen, hasCondition: isAnyFrozen }]);
    }),
  );
});

test('runs come to rest: the first may thaw, the second freeze again, the third has nothing to do', () => {
  fc.assert(
    fc.property(anyLook, (look) => {
      const settled = after(after(look));
      expect(said(settled)).toEqual([]);
    }),
  );
});

test('a set below its limit is never frozen', () => {
  fc.assert(
    fc.property(anyLook, (look) => {
      fc.pre(!isOvershooting(look));
      expect(said(look).filter((text) => text.startsWith('freeze machineSet'))).toEqual([]);
    }),
  );
});
