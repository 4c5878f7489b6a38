/** Whether the code of an earlier failure stays beside what is written later. */
import { customResource } from '../../../kube/client/paths.ts';
import { checkHealth } from '../../../activities/machine/health.ts';
import { reportContest } from '../../../activities/machine/node/claims.ts';
import { recordOperation } from '../../../activities/machine/operation.ts';
import { recordTimeout } from '../../../activities/machine/record.ts';
import { statusPatch } from '../../../activities/machine/status.ts';
import type { ActivityDependencies } from '../../../activities/runtime/dependencies.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import { aMachine, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const path = customResource('machines', namespace, 'pool-a');
const instance = { providerID: 'local:///zone-1/i-1', nodeName: 'pool-a' };
const now = Date.parse('2027-01-01T00:00:00Z');
const health = { machine, instance, hasLostNode: false, pausedMs: 0, now };

function refusedIn(phase: MachinePhase): Machine {
  const since = '2026-01-01T00:00:00Z';
  return {
    ...aMachine(),
    status: {
      currentStatus: { phase, lastUpdateTime: since },
      lastOperation: {
        description: 'no room',
        errorCode: 'ResourceExhausted',
        state: 'Failed',
        type: 'Create',
      },
    },
  };
}

interface Row {
  name: string;
  phase: MachinePhase;
  write: (world: ActivityDependencies) => Promise<unknown>;
  description: string;
  errorCode: string | undefined;
}

test.each<Row>([
  {
    name: 'the creation timeout keeps the code of a machine without an instance',
    phase: 'CrashLoopBackOff',
    write: async (world) => await recordTimeout(world, { machine, now }),
    description: 'failed to join the cluster',
    errorCode: 'ResourceExhausted',
  },
  {
    name: 'the creation timeout of an instance that did not join removes the code',
    phase: 'Pending',
    write: async (world) => await recordTimeout(world, { machine, instance, now }),
    description: 'failed to join the cluster',
    errorCode: undefined,
  },
  {
    name: 'the health timeout removes the code',
    phase: 'Unknown',
    write: async (world) => await checkHealth(world, { ...health, since: 0 }),
    description: 'health checks failing',
    errorCode: undefined,
  },
  {
    name: 'a Node that another machine has removes the code',
    phase: 'Pending',
    write: async ({ control }) =>
      await reportContest(control, machine, 'Node pool-a is that of Machine pool-b'),
    description: 'is that of Machine pool-b',
    errorCode: undefined,
  },
  {
    name: 'an operation that goes on in the cloud removes the code',
    phase: 'CrashLoopBackOff',
    write: async (world) =>
      await recordOperation(world, { machine, operation: 'Create', description: 'it starts' }),
    description: 'it starts',
    errorCode: undefined,
  },
])('the error code in a status patch: $name', async ({ phase, write, description, errorCode }) => {
  const world = aWorld({ control: [refusedIn(phase)] });
  await write(world);
  const { status } = await world.control.read<Machine>(path);
  expect(status?.lastOperation?.description).toContain(description);
  expect(status?.lastOperation?.errorCode).toBe(errorCode);
});

const operation = { description: 'x', state: 'Processing', type: 'Create' } as const;

test('a patch without a phase leaves the phase and the time of its last update alone', () => {
  expect(statusPatch({ operation, errorCode: 'keep' })).toEqual({
    lastOperation: { ...operation, lastUpdateTime: expect.any(String) },
  });
});

test('a patch with a phase stops the creation timeout, and leaves a preservation alone', () => {
  const { currentStatus } = statusPatch({ phase: 'Failed', operation, errorCode: null });
  const lastUpdateTime: unknown = expect.any(String);
  expect(currentStatus).toEqual({ phase: 'Failed', timeoutActive: null, lastUpdateTime });
});
