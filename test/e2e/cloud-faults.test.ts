/** A cloud that refuses, hangs, and loses its answers. */
import { describe, expect, test } from '@jest/globals';
import type { Machine } from '../../workflows/api/machine.ts';
import { untilEvent } from './support/events.ts';
import { eventually } from './support/eventually.ts';
import { createMachine, deleteMachine, untilGone, untilPhase } from './support/machines.ts';
import { useScenario } from './support/scenario.ts';

describe('a cloud', () => {
  // A cloud without room is left alone for 10 minutes by default.
  const scenario = useScenario('cloud', { workerFlags: ['--resource-exhausted-retry=1s'] });
  const { cluster, cloud, workflows } = scenario;

  test('that makes a VM and loses the answer has made one VM', async () => {
    await cloud.addFault({ operation: 'create', kind: 'loseAnswer', times: 1 });
    const name = await createMachine(scenario, 'lost-answer');
    await untilPhase(scenario, name, 'Running');
    expect((await cloud.calls()).createsPerName).toEqual({ [name]: 1 });
    await deleteMachine(scenario, name);
  });

  test('that deletes a VM and loses the answer is asked again', async () => {
    const name = await createMachine(scenario, 'lost-deletion');
    await untilPhase(scenario, name, 'Running');
    await cloud.addFault({ operation: 'delete', kind: 'loseAnswer', times: 1 });
    await deleteMachine(scenario, name);
    expect(await cloud.instances()).toEqual([]);
    expect(await cloud.count('delete', 'ok')).toBeGreaterThan(0);
  });

  test.each([
    {
      words: 'has no room',
      fault: { kind: 'quota', message: 'quota of 0 instances exceeded in zone a' },
      code: 'ResourceExhausted',
    },
    {
      words: 'refuses our credentials',
      fault: { kind: 'error', code: 'PermissionDenied', message: 'not allowed to create' },
      code: 'PermissionDenied',
    },
    {
      words: 'does not know our credentials',
      fault: { kind: 'error', code: 'Unauthenticated', message: 'unknown key' },
      code: 'Unauthenticated',
    },
    {
      words: 'is broken',
      fault: { kind: 'error', code: 'Internal', message: 'disk on fire' },
      code: 'Internal',
    },
  ])(
    'that $words: $code on the Machine, and Running once that is over',
    async ({ fault, code }) => {
      await cloud.addFault({ operation: 'create', ...fault });
      const name = await createMachine(scenario, code.toLowerCase());
      await untilPhase(scenario, name, 'CrashLoopBackOff');
      const machine = await eventually('lastOperation says why', async () => {
        const seen = await cluster.machine(name);
        expect(seen.status?.lastOperation).toMatchObject({
          description: `Cloud provider message - machine codes error: code = [${code}] message = [${fault.message}]`,
          errorCode: code,
          state: 'Failed',
          type: 'Create',
        });
        return seen;
      });
      await expectEventOf(machine, fault.message);
      const { details } = await workflows.pageOf('machine', name);
      expect(details).toContain(fault.message);
      await cloud.clearFaults();
      const running = await untilPhase(scenario, name, 'Running');
      expect(running.status?.lastOperation?.errorCode).toBeUndefined();
      expect((await cloud.calls()).createsPerName[name]).toBe(1);
      await deleteMachine(scenario, name);
    },
  );

  test('that refuses for ever does not stand in the way of a deletion', async () => {
    await cloud.addFault({ operation: 'create', kind: 'error', code: 'PermissionDenied' });
    const name = await createMachine(scenario, 'refused');
    await untilPhase(scenario, name, 'CrashLoopBackOff');
    await deleteMachine(scenario, name);
    await cloud.clearFaults();
    expect((await cloud.calls()).createsPerName[name]).toBeUndefined();
  });

  test('that hangs in a create does not stand in the way of a deletion, and no VM is left', async () => {
    await cloud.addFault({ operation: 'create', kind: 'hang' });
    const name = await createMachine(scenario, 'hangs');
    await eventually('the create hangs', async () => {
      expect(await cloud.count('create', 'hang')).toBeGreaterThan(0);
    });
    const path = cluster.pathOf('machines', name);
    await cluster.delete(path);
    await untilGone(scenario, path);
    await cloud.clearFaults();
    expect(await cloud.instances()).toEqual([]);
  });

  test('that refuses a deletion is asked until it does it', async () => {
    const name = await createMachine(scenario, 'stays');
    await untilPhase(scenario, name, 'Running');
    await cloud.addFault({
      operation: 'delete',
      kind: 'error',
      code: 'Internal',
      message: 'stuck',
    });
    const path = cluster.pathOf('machines', name);
    await cluster.delete(path);
    await eventually('the Machine says why it is still there', async () => {
      const { status } = await cluster.machine(name);
      expect(status).toMatchObject({
        currentStatus: { phase: 'Terminating' },
        lastOperation: { errorCode: 'Internal', state: 'Failed', type: 'Delete' },
      });
    });
    expect(await cloud.instances()).toHaveLength(1);
    await cloud.clearFaults();
    await untilGone(scenario, path);
  });

  async function expectEventOf({ metadata }: Machine, message: string): Promise<void> {
    const said = { type: 'Warning', message: expect.stringContaining(message) } as const;
    await untilEvent(scenario, { kind: 'Machine', name: metadata.name }, said);
  }
});
