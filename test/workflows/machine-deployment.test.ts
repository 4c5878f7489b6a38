import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeploymentSurvey } from '../../workflows/plan/machine-deployment.ts';
import { TemporalForTests } from '../support/temporal.ts';
import { SetWorld } from './set-world.ts';

let temporal: TemporalForTests;
beforeAll(async () => {
  temporal = await TemporalForTests.start();
}, 60_000);
afterAll(() => temporal.stop());

test('makes its set, scales it, deletes it', async () => {
  const survey: DeploymentSurvey = {
    isDeleting: false,
    hasFinalizer: true,
    isOrphaning: false,
    replicas: 3,
    faults: [],
    newSetName: 'pool-abcde',
    sets: [],
  };
  const world = new SetWorld(temporal, 'machineDeployment', {
    surveyMachineDeployment: async () => ({ found: true, uid: 'uid-1', survey }),
    applyDeploymentStep: async ({ step }) => {
      if (step.action === 'deleteSets' || step.action === 'release') survey.sets = [];
      else {
        const { name, replicas } = step;
        const isFresh = { isNew: true, isDeleting: false, hasFreshAnnotations: true };
        survey.sets = [{ name, resourceVersion: '1', replicas, ...isFresh }];
      }
    },
  });
  await world.run(async () => {
    await world.observe();
    await world.log.until('surveyMachineDeployment', 2);
    survey.replicas = 7;
    await world.observe({ generation: 2 });
    await world.log.until('applyDeploymentStep', 2);
    await world.log.until('surveyMachineDeployment', 4);
    survey.isDeleting = true;
    await world.observe({ isDeleting: true });
    expect(await world.handle.result()).toEqual({ reason: 'the MachineDeployment is gone' });
    const actions = world.log.inputsOf('applyDeploymentStep').map(({ step }) => step.action);
    expect(actions).toEqual(['createSet', 'scaleSet', 'deleteSets', 'release']);
  });
});
