/** How far a pool is, what it waits for, and how long that takes. */
import type { RolloutProgress } from '../../../cli/install/rollout.ts';
import { progressOf } from '../../../cli/install/rollout.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import { aMachine, metaOf, minutesAgo, now } from '../diagnosis/objects.ts';

const apiVersion = 'machine.sapcloud.io/v1alpha1';
const dayMinutes = 1_440;
const minuteMs = 60_000;

function aPool(
  progressing: NonNullable<NonNullable<MachineDeployment['status']>['conditions']>[number],
  spec: Partial<MachineDeployment['spec']> = {},
): MachineDeployment {
  return {
    apiVersion,
    kind: 'MachineDeployment',
    metadata: metaOf('pool'),
    spec: { replicas: 10, template: {}, ...spec },
    status: { conditions: [progressing] },
  };
}

const complete = {
  type: 'Progressing',
  status: 'True' as const,
  reason: 'NewMachineSetAvailable',
  message: 'MachineSet "pool-1" has successfully progressed.',
};

/** It took four minutes to join. */
function joined(name: string, createdAgo: number): Machine {
  return aMachine(name, {
    metadata: { creationTimestamp: minutesAgo(createdAgo) },
    status: {
      currentStatus: { phase: 'Running' },
      lastOperation: {
        type: 'Create',
        state: 'Successful',
        lastUpdateTime: minutesAgo(createdAgo - 4),
      },
    },
  });
}

const nine = Array.from({ length: 9 }, (_, index) => joined(`m-${index}`, 30 * dayMinutes));
const setOf = (name: string, machines: readonly Machine[]) => ({
  set: { apiVersion, kind: 'MachineSet' as const, metadata: metaOf(name), spec: {} },
  machines,
});

function progress(
  deployment: MachineDeployment,
  ...sets: ReturnType<typeof setOf>[]
): RolloutProgress {
  return progressOf({ deployment, sets }, now);
}

test('a machine that is replaced, or more of them, take as long as one takes to join', () => {
  const replaced = progress(aPool(complete), setOf('pool-1', nine));
  expect(replaced).toMatchObject({ state: 'Progressing', leftMs: 4 * minuteMs });
  const scaled = progress(aPool(complete, { replicas: 12 }), setOf('pool-1', nine));
  expect(scaled.leftMs).toBe(12 * minuteMs);
});

test('a rollout takes what it took so far, for each machine', () => {
  const fresh = [joined('a', 20), joined('b', 10)];
  const { leftMs } = progress(aPool(complete), setOf('pool-2', fresh), setOf('pool-1', nine));
  expect(leftMs).toBe(9 * 10 * minuteMs);
});

test('what is ready is what runs, of whatever template; what of it is updated is said apart', () => {
  const fresh = [joined('a', 20)];
  const pool = progress(aPool(complete), setOf('pool-2', fresh), setOf('pool-1', nine));
  expect(pool).toMatchObject({ ready: 10, updated: 1, old: 9, updating: 0 });
  expect(pool.counts).toMatch(/^10 of 10 ready, 1 updated, 9 of old sets/);
});

test('what kstatus calls Failed does not progress, and no time is left for it', () => {
  const stalled = {
    type: 'Stalled',
    status: 'True' as const,
    reason: 'InvalidSpec',
    message: 'no',
  };
  const pool = aPool(complete, { replicas: 12 });
  pool.status = { conditions: [complete, stalled] };
  const seen = progress(pool, setOf('pool-1', nine));
  expect(seen.state).toBe('Blocked');
  expect(seen.leftMs).toBeUndefined();
});

test('what a paused pool waits for is why it is held, and never that it is complete', () => {
  const paused = progress(aPool(complete, { paused: true }), setOf('pool-1', nine));
  expect(paused).toMatchObject({ state: 'Paused', awaits: 'a person who resumes it' });
  const message = 'The rollout holds after the first machine of pool-2';
  const held = { ...complete, status: 'Unknown' as const, reason: 'DeploymentPaused', message };
  expect(progress(aPool(held), setOf('pool-1', nine)).awaits).toBe(message);
});

test('a rollout that is held before its first set has old machines alone, and says what it awaits', () => {
  const message = 'DisruptionPolicy weekend: waits for its window, Fri 2026-12-04 22:00 CET';
  const held = { ...complete, status: 'Unknown' as const, reason: 'DeploymentPaused', message };
  const pool = progress(aPool(held, { replicas: 9 }), setOf('pool-1', nine));
  expect(pool).toMatchObject({ state: 'Paused', updated: 0, old: 9, ready: 9, awaits: message });
});
