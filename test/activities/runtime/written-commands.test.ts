/** Where commands may come from, and that one that is written on an object is done once. */
import { applyMachineCommand } from '../../../activities/machine/commands.ts';
import { applyRolloutCommand } from '../../../activities/machine-deployment/commands.ts';
import { refuseCommand } from '../../../activities/runtime/written-commands.ts';
import type { AuditEntry } from '../../../activities/runtime/audit.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { commandIn } from '../../../workflows/api/command-verbs.ts';
import type { CommandSource } from '../../../workflows/api/command-source.ts';
import { annotations, drainOptions } from '../../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, aMachineDeployment, namespace } from '../../support/builders.ts';
import type { WorldOfTests } from '../../support/world.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const path = customResource('machines', namespace, 'pool-a');
const written = 'skipDrain by=ada';
const command = { verb: 'skipDrain', by: 'ada' } as const;

interface Given {
  commandsBy?: CommandSource;
  text?: string;
}

function worldOf({ commandsBy = 'kubernetes', text }: Given): WorldOfTests & { log: AuditEntry[] } {
  const log: AuditEntry[] = [];
  const notes = text === undefined ? {} : { [annotations.command]: text };
  const object = aMachine({ metadata: { annotations: notes } });
  const audit = (entry: AuditEntry): number => log.push(entry);
  return { ...aWorld({ control: [object], commandsBy, audit }), log };
}

async function notesOn({ control }: WorldOfTests): Promise<object> {
  return (await control.read<Machine>(path)).metadata.annotations ?? {};
}

describe('a command through Temporal', () => {
  test('is refused where commands come by Kubernetes, with what to write instead', async () => {
    const world = worldOf({});
    const asked = { verb: 'extendDrain', minutes: 30 } as const;
    await expect(applyMachineCommand(world, { machine, command: asked })).rejects.toMatchObject({
      nonRetryable: true,
      message: `commands through Temporal are refused (--commands-by=kubernetes): kubectl -n ${namespace} annotate machine pool-a 'millwright.dev/command=extendDrain minutes=30'`,
    });
    expect(world.log).toEqual([]);
  });

  test('is refused where none are taken', async () => {
    const world = worldOf({ commandsBy: 'none' });
    await expect(applyMachineCommand(world, { machine, command })).rejects.toThrow(
      'commands are refused (--commands-by=none)',
    );
    expect(await notesOn(world)).toEqual({});
  });

  test('is refused for a rollout as well', async () => {
    const deployment = aMachineDeployment();
    const { name, uid } = deployment.metadata;
    const world = aWorld({ control: [deployment], commandsBy: 'kubernetes' });
    const asked = { verb: 'setReplicas', replicas: 0 } as const;
    const input = { deployment: { namespace, name, uid }, command: asked };
    await expect(applyRolloutCommand(world, input)).rejects.toThrow(
      `annotate machinedeployment ${name} 'millwright.dev/command=setReplicas replicas=0'`,
    );
    const at = customResource('machinedeployments', namespace, name);
    expect((await world.control.read<MachineDeployment>(at)).spec).toEqual(deployment.spec);
  });
});

describe('a command that is written on the object', () => {
  test.each(['kubernetes', 'temporal'] as const)(
    'is done with --commands-by=%s',
    async (source) => {
      const world = worldOf({ commandsBy: source, text: written });
      const applied = await applyMachineCommand(world, { machine, command, written });
      expect(applied).toMatchObject({ words: 'Drain skipped' });
      expect(await notesOn(world)).toEqual({ [drainOptions.skip]: 'true' });
      expect(world.control.bodies.at(-1)).toMatchObject({
        message: 'Drain skipped, asked for by annotation by "ada"',
      });
      expect(world.log).toEqual([
        {
          verb: 'skipDrain',
          object: `Machine ${namespace}/pool-a`,
          uid: machine.uid,
          through: 'annotation',
          by: 'ada',
        },
      ]);
    },
  );

  test('is done once, however often it is heard of', async () => {
    const world = worldOf({ text: 'retryNow' });
    const retry = { machine, command: { verb: 'retryNow' }, written: 'retryNow' } as const;
    expect(await applyMachineCommand(world, retry)).not.toHaveProperty('isStale');
    expect(await applyMachineCommand(world, retry)).toEqual({
      words: 'done before',
      isStale: true,
    });
    expect(world.log).toHaveLength(1);
  });

  test('is not done when a person has taken it back, or asks for something else by now', async () => {
    const world = worldOf({ text: 'forceDelete' });
    expect(await applyMachineCommand(world, { machine, command, written })).toMatchObject({
      isStale: true,
    });
    expect(await notesOn(world)).toEqual({ [annotations.command]: 'forceDelete' });
  });

  test('goes with the write of a rollout', async () => {
    const text = 'setReplicas replicas=5';
    const deployment = aMachineDeployment({
      metadata: { annotations: { [annotations.command]: text } },
    });
    const { name, uid } = deployment.metadata;
    const world = aWorld({ control: [deployment], commandsBy: 'kubernetes' });
    const asked = { verb: 'setReplicas', replicas: 5 } as const;
    const input = { deployment: { namespace, name, uid }, command: asked, written: text };
    expect(await applyRolloutCommand(world, input)).toBe('Replicas set to 5');
    const at = customResource('machinedeployments', namespace, name);
    const present = await world.control.read<MachineDeployment>(at);
    expect(present.spec.replicas).toBe(5);
    expect(present.metadata.annotations ?? {}).toEqual({});
    expect(await applyRolloutCommand(world, input)).toBe('done before');
  });

  test('goes with the write of a rollout also where others write at the same moment', async () => {
    const text = 'pause by=ada';
    const deployment = aMachineDeployment({
      metadata: { annotations: { [annotations.command]: text } },
    });
    const { name, uid } = deployment.metadata;
    const world = aWorld({ control: [deployment], commandsBy: 'kubernetes' });
    const at = customResource('machinedeployments', namespace, name);
    world.control.fault = ({ method }) => {
      if (method !== 'PATCH') return undefined;
      world.control.fault = () => undefined;
      return { code: 409, reason: 'Conflict' };
    };
    const asked = { verb: 'pause', by: 'ada' } as const;
    const input = { deployment: { namespace, name, uid }, command: asked, written: text };
    const attempt = applyRolloutCommand(world, input);
    await expect(attempt).rejects.not.toHaveProperty('nonRetryable', true);
    expect(await applyRolloutCommand(world, input)).toBe('Paused');
    const present = await world.control.read<MachineDeployment>(at);
    expect(present.spec.paused).toBe(true);
  });

  test('that cannot be done is taken off the object, which says why', async () => {
    const world = worldOf({ text: 'skipDrian' });
    const object = { ...machine, kind: 'Machine' } as const;
    const refused = { object, written: 'skipDrian', fault: 'must be one of ...' };
    await refuseCommand(world.control, refused);
    expect(await notesOn(world)).toEqual({});
    expect(world.control.bodies.at(-1)).toMatchObject({
      type: 'Warning',
      reason: 'CommandRefused',
      message: '"skipDrian" was not done: must be one of ...',
    });
    const before = world.control.bodies.length;
    await refuseCommand(world.control, refused);
    expect(world.control.bodies).toHaveLength(before);
  });

  test('is taken off also where it is longer than what a signal carries of it', async () => {
    const text = 'x'.repeat(250_000);
    const world = worldOf({ text });
    const object = { ...machine, kind: 'Machine' } as const;
    const heard = commandIn({ [annotations.command]: text }) ?? '';
    expect(heard).toHaveLength(301);
    await refuseCommand(world.control, { object, written: heard, fault: 'too long' });
    expect(await notesOn(world)).toEqual({});
  });

  test.each([
    { code: 403, reason: 'Forbidden' },
    { code: 422, reason: 'Invalid' },
    { code: 500, reason: 'InternalError' },
  ])('is said to be refused where a policy keeps it on the object: $code', async (refusal) => {
    const world = worldOf({ text: written });
    world.control.fault = ({ method }) => (method === 'PATCH' ? refusal : undefined);
    const object = { ...machine, kind: 'Machine' } as const;
    await refuseCommand(world.control, { object, written, fault: 'not now' });
    expect(await notesOn(world)).toEqual({ [annotations.command]: written });
    expect(world.control.bodies.at(-1)).toMatchObject({
      reason: 'CommandRefused',
      message: expect.stringMatching(
        `^"skipDrain by=ada" was not done: not now; .* ${refusal.code} ${refusal.reason}`,
      ),
    });
  });
});

describe('a command for a generation of its object', () => {
  const commandsBy = 'temporal';
  const ofAnother = { ...command, ifGeneration: 2 };
  const refusal = { nonRetryable: true, message: expect.stringContaining('has generation 1') };

  test.each([{ text: undefined }, { text: 'skipDrain by=ada ifGeneration=2' }])(
    'is refused where it has another (annotation: $text)',
    async ({ text }) => {
      const world = worldOf({ commandsBy, ...(text !== undefined && { text }) });
      const asked = { machine, command: ofAnother, ...(text !== undefined && { written: text }) };
      await expect(applyMachineCommand(world, asked)).rejects.toMatchObject(refusal);
      expect(await notesOn(world)).not.toHaveProperty([drainOptions.skip]);
    },
  );

  test('is done where it has that one, and not on what has changed since the read', async () => {
    const world = worldOf({ commandsBy });
    const asked = { machine, command: { ...command, ifGeneration: 1 } };
    world.control.fault = ({ method }) => {
      if (method !== 'PATCH') return undefined;
      world.control.fault = () => undefined;
      return { code: 409, reason: 'Conflict' };
    };
    await expect(applyMachineCommand(world, asked)).rejects.toMatchObject({ code: 409 });
    await applyMachineCommand(world, asked);
    expect(await notesOn(world)).toMatchObject({ [drainOptions.skip]: 'true' });
  });

  test('whose answer was lost is not refused by the next attempt', async () => {
    const deployment = aMachineDeployment();
    const { name, uid } = deployment.metadata;
    const world = aWorld({ control: [deployment], commandsBy });
    const asked = { verb: 'setReplicas', replicas: 9, ifGeneration: 1 } as const;
    const input = { deployment: { namespace, name, uid }, command: asked };
    for (const attempt of [1, 2]) {
      expect([attempt, await applyRolloutCommand(world, input)]).toEqual([
        attempt,
        'Replicas set to 9',
      ]);
    }
    const next = { ...input, command: { ...asked, replicas: 3 } };
    await expect(applyRolloutCommand(world, next)).rejects.toThrow('has generation 2');
  });
});
