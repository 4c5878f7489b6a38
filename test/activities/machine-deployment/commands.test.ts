import { applyRolloutCommand } from '../../../activities/machine-deployment/commands.ts';
import type { RolloutCommand } from '../../../workflows/contracts/commands.ts';
import { aMachineDeployment } from '../../support/builders.ts';
import { DeploymentWorld, life } from './deployment-world.ts';

async function steer(
  world: DeploymentWorld,
  command: RolloutCommand,
  canaryRevision?: number,
): Promise<string> {
  const held = canaryRevision === undefined ? {} : { canaryRevision };
  return await applyRolloutCommand(
    { control: world.control, commandsBy: 'temporal', audit: () => {} },
    { deployment: life, command, ...held },
  );
}

describe('a command becomes the spec, with an Event that says where it came from', () => {
  test.each<{
    name: string;
    command: RolloutCommand;
    canaryRevision?: number;
    spec: object;
    event: string;
    words: string;
  }>([
    {
      name: 'pause',
      command: { verb: 'pause', by: 'Ada' },
      spec: { paused: true },
      event: 'Normal DeploymentPaused: Paused, asked for through Temporal by "Ada"',
      words: 'Paused',
    },
    {
      name: 'resume',
      command: { verb: 'resume' },
      spec: {},
      event: 'Normal DeploymentResumed: Resumed, asked for through Temporal',
      words: 'Resumed',
    },
    {
      name: 'rollback',
      command: { verb: 'rollback' },
      spec: { rollbackTo: { revision: 0 } },
      event:
        'Normal DeploymentRollbackRequested: Rollback to the previous revision, asked for through Temporal',
      words: 'Rollback to the previous revision',
    },
    {
      name: 'rollback to a revision',
      command: { verb: 'rollback', revision: 3 },
      spec: { rollbackTo: { revision: 3 } },
      event:
        'Normal DeploymentRollbackRequested: Rollback to revision 3, asked for through Temporal',
      words: 'Rollback to revision 3',
    },
    {
      name: 'setReplicas',
      command: { verb: 'setReplicas', replicas: 7 },
      spec: { replicas: 7 },
      event: 'Normal ReplicasSet: Replicas set to 7, asked for through Temporal',
      words: 'Replicas set to 7',
    },
  ])('$name', async ({ command, spec, event, words }) => {
    const world = new DeploymentWorld(aMachineDeployment({ spec: { paused: false } }));
    const { paused: _before, ...before } = (await world.deployment()).spec;
    expect(await steer(world, command)).toBe(words);
    const { paused, ...after } = (await world.deployment()).spec;
    expect({ ...after, ...(paused && { paused }) }).toEqual({ ...before, ...spec });
    expect(await world.events()).toEqual([event]);
  });

  test('an override of policies is an option that names who asks', async () => {
    const world = new DeploymentWorld();
    const { spec: before } = await world.deployment();
    const command = {
      verb: 'overridePolicies',
      minutes: 90,
      reason: 'CVE-2026-1234',
      by: 'Ada',
    } as const;
    const steps = { control: world.control, commandsBy: 'temporal', audit: () => {} } as const;
    const now = Date.parse('2026-01-31T22:00:00Z');
    const input = { deployment: life, command, now };
    const words = 'Policies overridden until 2026-01-31T23:30:00Z: CVE-2026-1234';
    expect(await applyRolloutCommand(steps, input)).toBe(words);
    // An attempt whose answer was lost.
    expect(await applyRolloutCommand(steps, input)).toBe(words);
    const { metadata, spec } = await world.deployment();
    expect(spec).toEqual(before);
    expect(metadata.annotations).toEqual({
      'millwright.dev/override-policies': '2026-01-31T23:30:00Z CVE-2026-1234 (by Ada)',
    });
    expect((await world.events())[0]).toBe(
      `Normal PolicyOverrideRequested: ${words}, asked for through Temporal by "Ada"`,
    );
  });

  test('a resume ends a pause, and lets the canary of its revision pass', async () => {
    const world = new DeploymentWorld(aMachineDeployment({ spec: { paused: true } }));
    const words = await steer(world, { verb: 'resume' }, 2);
    expect(words).toBe('Resumed, past the first machines of revision 2');
    const { metadata, spec } = await world.deployment();
    expect(metadata.annotations).toEqual({ 'millwright.dev/canary-passed': '2' });
    expect(spec).not.toHaveProperty('paused');
  });
});

describe('a command is refused and recorded in no Event,', () => {
  test.each([
    { when: 'when the object is gone', code: 404, reason: 'NotFound' },
    { when: 'when the spec is not taken', code: 422, reason: 'Invalid' },
    { when: 'when we may not write it', code: 403, reason: 'Forbidden' },
  ])('$when', async ({ code, reason }) => {
    const world = new DeploymentWorld();
    world.control.fault = ({ method }) => (method === 'PATCH' ? { code, reason } : undefined);
    await expect(steer(world, { verb: 'pause' })).rejects.toMatchObject({
      type: 'Refused',
      nonRetryable: true,
    });
    world.control.fault = () => undefined;
    expect(await world.events()).toEqual([]);
  });

  test('when another life has the name', async () => {
    const world = new DeploymentWorld(aMachineDeployment({ metadata: { uid: 'uid-of-another' } }));
    await expect(steer(world, { verb: 'pause' })).rejects.toMatchObject({ type: 'Refused' });
    expect((await world.deployment()).spec).not.toHaveProperty('paused');
  });
});

test('a command that gets no answer is for Temporal to try again', async () => {
  const world = new DeploymentWorld();
  world.control.fault = () => ({ code: 503, reason: 'HTTP503' });
  await expect(steer(world, { verb: 'pause' })).rejects.toMatchObject({ code: 503 });
});
