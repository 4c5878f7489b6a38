import type { RefusedWrites } from '../../../../../workflows/plan/requeues.ts';
import { allowedSteps } from '../../../../../workflows/plan/machine-deployment/rollout/refused-steps.ts';
import type { DeploymentStep } from '../../../../../workflows/plan/machine-deployment/rollout/steps.ts';
import { aSet, someFacts, theNewSet } from './deployment-facts.ts';

const facts = someFacts({ sets: [aSet(), theNewSet()] });
const refusal = (names: string[]): RefusedWrites => ({
  names,
  reason: 'FailedUpdate',
  message: 'no',
  failures: 1,
  retryAt: 1_000,
});
const allowed = (steps: DeploymentStep[], names: string[], now = 0) =>
  allowedSteps(facts, steps, { requeues: { refused: refusal(names) }, now });

const write = { resourceVersion: '1', reason: '' };
const scale = (name: string): DeploymentStep => ({
  action: 'scaleSet',
  name,
  from: 1,
  replicas: 2,
  ...write,
});
const marks = { preferred: ['a', 'b'], machines: [{ name: 'c', time: 't' }], was: 'x', list: 'x' };
const mark: DeploymentStep = { action: 'markMachines', ...marks, reason: '' };
const remove: DeploymentStep = { action: 'deleteSets', names: ['old', 'older'], reason: '' };
const grant: DeploymentStep = { action: 'grantReplacements', set: 'old', reason: '' };
const close: DeploymentStep = { action: 'closeSet', name: 'old', isClosed: true, ...write };
const create: DeploymentStep = {
  action: 'createSet',
  name: 'next',
  replicas: 1,
  revision: 3,
  reason: '',
};

describe('while a write is refused', () => {
  test.each<{ name: string; steps: DeploymentStep[]; names: string[]; left: unknown }>([
    {
      name: 'another set is scaled all the same',
      steps: [scale('old'), scale('new')],
      names: ['MachineSet/old'],
      left: [scale('new')],
    },
    {
      name: 'its set is neither closed nor granted replacements',
      steps: [close, grant],
      names: ['MachineSet/old'],
      left: [],
    },
    {
      name: 'other machines are marked all the same',
      steps: [mark],
      names: ['Machine/a', 'Machine/c'],
      left: [{ ...mark, preferred: ['b'], machines: [] }],
    },
    {
      name: 'a step without any other machine is left out',
      steps: [mark],
      names: ['Machine/a', 'Machine/b', 'Machine/c'],
      left: [],
    },
    {
      name: 'machines are marked although the list is not to be written',
      steps: [{ ...mark, list: null }],
      names: ['MachineDeployment'],
      left: [mark],
    },
    {
      name: 'other sets are deleted all the same',
      steps: [remove],
      names: ['MachineSet/old'],
      left: [{ ...remove, names: ['older'] }],
    },
    {
      name: 'no set is made beside one that cannot be adopted',
      steps: [create],
      names: ['MachineSet/orphan'],
      left: [],
    },
    {
      name: 'a set is made where one of its own is refused',
      steps: [create],
      names: ['MachineSet/old', 'Machine/a', 'MachineDeployment', 'the status'],
      left: [create],
    },
  ])('$name', ({ steps, names, left }) => {
    expect(allowed(steps, names)).toEqual(left);
  });

  test('everything is tried again when it is time', () => {
    const steps = [scale('old'), mark, remove, grant, close, create];
    const names = ['MachineSet/old', 'MachineSet/orphan', 'Machine/a', 'MachineDeployment'];
    expect(allowed(steps, names, 1_000)).toEqual(steps);
    expect(allowedSteps(facts, steps, { requeues: {}, now: 0 })).toEqual(steps);
  });
});
