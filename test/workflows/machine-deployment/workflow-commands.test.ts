/** What people and programs ask of a rollout, by signal and by update. */
import { EventEmitter, once } from 'node:events';
import { ApplicationFailure, WorkflowUpdateFailedError } from '@temporalio/client';
import { RawValue } from '@temporalio/common';
import { machineDeploymentGone } from '../../../workflows/contracts/messages.ts';
import { rolloutCommands } from '../../../workflows/contracts/commands.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { cluster } from '../machine/machine-world.ts';
import { aSet, theNewSet } from '../plan/machine-deployment/rollout/deployment-facts.ts';
import { RolloutWorld } from './rollout-world.ts';

const temporal = TemporalForTests.ofFile();

/** At rest, with one set of three machines. */
async function begin(rollout: RolloutWorld): Promise<void> {
  await rollout.world.observe();
  await rollout.isComplete();
}

const commandsTo = (rollout: RolloutWorld) =>
  rollout.log.inputsOf('applyRolloutCommand').map(({ command }) => command);

/** Why an update was refused or failed. */
async function reasonOf(update: Promise<unknown>): Promise<string> {
  const error: unknown = await update.catch((failure: unknown) => failure);
  if (!(error instanceof WorkflowUpdateFailedError))
    throw new Error(`no failure: ${String(error)}`);
  return error.cause?.message ?? '';
}

async function pageOf({ world }: RolloutWorld): Promise<string> {
  const metadata = await world.handle.query<{ currentDetails: string }>(
    '__temporal_workflow_metadata',
  );
  return metadata.currentDetails;
}

test('the page names the first machine of a set that fails, and why', async () => {
  const rollout = new RolloutWorld(temporal);
  const failing = { name: 'pool-1-x', why: 'no such machine type' };
  rollout.facts.sets = [theNewSet({ name: 'pool-1', machines: 'AAA', failing })];
  await rollout.run(async () => {
    await begin(rollout);
    expect(await pageOf(rollout)).toMatch(
      /^- \*\*Failing\*\* `machine\/shoot-\w+\/pool-1-x`: no such machine type$/m,
    );
  });
});

test('the page of a rollout that a policy holds says until when, and the way past it', async () => {
  const rollout = new RolloutWorld(temporal);
  const until = Date.parse('2099-12-05T01:00:00Z');
  const why = 'waits for its window, Sat 2099-12-05 02:00 CET';
  rollout.facts.sets = [aSet({ name: 'pool-0', machines: 'AAA' })];
  rollout.facts.gate = { closed: { policy: 'weekend', kind: 'time', why, until } };
  await rollout.run(async () => {
    await rollout.world.observe();
    await rollout.until('it is held', ({ state }) => state === 'Paused');
    const page = await pageOf(rollout);
    expect(page).toContain(`- **Now:** DisruptionPolicy weekend: ${why} (since `);
    expect(page).toContain('- **Goes on by itself:** 2099-12-05T01:00:00Z\n');
    expect(page).toMatch(/ --name overridePolicies --input '{"minutes":60,"reason":"WHY"}'$/m);
  });
});

describe('an update', () => {
  test('is answered with what was done, once it was done', async () => {
    const rollout = new RolloutWorld(temporal);
    await rollout.run(async () => {
      await begin(rollout);
      const { handle } = rollout.world;
      expect(
        await handle.executeUpdate(rolloutCommands.pause.update, { args: [{ by: 'Ada' }] }),
      ).toBe('done: pause');
      expect(rollout.facts.isPaused).toBe(true);
      await rollout.until('the pause is seen', ({ state }) => state === 'Paused');
      expect(await handle.executeUpdate(rolloutCommands.resume.update, { args: [{}] })).toBe(
        'done: resume',
      );
      const args: [{ replicas: number }] = [{ replicas: 7 }];
      await handle.executeUpdate(rolloutCommands.setReplicas.update, { args });
      await eventually('7 machines', async () => rollout.facts.sets[0]?.replicas === 7);
      expect(commandsTo(rollout)).toEqual([
        { verb: 'pause', by: 'Ada' },
        { verb: 'resume' },
        { verb: 'setReplicas', replicas: 7 },
      ]);
      expect(rollout.log.inputsOf('applyRolloutCommand')[0]?.deployment.uid).toBe('uid-1');
    });
  });

  test('an update that makes no sense is refused before it begins, in words', async () => {
    const rollout = new RolloutWorld(temporal);
    await rollout.run(async () => {
      await begin(rollout);
      const { handle } = rollout.world;
      const tooFew = handle.executeUpdate(rolloutCommands.setReplicas.update, {
        args: [{ replicas: -1 }],
      });
      expect(await reasonOf(tooFew)).toBe('replicas: -1: must be a whole number of 0 or more');
      const unknown = handle.executeUpdate(rolloutCommands.rollback.update, {
        args: [{ revision: 9 }],
      });
      expect(await reasonOf(unknown)).toBe('revision: 9: no MachineSet has it; known are 1');
      rollout.facts.isPaused = true;
      await rollout.until('the pause is seen', ({ state }) => state === 'Paused');
      const misspelt = handle.executeUpdate('rollback', { args: [{ toRevision: 1 }] });
      expect(await reasonOf(misspelt)).toBe(
        'field "toRevision": must be revision or ifGeneration or by',
      );
      const paused = handle.executeUpdate(rolloutCommands.rollback.update, { args: [{}] });
      expect(await reasonOf(paused)).toContain('is paused: resume it, then roll back');
      expect(commandsTo(rollout)).toEqual([]);
    });
  });

  test('an update that the API server refuses fails with its words, which are no condition of the deployment', async () => {
    const rollout = new RolloutWorld(temporal, () => ({
      applyRolloutCommand: async () => {
        throw ApplicationFailure.nonRetryable('pause: denied by a webhook', 'Refused');
      },
    }));
    await rollout.run(async () => {
      await begin(rollout);
      const update = rollout.world.handle.executeUpdate(rolloutCommands.pause.update, {
        args: [{}],
      });
      expect(await reasonOf(update)).toBe('pause: denied by a webhook');
      await rollout.world.changeSets();
      expect((await rollout.planned()).lastError).toContain('denied by a webhook');
      expect(rollout.log.inputsOf('observeMachineDeployment').at(-1)).not.toHaveProperty('error');
    });
  });

  test('an update that waits when the object turns out to be gone is refused for that', async () => {
    let isHeld = false;
    const gate = new EventEmitter();
    const rollout = new RolloutWorld(temporal, (own) => ({
      observeMachineDeployment: async (input) => {
        if (isHeld) await once(gate, 'open');
        return (await own.observeMachineDeployment?.(input)) ?? { found: false };
      },
    }));
    await rollout.run(async () => {
      await begin(rollout);
      const looks = rollout.log.count('observeMachineDeployment');
      isHeld = true;
      await rollout.world.changeSets();
      await rollout.log.until('observeMachineDeployment', looks + 1);
      // Before the object is gone, or the workflow may have ended when it comes.
      const update = await rollout.world.handle.startUpdate(rolloutCommands.pause.update, {
        args: [{}],
        waitForStage: 'ACCEPTED',
      });
      rollout.uid = undefined;
      isHeld = false;
      gate.emit('open');
      expect(await reasonOf(update.result())).toBe('the MachineDeployment is gone');
      expect(commandsTo(rollout)).toEqual([]);
    });
  });

  test('an update that comes when the object is gone, and only work on Nodes is left, is refused for that', async () => {
    const gate = new EventEmitter();
    const rollout = new RolloutWorld(temporal, () => ({
      updateRolloutNodes: async () => {
        await once(gate, 'open');
        return { protectedNodes: [] };
      },
    }));
    Object.assign(rollout.facts, { hasNodes: true, sets: [aSet({ machines: 'AAA' })] });
    await rollout.run(async () => {
      await rollout.world.observe();
      await rollout.log.until('updateRolloutNodes');
      const { handle } = rollout.world;
      const gone = { cluster, epoch: 1, resourceVersion: '9999', uid: 'uid-1' };
      await handle.signal(machineDeploymentGone, gone);
      const update = handle.executeUpdate(rolloutCommands.pause.update, { args: [{}] });
      expect(await reasonOf(update)).toBe('the MachineDeployment is gone');
      gate.emit('open');
      expect(await resultOf(handle)).toEqual({ reason: 'the MachineDeployment is gone' });
    });
  });

  test('an update that runs when a rollout ends is answered before the next run begins', async () => {
    const rollout = new RolloutWorld(temporal);
    await rollout.run(async () => {
      await begin(rollout);
      const { handle } = rollout.world;
      rollout.changeTemplate();
      await rollout.world.observe({ generation: 2 });
      const updates = Array.from({ length: 5 }, async () => {
        await rollout.world.changeSets();
        return await handle.executeUpdate(rolloutCommands.setReplicas.update, {
          args: [{ replicas: 3 }],
        });
      });
      expect(await Promise.all(updates)).toEqual(Array(5).fill('done: setReplicas'));
      await rollout.isComplete();
    });
  });
});

describe('a signal', () => {
  test('a signal that makes no sense is left out, and its own words for the verb count for nothing', async () => {
    const rollout = new RolloutWorld(temporal);
    await rollout.run(async () => {
      await begin(rollout);
      const { handle } = rollout.world;
      await handle.signal(rolloutCommands.setReplicas.signal, { replicas: 1.5 });
      await handle.signal('setReplicas');
      await handle.signal('pause', { verb: 'setReplicas', by: 'Ada' });
      await handle.signal('rollback', { toRevision: 1 });
      await handle.signal(rolloutCommands.pause.signal, { by: 'Ada' });
      await rollout.log.until('applyRolloutCommand');
      expect(commandsTo(rollout)).toEqual([{ verb: 'pause', by: 'Ada' }]);
      expect(await pageOf(rollout)).toMatch(
        /^> \*\*Left out\*\* at \S+Z: signal "rollback": field "toRevision": must be revision or ifGeneration or by\n/,
      );
    });
  });

  test('a signal of an unknown name is not kept in silence: the page says what there is', async () => {
    const rollout = new RolloutWorld(temporal);
    await rollout.run(async () => {
      await begin(rollout);
      await rollout.world.handle.signal('puase', {});
      await eventually('the page', async () => {
        const page = await pageOf(rollout);
        return /signal "puase": .* takes pause, resume, rollback, setReplicas, overridePolicies\n/.test(
          page,
        );
      });
      expect(await pageOf(rollout)).toContain('### MachineDeployment');
    });
  });

  test('a rollback whose revision cannot be decoded does not go to the revision before', async () => {
    const rollout = new RolloutWorld(temporal);
    await rollout.run(async () => {
      await begin(rollout);
      const { handle } = rollout.world;
      const payload = {
        metadata: { encoding: Buffer.from('json/protobuf') },
        data: Buffer.from('{"revision": 1}'),
      };
      await handle.signal('rollback', RawValue.fromPayload(payload));
      const update = handle.executeUpdate<string, [unknown]>('rollback', {
        args: [RawValue.fromPayload(payload)],
      });
      expect(await reasonOf(update)).toBe(
        '"a payload that cannot be decoded": must be an object such as {"by": "Ada"}',
      );
      await handle.signal(rolloutCommands.pause.signal, {});
      await rollout.log.until('applyRolloutCommand');
      expect(commandsTo(rollout)).toEqual([{ verb: 'pause' }]);
    });
  });
});

/** Paused, as its workflow knows. */
async function pausedWith(rollout: RolloutWorld, body: () => Promise<void>): Promise<void> {
  rollout.facts.isPaused = true;
  rollout.facts.sets = [aSet({ name: 'pool-0', machines: '' }), theNewSet({ machines: 'AAA' })];
  await rollout.run(async () => {
    await rollout.world.observe();
    await rollout.until('the pause is seen', ({ state }) => state === 'Paused');
    await body();
  });
}

test('a command on the object with a field of another is refused', async () => {
  const rollout = new RolloutWorld(temporal, () => ({ refuseCommand: async () => undefined }));
  await rollout.run(async () => {
    await begin(rollout);
    await rollout.world.observe({ command: 'pause replicas=0' });
    await rollout.log.until('refuseCommand');
    expect(rollout.log.inputsOf('refuseCommand')).toMatchObject([
      { written: 'pause replicas=0', fault: 'field "replicas": must be ifGeneration or by' },
    ]);
    expect(commandsTo(rollout)).toEqual([]);
  });
});

describe('a rollback after a pause', () => {
  test('is done where the write that asks for it ends the pause', async () => {
    const rollout = new RolloutWorld(temporal, () => ({ refuseCommand: async () => undefined }));
    await pausedWith(rollout, async () => {
      rollout.facts.isPaused = false;
      await rollout.world.observe({ generation: 2, command: 'rollback' });
      await rollout.log.until('applyRolloutCommand');
      expect(rollout.log.count('refuseCommand')).toBe(0);
      expect(commandsTo(rollout)).toEqual([{ verb: 'rollback' }]);
    });
  });

  test('is done where a resume came right before it', async () => {
    const gate = new EventEmitter();
    const rollout = new RolloutWorld(temporal, (own) => ({
      applyRolloutCommand: async (input) => {
        if (input.command.verb === 'pause') await once(gate, 'open');
        return (await own.applyRolloutCommand?.(input)) ?? '';
      },
    }));
    await pausedWith(rollout, async () => {
      const { handle } = rollout.world;
      await handle.signal(rolloutCommands.pause.signal, {});
      await rollout.log.until('applyRolloutCommand');
      await handle.signal(rolloutCommands.resume.signal, {});
      await handle.signal(rolloutCommands.rollback.signal, {});
      gate.emit('open');
      await rollout.log.until('applyRolloutCommand', 3);
      const verbs = commandsTo(rollout).map(({ verb }) => verb);
      expect(verbs).toEqual(['pause', 'resume', 'rollback']);
    });
  });
});

const held = (rollout: RolloutWorld): void => {
  Object.assign(rollout.facts, {
    options: { faults: [], autoRollback: false, canary: 1 },
    sets: [aSet({ name: 'pool-0', machines: 'AA' }), theNewSet({ name: 'pool-1', machines: 'A' })],
  });
};

describe('resume', () => {
  test('lets the canary of the present revision pass', async () => {
    const rollout = new RolloutWorld(temporal);
    held(rollout);
    await rollout.run(async () => {
      await rollout.world.observe();
      await rollout.until('the canary holds', ({ blockedBy }) => blockedBy === 'canary');
      await rollout.world.handle.signal(rolloutCommands.resume.signal, {});
      await rollout.log.until('applyRolloutCommand');
      expect(rollout.log.inputsOf('applyRolloutCommand')).toMatchObject([{ canaryRevision: 2 }]);
    });
  });

  test('of a pause says nothing of a canary', async () => {
    const rollout = new RolloutWorld(temporal);
    held(rollout);
    rollout.facts.isPaused = true;
    await rollout.run(async () => {
      await rollout.world.observe();
      await rollout.until('the pause is seen', ({ blockedBy }) => blockedBy === 'paused');
      await rollout.world.handle.signal(rolloutCommands.resume.signal, {});
      await rollout.log.until('applyRolloutCommand');
      expect(rollout.log.inputsOf('applyRolloutCommand')[0]).not.toHaveProperty('canaryRevision');
    });
  });
});
