import { recorderOf } from '../../../kube/objects/events.ts';
import { requireActiveWatcher } from '../../../activities/runtime/leader-gate.ts';
import { reportOn } from '../../../activities/machine-deployment/lifecycle.ts';
import { deleteMachines } from '../../../activities/machine-set/deletions.ts';
import { machineSubject } from '../../../activities/machine/object.ts';
import { recordCreated, recordFailure, recordTimeout } from '../../../activities/machine/record.ts';
import { applyMachineCommand } from '../../../activities/machine/commands.ts';
import { beginTeardown } from '../../../activities/machine/teardown.ts';
import { reportClass } from '../../../activities/machine-class/validation.ts';
import {
  aMachine,
  aMachineClass,
  aMachineSet,
  aSecret,
  controlledBy,
  namespace,
} from '../../support/builders.ts';
import type { Fault } from '../../support/api-server/in-memory-client.ts';
import type { WorldOfTests } from '../../support/world.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const instance = { providerID: 'local:///i-1', nodeName: 'pool-a', isFound: false };
const failure = { code: 'ResourceExhausted' as const, message: 'no room', isSettled: true };

const steps: Record<string, (world: WorldOfTests) => Promise<unknown>> = {
  recordCreated: (world) => recordCreated(world, { machine, instance, usesTarget: true }),
  recordFailure: (world) =>
    recordFailure(world, {
      machine,
      failure,
      operation: 'Create',
      phase: 'CrashLoopBackOff',
      createGeneration: 1,
    }),
  recordTimeout: (world) => recordTimeout(world, { machine, instance, now: Date.now() }),
  beginTeardown: (world) => {
    world.control.put(aMachine({ metadata: { deletionTimestamp: '2026-01-01T01:00:00Z' } }));
    return beginTeardown(world, { machine });
  },
  applyMachineCommand: (world) =>
    applyMachineCommand(world, { machine, command: { verb: 'retryNow' } }),
  deleteMachines: (world) =>
    deleteMachines(world, { set: lifeOf('pool'), names: ['pool-a'], generation: 1, now: 0 }),
  reportDeployment: ({ control }) =>
    reportOn(control, lifeOf('pool'), { type: 'Normal', reason: 'Scaled', message: 'up' }),
  reportClass: (world) =>
    reportClass(world, { ref: { namespace, name: 'small' }, faults: ['bad'], isEdited: true }),
};

const refusals: Record<string, ReturnType<Fault>> = {
  'a quota of no Events': { code: 403, reason: 'Forbidden' },
  'a webhook that refuses': { code: 422, reason: 'Invalid' },
  'an etcd for Events without a leader': { code: 500, reason: 'InternalError' },
  'an API server that limits Events': { code: 429, reason: 'TooManyRequests' },
  'no answer for Events': { code: 0, reason: 'Timeout' },
};

function worldThatRefuses(verdict: ReturnType<Fault>): WorldOfTests {
  const world = aWorld({
    control: [
      aMachine({
        metadata: { labels: { pool: 'a' }, ownerReferences: controlledBy(aMachineSet()) },
      }),
      aMachineSet({ spec: { replicas: 0 } }),
      aMachineClass(),
      aSecret(),
    ],
  });
  world.control.fault = ({ method, path }) =>
    method !== 'GET' && path.includes('/events') ? verdict : undefined;
  return world;
}

describe.each(Object.entries(refusals))('with %s', (_name, verdict) => {
  test.each(Object.entries(steps))('%s succeeds', async (_step, run) => {
    const world = worldThatRefuses(verdict);
    await run(world);
    await recorderOf(world.control).idle();
    expect(world.control.calls).toContainEqual(expect.stringMatching(/^POST .*\/events$/));
  });

  test('a stop is still the reason why a step waits', async () => {
    const world = worldThatRefuses(verdict);
    const current = { uid: 'stop-1', reason: 'wrong disks', since: 1_000 };
    const stop = { current: () => current, last: () => undefined };
    const refused = requireActiveWatcher({ ...world, stop }, machineSubject(machine));
    await expect(refused).rejects.toMatchObject({ type: 'Stopped' });
  });
});
