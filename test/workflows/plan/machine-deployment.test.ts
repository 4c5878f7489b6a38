import { expect, test } from '@jest/globals';
import type {
  DeploymentStep,
  DeploymentSurvey,
  OwnedSet,
} from '../../../workflows/plan/machine-deployment.ts';
import { planMachineDeployment } from '../../../workflows/plan/machine-deployment.ts';

function survey(changes: Partial<DeploymentSurvey> = {}): DeploymentSurvey {
  return {
    isDeleting: false,
    hasFinalizer: true,
    isOrphaning: false,
    replicas: 3,
    faults: [],
    newSetName: 'workers-abcde',
    sets: [],
    ...changes,
  };
}

function aSet(changes: Partial<OwnedSet> = {}): OwnedSet {
  return {
    name: 'workers-abcde',
    resourceVersion: '7',
    replicas: 3,
    isNew: true,
    isDeleting: false,
    hasFreshAnnotations: true,
    ...changes,
  };
}

const scaled = { action: 'scaleSet', name: 'workers-abcde', resourceVersion: '7' } as const;

test.each<{ name: string; given: Partial<DeploymentSurvey>; step: Partial<DeploymentStep> }>([
  {
    name: 'a new deployment makes its set, at full size',
    given: {},
    step: { action: 'createSet', name: 'workers-abcde', replicas: 3 },
  },
  {
    name: 'a set of the right size is left alone',
    given: { sets: [aSet()] },
    step: { action: 'wait', reason: 'MachineSet workers-abcde has 3 replicas' },
  },
  {
    name: 'a small set is scaled up',
    given: { sets: [aSet({ replicas: 1 })] },
    step: { ...scaled, replicas: 3 },
  },
  {
    name: 'a large set is scaled down',
    given: { sets: [aSet({ replicas: 9 })] },
    step: { ...scaled, replicas: 3 },
  },
  {
    name: 'stale annotations are written',
    given: { sets: [aSet({ hasFreshAnnotations: false })] },
    step: { ...scaled, replicas: 3 },
  },
  {
    name: 'the oldest of several sets with the template is the one',
    given: { sets: [aSet({ replicas: 1 }), aSet({ name: 'workers-young', replicas: 2 })] },
    step: { ...scaled, replicas: 3 },
  },
  {
    name: 'a set that goes is awaited',
    given: { sets: [aSet({ isDeleting: true })] },
    step: { action: 'wait', reason: 'MachineSet workers-abcde is being deleted' },
  },
  {
    name: 'another template waits',
    given: { sets: [aSet({ isNew: false })] },
    step: { action: 'wait' },
  },
  {
    name: 'faults are said, and nothing is done',
    given: { faults: ['no selector', 'no strategy'] },
    step: { action: 'wait', reason: 'no selector; no strategy' },
  },
  {
    name: 'deleted: all sets go',
    given: {
      isDeleting: true,
      sets: [
        aSet(),
        aSet({ name: 'old', isNew: false }),
        aSet({ name: 'going', isDeleting: true }),
      ],
    },
    step: { action: 'deleteSets', names: ['workers-abcde', 'old'] },
  },
  {
    name: 'deleted although faulty',
    given: { isDeleting: true, faults: ['no selector'], sets: [aSet()] },
    step: { action: 'deleteSets', names: ['workers-abcde'] },
  },
  {
    name: 'deleted: sets that go are awaited',
    given: { isDeleting: true, sets: [aSet({ isDeleting: true })] },
    step: { action: 'wait', reason: '1 MachineSets are going away' },
  },
  {
    name: 'deleted: no set is left',
    given: { isDeleting: true },
    step: { action: 'release' },
  },
  {
    name: 'deleted with --cascade=orphan: its sets stay',
    given: { isDeleting: true, isOrphaning: true, sets: [aSet()] },
    step: { action: 'wait' },
  },
  {
    name: 'deleted with our finalizer stripped: its sets stay',
    given: { isDeleting: true, hasFinalizer: false, sets: [aSet()] },
    step: { action: 'wait' },
  },
])('$name', ({ given, step }) => {
  expect(planMachineDeployment(survey(given))).toMatchObject(step);
});
