import type { Period } from '../../../../../workflows/values/pauses.ts';
import type {
  Counts,
  ProgressFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/progress.ts';
import {
  progressingOf,
  progressOf,
} from '../../../../../workflows/plan/machine-deployment/rollout/progress.ts';

const now = 1_000_000;
const deadlineSeconds = 60;
type Known = NonNullable<ProgressFacts['known']>;

function counts(changes: Partial<Counts> = {}): Counts {
  return { replicas: 4, updatedReplicas: 1, readyReplicas: 3, availableReplicas: 3, ...changes };
}
const whole = counts({ updatedReplicas: 3, replicas: 3 });

function known(reason: string, message = 'about "new"', age = 10): Known {
  const status =
    reason === 'DeploymentPaused' || reason === 'DeploymentResumed' ? 'Unknown' : 'True';
  return { status, reason, message, updatedAt: now - age * 1000 };
}

/** A rollout under way without any change since the last look. */
function given(changes: Partial<ProgressFacts> = {}): ProgressFacts {
  return {
    known: known('MachineSetUpdated', 'MachineSet "new" is progressing.'),
    before: counts(),
    counts: counts(),
    wanted: 3,
    newSet: { name: 'new', isFormer: false, replicas: 1 },
    deadlineSeconds,
    now,
    ...changes,
  };
}

function withoutSet(facts: ProgressFacts): ProgressFacts {
  const { newSet: _, ...rest } = facts;
  return rest;
}

function withoutKnown(facts: ProgressFacts): ProgressFacts {
  const { known: _, ...rest } = facts;
  return rest;
}

describe('the condition Progressing', () => {
  test.each<{
    name: string;
    facts: ProgressFacts;
    status: string;
    reason: string;
    message: string;
  }>([
    {
      name: 'a set was made',
      facts: withoutKnown(given()),
      status: 'True',
      reason: 'NewMachineSetCreated',
      message: 'Created new machine set "new"',
    },
    {
      name: 'another set than before was made',
      facts: given({ known: known('NewMachineSetAvailable', 'MachineSet "old" ...') }),
      status: 'True',
      reason: 'NewMachineSetCreated',
      message: 'Created new machine set "new"',
    },

    {
      name: 'new machines came',
      facts: given({
        known: known('NewMachineSetCreated'),
        before: counts({ updatedReplicas: 0 }),
      }),
      status: 'True',
      reason: 'MachineSetUpdated',
      message: 'MachineSet "new" is progressing.',
    },

    {
      name: 'a machine is still going away',
      facts: given({ counts: { ...whole, replicas: 4 }, before: { ...whole, replicas: 4 } }),
      status: 'True',
      reason: 'MachineSetUpdated',
      message: 'MachineSet "new" is progressing.',
    },
    {
      name: 'nothing happened within the deadline',
      facts: given({ known: known('MachineSetUpdated', 'MachineSet "new" is progressing.', 60) }),
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: 'MachineSet "new" has timed out progressing.',
    },
    {
      name: 'a set that was given up is wanted again',
      facts: given({
        known: {
          ...known('ProgressDeadlineExceeded', '"new" has timed out; rolled back to "old"', 999),
          status: 'False',
        },
        newSet: { name: 'new', isFormer: true },
      }),
      status: 'True',
      reason: 'FoundNewMachineSet',
      message: 'Found new machine set "new"',
    },

    {
      name: 'resumed',
      facts: given({ known: known('DeploymentPaused', 'Deployment is paused') }),
      status: 'Unknown',
      reason: 'DeploymentResumed',
      message: 'Deployment is resumed',
    },
    {
      name: 'resumed when all was done',
      facts: given({ known: known('DeploymentPaused', 'Deployment is paused'), counts: whole }),
      status: 'True',
      reason: 'NewMachineSetAvailable',
      message: 'MachineSet "new" has successfully progressed.',
    },
    {
      name: 'refused',
      facts: given({ refusal: { reason: 'InvalidSpec', message: 'no selector' } }),
      status: 'False',
      reason: 'InvalidSpec',
      message: 'no selector',
    },
  ])('$name: $reason', ({ facts, status, reason, message }) => {
    expect(progressingOf(facts)).toMatchObject({ status, reason, message });
  });

  test('does not exist before there is a set', () => {
    expect(progressingOf(withoutSet(withoutKnown(given())))).toBeUndefined();
  });

  test('a rollout that was overdue stays so when it is paused', () => {
    const facts = given({
      known: { ...known('ProgressDeadlineExceeded'), status: 'False' },
      holdReason: 'Deployment is paused',
    });
    expect(progressingOf(facts)).toMatchObject({ reason: 'ProgressDeadlineExceeded' });
  });

  test('a rollout that was overdue goes on when it progresses', () => {
    const facts = given({
      known: { ...known('ProgressDeadlineExceeded'), status: 'False' },
      before: counts({ readyReplicas: 2 }),
    });
    expect(progressingOf(facts)).toMatchObject({ reason: 'MachineSetUpdated', isRenewed: true });
  });

  test.each<{ name: string; facts: Partial<ProgressFacts> }>([
    { name: 'a pause', facts: { known: known('DeploymentPaused', 'Deployment is paused') } },
  ])('a finished rollout is finished after $name while machines are missing', ({ facts }) => {
    const short = { ...whole, availableReplicas: 1, readyReplicas: 1 };
    const seen = given({ ...facts, finished: 'new', counts: short, before: short });
    expect(progressingOf(seen)).toMatchObject({ reason: 'NewMachineSetAvailable' });
    // Of another set, and with machines of old ones, nothing is known.
    const other = progressingOf({ ...seen, finished: 'old' });
    expect(other).not.toMatchObject({ reason: 'NewMachineSetAvailable' });
    const mixed = { ...short, replicas: 4 };
    const under = progressingOf({ ...seen, counts: mixed, before: mixed });
    expect(under).not.toMatchObject({ reason: 'NewMachineSetAvailable' });
  });

  test.each<{ name: string; facts: Partial<ProgressFacts> }>([
    {
      name: 'finished, and has machines of old sets again',
      facts: { known: known('NewMachineSetAvailable') },
    },
  ])('a rollout that is $name goes on', ({ facts }) => {
    expect(progressingOf(given(facts))).toMatchObject({ reason: 'MachineSetUpdated' });
  });
});

describe('the clock of the deadline', () => {
  test.each<{ name: string; before: Partial<Counts>; isRenewed: boolean }>([
    { name: 'a machine that got available', before: { availableReplicas: 2 }, isRenewed: true },
    { name: 'an old machine that went', before: { replicas: 5 }, isRenewed: true },
  ])('begins anew by $name: $isRenewed', ({ before, isRenewed }) => {
    const progressing = progressingOf(given({ before: counts(before) }));
    expect(progressing?.isRenewed ?? false).toBe(isRenewed);
  });

  test('does not begin anew when a failed machine is replaced while it is going away', () => {
    const facts = given({
      before: counts({ updatedReplicas: 1, replicas: 4 }),
      counts: counts({ updatedReplicas: 2, replicas: 5 }),
    });
    expect(progressingOf(facts)?.isRenewed ?? false).toBe(false);
  });

  test.each<{ name: string; pauses: Period[]; isOverdue: boolean; deadline: number | undefined }>([
    { name: 'runs without a pause', pauses: [], isOverdue: true, deadline: undefined },
    {
      name: 'stands still in two pauses',
      pauses: [
        { from: now - 60_000, until: now - 40_000 },
        { from: now - 30_000, until: now - 10_000 },
      ],
      isOverdue: false,
      deadline: now + 50_000,
    },
  ])('$name', ({ pauses, isOverdue, deadline }) => {
    const updated = known('MachineSetUpdated', 'MachineSet "new" is progressing.', 70);
    const facts = given({ known: updated, pauses });
    const written = progressingOf(facts);
    expect(written?.reason === 'ProgressDeadlineExceeded').toBe(isOverdue);
    const stored = written && { ...written, updatedAt: updated.updatedAt };
    expect(progressOf(facts, stored)).toMatchObject({ isOverdue });
    expect(progressOf(facts, stored).deadline).toBe(deadline);
  });

  test('does not run before there is a set of the template, as while Recreate empties the old ones', () => {
    const facts = withoutSet(given());
    expect(progressOf(facts, facts.known)).not.toHaveProperty('deadline');
  });

  test('does not run without a deadline', () => {
    const { deadlineSeconds: _, ...facts } = given({
      known: known('MachineSetUpdated', '"new"', 9_999),
    });
    expect(progressingOf(facts)).toMatchObject({ reason: 'MachineSetUpdated' });
    expect(progressOf(facts, facts.known)).not.toHaveProperty('deadline');
  });
});

test.each<{ name: string; facts: ProgressFacts; isComplete: boolean }>([
  {
    name: 'an old machine is left',
    facts: given({ counts: { ...whole, replicas: 4 } }),
    isComplete: false,
  },

  {
    name: 'the template has no set',
    facts: withoutSet(given({ counts: whole })),
    isComplete: false,
  },
])('a rollout is complete ($isComplete): $name', ({ facts, isComplete }) => {
  expect(progressOf(facts, undefined).isComplete).toBe(isComplete);
});

describe('while everything is stopped', () => {
  const stopped = 'stopped by ConfigMap shoot/millwright-stop: wrong disks; delete it to go on';

  test('a rollout is paused, and its clock stands still', () => {
    const facts = given({ stopped, known: known('MachineSetUpdated', 'MachineSet "new"', 600) });
    const condition = progressingOf(facts);
    expect(condition).toEqual({ status: 'Unknown', reason: 'DeploymentPaused', message: stopped });
    expect(progressOf(facts, { ...known('DeploymentPaused', stopped), updatedAt: now })).toEqual({
      reason: 'DeploymentPaused',
      isOverdue: false,
      isComplete: false,
    });
  });

  test('one that was finished stays so while machines are missing', () => {
    const done = known('NewMachineSetAvailable', 'MachineSet "new" has successfully progressed.');
    const short = { ...whole, availableReplicas: 1 };
    expect(progressingOf(given({ stopped, known: done, counts: short }))).toMatchObject({
      reason: 'NewMachineSetAvailable',
    });
  });
});
