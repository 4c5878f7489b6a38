/**
 * A life that begins with an object of which much has happened already, and steps that do not end
 * as they should.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type {
  HealthOutcome,
  PreparedMachine,
} from '../../../workflows/contracts/machine-activities.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import { instanceMissing } from '../../../workflows/contracts/messages.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { cluster, instance, MachineWorld, readyNode } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

const { providerID, nodeName } = instance;
const known = { providerID, nodeName };

test('a machine that waits for its Node joins by the first read when the Node is Ready already', async () => {
  const world = await MachineWorld.create(temporal, {
    readAndClaimMachine: async () => ({ found: true, machine: world.read(), node: readyNode }),
  });
  world.object = { ...world.object, ...known, phase: 'Pending' };
  await world.run(async () => {
    await world.begin();
    await world.phase('Running');
    expect(world.log.names()).toEqual(['readAndClaimMachine', 'recordJoined']);
    expect(world.log.inputsOf('readAndClaimMachine')).toMatchObject([{ readsNode: true }]);
  });
});

test('a machine whose create finds an instance reads its Node, which may have joined long before', async () => {
  const world = await MachineWorld.create(temporal, {
    createInstance: async () => ({ outcome: 'created', instance: { ...instance, isFound: true } }),
    readAndClaimMachine: async ({ readsNode }) => {
      const machine = world.read();
      const isRecorded = machine.providerID !== undefined;
      return { found: true, machine, ...(readsNode && isRecorded && { node: readyNode }) };
    },
    recordCreated: async () => {
      world.object = { ...world.object, ...known, phase: 'Pending' };
    },
  });
  await world.run(async () => {
    await world.begin();
    await world.phase('Running');
    expect(world.log.inputsOf('readAndClaimMachine')).toMatchObject([
      { readsNode: true },
      { readsNode: true },
    ]);
  });
});

test.each(['Running', 'Unknown'] as const)(
  'the Node of a machine that was %s gets what was edited while no workflow ran',
  async (phase) => {
    const world = await MachineWorld.create(temporal);
    const nodeTemplate = { labels: { pool: 'b' } };
    world.object = { ...world.object, ...known, phase, nodeTemplate };
    await world.run(async () => {
      await world.begin();
      await world.log.until('syncNode');
      expect(world.log.inputsOf('syncNode')).toMatchObject([{ nodeTemplate }]);
    });
  },
);

test.each(['InPlaceUpdating', 'InPlaceUpdateSuccessful', 'InPlaceUpdateFailed'] as const)(
  'a machine that MCM left %s has joined: its health is checked, and no creation timeout fails it',
  async (phase) => {
    const faults = ['Ready is Unknown'];
    const world = await MachineWorld.create(temporal, {
      checkHealth: async ({ now }) => ({
        found: 'machine',
        finding: { phase: 'Unknown', faults, since: now },
      }),
    });
    world.object = { ...world.object, ...known, phase, createdAt: 0 };
    await world.run(async () => {
      await world.begin();
      await world.phase('Unknown');
      expect(world.log.names()).toEqual(['readAndClaimMachine', 'checkHealth']);
    });
  },
);

test('force-deletion that only the object tells of forces the drain', async () => {
  const world = await MachineWorld.create(temporal);
  world.object = { ...world.object, ...known, phase: 'Running', forceDeletion: true };
  await world.run(async () => {
    await world.begin();
    await world.phase('Running');
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.inputsOf('drainNode')).toMatchObject([{ isForced: true }]);
  });
});

test('a read that finds the object deleting before any signal says so searches for a late instance', async () => {
  const world = await MachineWorld.create(temporal, {
    deleteInstance: async () => ({ outcome: 'deleted', isFound: false, settleSeconds: 30 }),
  });
  await world.run(async () => {
    world.object = { ...world.object, isDeleting: true };
    await world.begin({ isDeleting: false });
    await world.log.until('deleteInstance');
    await temporal.skip(35);
    await resultOf(world.handle);
    expect(world.log.names()).toEqual([
      'readAndClaimMachine',
      'beginTeardown',
      'describeInstance',
      'deleteInstance',
      'describeInstance',
      'deleteInstance',
      'finishTeardown',
    ]);
  });
});

test('a machine of MCM whose instance was not initialised goes on with its creation', async () => {
  const world = await MachineWorld.create(temporal);
  world.object = { ...world.object, ...known, phase: 'CrashLoopBackOff' };
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    expect(world.log.inputsOf('createInstance')).toMatchObject([{ providerID }]);
  });
});

describe('a machine that is being deleted when it is read for the first time', () => {
  const notFound = { outcome: 'deleted', isFound: false, settleSeconds: 0 } as const;

  test.each<{ phase: MachinePhase; isFound?: false; wasNodeSeen?: true; unproven: boolean[] }>([
    { phase: '', unproven: [true, false] },
    { phase: '', isFound: false, unproven: [true, true] },
    { phase: 'Failed', isFound: false, unproven: [true, true] },
    { phase: 'Terminating', isFound: false, wasNodeSeen: true, unproven: [false, false] },
    { phase: 'Running', isFound: false, unproven: [false, false] },
  ])('names Node and instance, which alone proves nothing: %j', async (row) => {
    const { isFound, unproven, ...said } = row;
    const world = await MachineWorld.create(temporal, {
      ...(isFound === false && { deleteInstance: async () => notFound }),
    });
    world.object = { ...world.object, ...known, ...said, isDeleting: true };
    await world.run(async () => {
      await world.begin();
      await resultOf(world.handle);
      const drains = world.log.inputsOf('drainNode');
      const asked = [...drains, ...world.log.inputsOf('finishTeardown').slice(-1)];
      expect(asked.map(({ isUnproven = false }) => isUnproven)).toEqual(unproven);
    });
  });
});

describe('a label node that was wrong when the run began, and is right by now', () => {
  const other = { ...readyNode, name: 'pool-z', providerID: 'local:///zone-1/i-9' };

  test.each([
    { name: 'is followed', phase: 'Running', seen: other, drained: 'pool-a' },
    {
      name: 'is followed where another machine has the first one',
      phase: 'Pending',
      seen: { ...other, providerID: '' },
      drained: 'pool-a',
    },
    {
      name: 'was right already where the Node is of the instance',
      phase: 'Running',
      seen: { ...other, providerID },
      drained: 'pool-z',
    },
    { name: 'says less than a driver', phase: '', seen: undefined, drained: 'pool-z' },
  ] as const)('$name', async ({ phase, seen, drained }) => {
    const made = { ...instance, nodeName: other.name };
    const world = await MachineWorld.create(temporal, {
      createInstance: async () => ({ outcome: 'created', instance: made }),
      readAndClaimMachine: async () => ({
        found: true,
        machine: world.read(),
        ...(seen && { node: seen }),
      }),
      recordJoined: async () => ({ hasJoined: false, reason: 'of pool-z', isContested: true }),
    });
    world.object = { ...world.object, phase, ...(seen && { providerID, nodeName: other.name }) };
    await world.run(async () => {
      await world.begin();
      await world.phase(phase || 'Pending');
      if (phase === 'Pending')
        await eventually('contested', async () => !!(await world.state()).node.isContested);
      world.object = { ...world.object, ...known };
      await world.requestDeletion();
      await resultOf(world.handle);
      const asked = [...world.log.inputsOf('drainNode'), ...world.log.inputsOf('finishTeardown')];
      expect(asked.map((input) => input.nodeName)).toEqual([drained, drained]);
    });
  });
});

test('a providerID without the label node is looked up, so that its Node is drained', async () => {
  const world = await MachineWorld.create(temporal, {
    describeInstance: async () => ({ outcome: 'found', instance }),
  });
  world.object = { ...world.object, providerID, phase: 'Running', isDeleting: true };
  await world.run(async () => {
    await world.begin();
    await resultOf(world.handle);
    expect(world.log.names()).toEqual([
      'beginTeardown',
      'describeInstance',
      'drainNode',
      'deleteInstance',
      'finishTeardown',
    ]);
  });
});

test('a target cluster that does not answer at the first read keeps no deletion waiting', async () => {
  const world = await MachineWorld.create(temporal, {
    readAndClaimMachine: async () => ({
      found: true,
      machine: world.read(),
      outOfReach: 'refused',
    }),
  });
  await world.run(async () => {
    await world.begin();
    await eventually('it waits', async () => (await world.state()).object.outage !== undefined);
    expect(world.log.count('createInstance')).toBe(0);
    await world.requestDeletion();
    await resultOf(world.handle);
  });
});

test('a Node that cannot be deleted is said on the Machine, and tried again', async () => {
  const failure = { code: 'Unavailable', message: 'no answer', isSettled: true } as const;
  let tries = 0;
  const world = await MachineWorld.create(temporal, {
    finishTeardown: async () => {
      tries += 1;
      return tries === 1 ? { ...failure, during: 'nodeDeletion' } : undefined;
    },
  });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await world.log.until('recordFailure');
    await temporal.skip(5);
    await resultOf(world.handle);
    expect(world.log.inputsOf('recordFailure')).toMatchObject([
      { operation: 'Delete', phase: 'Terminating', failure },
    ]);
  });
});

test('the Node of a machine that never joined is left to a target cluster that stays away, not at once', async () => {
  const failure = { code: 'Unavailable', message: 'no answer', isSettled: true } as const;
  const world = await MachineWorld.create(temporal, {
    finishTeardown: async ({ mayLeaveNode }) =>
      mayLeaveNode ? undefined : { ...failure, during: 'nodeDeletion' },
  });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    await world.requestDeletion();
    await world.log.until('recordFailure');
    await temporal.skip(180);
    await resultOf(world.handle);
    const asked = world.log.inputsOf('finishTeardown').map((input) => input.mayLeaveNode ?? false);
    expect(asked).toEqual([false, false, false, false, false, true]);
  });
});

test('the Node of a machine that began with its instance is waited for, as it may have joined before', async () => {
  const failure = { code: 'Unavailable', message: 'no answer', isSettled: true } as const;
  let isAway = true;
  const world = await MachineWorld.create(temporal, {
    finishTeardown: async () => (isAway ? { ...failure, during: 'nodeDeletion' } : undefined),
  });
  world.object = { ...world.object, ...known, phase: 'Pending', isDeleting: true };
  await world.run(async () => {
    await world.begin();
    await world.log.until('recordFailure');
    // Ten seconds at a time: each attempt is two tasks, and a skip has a limit of its own.
    while (world.log.inputsOf('finishTeardown').length <= 6) await temporal.skip(10);
    isAway = false;
    // More than any wait between two attempts, which would pass in true time otherwise.
    await temporal.skip(600);
    await resultOf(world.handle);
    const inputs = world.log.inputsOf('finishTeardown');
    expect(inputs.filter(({ mayLeaveNode }) => mayLeaveNode)).toEqual([]);
  });
});

test('a drain that is rejected is tried again after a while', async () => {
  let tries = 0;
  const world = await MachineWorld.create(temporal, {
    drainNode: async () => {
      tries += 1;
      if (tries === 1) throw ApplicationFailure.nonRetryable('an operator failed it');
      return { evictedPods: 0, isForced: false };
    },
  });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await world.log.until('drainNode');
    await temporal.skip(5);
    expect((await resultOf(world.handle)).reason).toBe('instance, Node and object are gone');
    expect(tries).toBe(2);
  });
});

test('another class that is named during a deletion is asked for its driver', async () => {
  const failure = { code: 'InvalidArgument', message: 'no such class', isSettled: true } as const;
  const world = await MachineWorld.create(temporal, {
    findProvider: async ({ className }) =>
      className === 'small' ? { found: false, failure } : { found: true, provider: 'virtual' },
  });
  const { provider: _none, ...withoutProvider } = world.object;
  world.object = { ...withoutProvider, ...known, phase: 'Running' };
  await world.run(async () => {
    await world.begin();
    await world.phase('Running');
    await world.requestDeletion();
    await world.log.until('recordFailure');
    world.object = { ...world.object, className: 'large' };
    await world.observe({ specDigest: 'spec-2' });
    await resultOf(world.handle);
    expect(world.log.inputsOf('deleteInstance')).toMatchObject([{ className: 'large' }]);
  });
});

test('a spec that is edited while the deletion begins holds for the drain', async () => {
  const world = await MachineWorld.create(temporal, {
    beginTeardown: async () => {
      // No signal comes in during a local activity: the regular form has to run.
      if (Context.current().info.isLocal) throw ApplicationFailure.nonRetryable('busy');
      const machine = world.read();
      const limits = { ...world.object.limits, drainTimeoutSeconds: 60 };
      world.object = { ...world.object, limits };
      await world.observe({ specDigest: 'spec-2' });
      return { machine };
    },
  });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await resultOf(world.handle);
    const deadline = (world.object.deletionRequestedAt ?? 0) + 60_000;
    expect(world.log.inputsOf('drainNode')).toMatchObject([{ deadline }]);
  });
});

test('a Node that is signalled while the join is recorded is not forgotten', async () => {
  let joins = 0;
  const world = await MachineWorld.create(temporal, {
    recordJoined: async () => {
      // No signal comes in during a local activity: the regular form has to run.
      if (Context.current().info.isLocal) throw ApplicationFailure.nonRetryable('busy');
      joins += 1;
      if (joins > 1) return { hasJoined: true };
      await world.joinNode();
      return { hasJoined: false, reason: 'the Node is not Ready' };
    },
  });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    await world.joinNode();
    await world.phase('Running');
    expect(joins).toBe(2);
  });
});

test.each<{ name: string; outcome: HealthOutcome }>([
  { name: 'is out of reach', outcome: { found: 'machine', finding: { outOfReach: 'refused' } } },
  { name: 'is being deleted', outcome: { found: 'deleting' } },
])(
  'a loss that is confirmed while the machine $name is no reason to look without a rest',
  async ({ outcome }) => {
    const world = await MachineWorld.create(temporal, { checkHealth: async () => outcome });
    await world.run(async () => {
      await world.beginAndJoin();
      const missing = { cluster, uid: 'uid-1', providerID, confirmAfterSeconds: 1 };
      await world.handle.signal(instanceMissing, missing);
      await world.log.until('describeInstance');
      await temporal.skip(3);
      await world.log.until('checkHealth');
      await temporal.skip(5);
      expect(world.log.count('checkHealth')).toBeLessThan(5);
    });
  },
);

/** It runs, and the cloud does not delete its instance. */
async function worldWithRefusedDeletion(): Promise<MachineWorld> {
  const refusal = { code: 'FailedPrecondition', message: 'it has it', isSettled: false } as const;
  const world = await MachineWorld.create(temporal, {
    readAndClaimMachine: async () => ({ found: true, machine: world.read(), node: readyNode }),
    deleteInstance: async () => ({ outcome: 'failed', failure: refusal }),
  });
  world.object = { ...world.object, ...known, phase: 'Running' };
  return world;
}

/** Deletes the Machine; returns the object as it is without that. */
async function untilRefused(world: MachineWorld): Promise<PreparedMachine> {
  await world.begin();
  await world.phase('Running');
  await world.requestDeletion();
  await world.log.until('recordFailure');
  const { deletionRequestedAt: _none, ...object } = world.object;
  return object;
}

test('a machine whose deletion was undone, by an etcd that was restored, runs again', async () => {
  const world = await worldWithRefusedDeletion();
  await world.run(async () => {
    const object = await untilRefused(world);
    world.object = { ...object, isDeleting: false, phase: 'Terminating', wasNodeSeen: true };
    await world.observe({ epoch: 2 });
    await world.log.until('checkHealth', world.log.count('checkHealth') + 1);
    await world.phase('Running');
    expect((await world.state()).teardown).toBeUndefined();
  });
});

test.each([
  { name: 'without its ids', restored: { phase: '' } },
  { name: 'Pending', restored: { phase: 'Pending', providerID, nodeName } },
] as const)(
  'a machine that runs is said to run again when a restored etcd has it $name',
  async ({ restored }) => {
    const world = await MachineWorld.create(temporal, {
      readAndClaimMachine: async () => ({ found: true, machine: world.read(), node: readyNode }),
    });
    await world.run(async () => {
      await world.begin();
      await world.phase('Running');
      const before = world.log.count('checkHealth') + world.log.count('recordJoined');
      world.object = { ...world.object, ...restored };
      await world.observe({ epoch: 2 });
      await eventually('it is said', async () => {
        return world.log.count('checkHealth') + world.log.count('recordJoined') > before;
      });
      expect(world.log.count('recordCreated')).toBe('providerID' in restored ? 1 : 2);
      expect(world.log.count('createInstance')).toBe(1);
      await world.phase('Running');
    });
  },
);

test('a machine that waits to join is said to be Pending again when a restored etcd has no phase of it', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    world.object = { ...world.object, ...known };
    await world.observe({ epoch: 2 });
    await world.log.until('recordCreated', 2);
    await world.joinNode();
    await world.phase('Running');
    expect(world.log.count('createInstance')).toBe(1);
  });
});

test('a machine that has failed is checked again when a restored etcd has it Running', async () => {
  const world = await MachineWorld.create(temporal, {
    checkHealth: async () => ({ found: 'machine', finding: { phase: 'Failed', faults: ['gone'] } }),
  });
  world.object = { ...world.object, ...known, phase: 'Failed' };
  await world.run(async () => {
    await world.begin();
    await world.phase('Failed');
    const checks = world.log.count('checkHealth');
    world.object = { ...world.object, phase: 'Running' };
    await world.observe();
    await world.observe({ epoch: 2 });
    await world.log.until('checkHealth', checks + 1);
    await world.phase('Failed');
    expect(world.log.count('createInstance')).toBe(0);
  });
});

test('a machine whose join was written, and then lost with its worker, is not late: its health is checked', async () => {
  const world = await MachineWorld.create(temporal, {
    recordTimeout: async () => ({ found: 'moreTime', machine: world.read() }),
  });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    world.object = { ...world.object, ...known, phase: 'Unknown' };
    await temporal.skip(1_300);
    await world.log.until('checkHealth');
    expect(world.log.count('recordTimeout')).toBe(1);
  });
});

test('a run that was restored to before its instance takes over what the object says, when its time is up', async () => {
  const failure = { code: 'ResourceExhausted', message: 'full', isSettled: true } as const;
  const world = await MachineWorld.create(temporal, {
    createInstance: async () => ({ outcome: 'failed', failure }),
    recordTimeout: async () => ({ found: 'moreTime', machine: world.read() }),
  });
  await world.run(async () => {
    await world.begin();
    await world.phase('CrashLoopBackOff');
    world.object = { ...world.object, ...known, phase: 'Running' };
    await temporal.skip(1_300);
    await world.log.until('checkHealth');
    const { creation, failure: leftover } = await world.state();
    expect(creation).toMatchObject({ stage: 'recorded', instance: known });
    expect(leftover).toBeUndefined();
    expect(world.log.count('recordTimeout')).toBe(1);
  });
});

test('a Machine that came in the place of one that was being deleted, with its instance, begins when the deletion is refused', async () => {
  const world = await worldWithRefusedDeletion();
  await world.run(async () => {
    const object = await untilRefused(world);
    world.object = { ...object, uid: 'uid-2', isDeleting: false };
    await world.observe();
    await world.log.until('readAndClaimMachine', 2);
    await world.phase('Running');
    expect((await world.state()).object.uid).toBe('uid-2');
    expect(world.log.count('finishTeardown')).toBe(0);
  });
});
