import { machineDetails } from '../../../workflows/machine/details.ts';
import { preparedOf } from '../../../activities/machine/prepared.ts';
import type { MachineState } from '../../../workflows/machine/state.ts';
import { newMachineState } from '../../../workflows/machine/state.ts';
import { aMachine } from '../../support/builders.ts';
import { aWorld } from '../../support/world.ts';

const ref = { namespace: 'shoot', name: 'pool-1' };
const blocker = {
  pod: 'apps/web',
  podUid: 'uid-of-web',
  blockedBy: 'web-budget',
  since: 0,
  why: 'allows none',
};
const report = { uid: 'uid-1', podsLeft: 1, blockers: [blocker], blockerCount: 1 };

function withBlockedDrain(): MachineState {
  return { ...newMachineState(0), drain: report };
}

function pageOf(state: MachineState, step: { reason?: string; until?: number } = {}): string {
  return machineDetails(ref, state, { action: 'wait', reason: 'is healthy', ...step });
}

function withFailure(): MachineState {
  const detail = { code: 'Internal', message: 'no luck', isSettled: true } as const;
  const known = { detail, attempts: 1, retryAt: 60_000, isReported: true };
  return { ...newMachineState(0), failure: { ...known, operation: 'Delete' } };
}

test('what failed is tried again at the time that the page says', () => {
  const page = pageOf(withFailure(), { reason: 'Internal: no luck; preserved', until: 60_000 });
  expect(page).toContain('- **Waits because of** `Internal`: no luck');
  expect(page).toContain('- **Next attempt:** number 2, at 1970-01-01T00:01:00Z');
});

test.each([
  'for the cloud: i-1 is shutting-down since 14:02 UTC',
  'failed: its MachineSet decides',
])(
  'where no other attempt is planned the page says what is waited for, and what failed before: %s',
  (reason) => {
    const page = pageOf(withFailure(), { reason });
    expect(page).toContain(`- **Waits:** ${reason}\n- **Failed before:** \`Internal\`: no luck`);
    expect(page).not.toContain('Next attempt');
  },
);

test('a drain that is blocked says until when', () => {
  const state = withBlockedDrain();
  state.preservation = { seen: '', drain: { startedAt: 0, isDone: false } };
  expect(pageOf(state)).toContain('what is left at 2200-01-01T00:00:00Z is deleted by force');
  state.drain = { ...report, deadline: 60_000 };
  expect(pageOf(state)).toContain('what is left at 1970-01-01T00:01:00Z is deleted by force');
});

test('a drain that runs offers commands where the worker takes some', () => {
  const state: MachineState = {
    ...withBlockedDrain(),
    teardown: { stage: 'draining', startedAt: 0 },
  };
  expect(pageOf(state)).toMatch(/^    temporal workflow update .* --name skipDrain$/m);
  state.object.prepared = preparedOf(aMachine(), aWorld({ commandsBy: 'none' }));
  expect(pageOf(state)).not.toMatch(/temporal workflow|# deletes the pods/);
});

test('the report of a drain that is over is not shown', () => {
  expect(pageOf(withBlockedDrain())).not.toContain('Drain is blocked');
});

test('while hooks hold its deletion the page names each, since when, and what passes it', () => {
  const annotation = 'suspend-instance-deletion.node.machine.sapcloud.io/etcd';
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const machine = aMachine({
    metadata: { deletionTimestamp, annotations: { [annotation]: 'etcd-druid' } },
  });
  const condition = { type: 'InstanceDeletionSuspended', status: 'True' as const };
  const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T01:00:00Z' }];
  const prepared = preparedOf({ ...machine, status: { conditions } }, aWorld());
  const state: MachineState = {
    ...newMachineState(0),
    teardown: { stage: 'deleting', startedAt: 0 },
  };
  state.object.prepared = prepared;
  state.object.observed = { ...prepared, cluster: 'c', epoch: 1 };
  const page = pageOf(state, {
    reason: 'The deletion of the instance waits for etcd (etcd-druid)',
  });
  expect(page).toContain('- **Waits:** The deletion of the instance waits for etcd (etcd-druid)');
  expect(page).toContain(
    `- **Hook** since 2026-01-01T01:00:00Z: etcd (etcd-druid), \`${annotation}\``,
  );
  expect(page).toContain(`kubectl -n shoot annotate machine pool-1 '${annotation}-'`);
});
