/** A machine that has joined: what its workflow looks at, and when. */
import type {
  HealthOutcome,
  HealthRequest,
} from '../../../workflows/contracts/machine-activities.ts';
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import type { HealthFinding } from '../../../workflows/plan/machine/health.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { instance, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

const well: HealthFinding = { phase: 'Running', faults: [] };
const faults = ['Ready is False'];

/** As the activity answers: Unknown from its first look on, Failed after ten minutes. */
function ill({ since, pausedMs, now }: HealthRequest): HealthFinding {
  const from = since ?? now;
  const isOver = now >= from + pausedMs + 600_000;
  return { phase: isOver ? 'Failed' : 'Unknown', since: from, timeoutSeconds: 600, faults };
}

class Health {
  find: (request: HealthRequest) => HealthFinding = () => well;
  readonly look = async (request: HealthRequest): Promise<HealthOutcome> => ({
    found: 'machine',
    finding: this.find(request),
  });
}

async function joined(): Promise<{ world: MachineWorld; health: Health }> {
  const health = new Health();
  return { health, world: await MachineWorld.create(temporal, { checkHealth: health.look }) };
}

const sick = { isReady: false, conditionsDigest: 'sick' };

test('a change of the Node is checked once, and what was seen already is not', async () => {
  const { world, health } = await joined();
  await world.run(async () => {
    await world.beginAndJoin();
    expect(world.log.count('checkHealth')).toBe(0);
    await world.joinNode();
    health.find = ill;
    await world.joinNode(sick);
    await world.phase('Unknown');
    await world.joinNode(sick);
    health.find = () => well;
    await world.joinNode();
    await world.phase('Running');
    expect(world.log.count('checkHealth')).toBe(2);
    const [first] = world.log.inputsOf('checkHealth');
    expect(first).toMatchObject({
      machine: { uid: 'uid-1' },
      instance: { nodeName: instance.nodeName, providerID: instance.providerID },
      hasLostNode: false,
      pausedMs: 0,
    });
  });
});

test('a Node that went among many is no reason to delete its Machine later, when others are back', async () => {
  const { world, health } = await joined();
  await world.run(async () => {
    await world.beginAndJoin();
    health.find = ill;
    await world.joinNode({ exists: false });
    await world.phase('Unknown');
    await temporal.skip(70);
    await world.log.until('checkHealth', 2);
    await world.joinNode({ uid: 'uid-of-the-next', ...sick });
    await world.log.until('checkHealth', 3);
    await world.joinNode({ uid: 'uid-of-the-next', exists: false });
    await world.log.until('checkHealth', 4);
    const lost = world.log.inputsOf('checkHealth').map(({ hasLostNode }) => hasLostNode);
    expect(lost.slice(0, 4)).toEqual([true, false, false, true]);
  });
});

test('an Unknown machine is found by what it waits for, and is Failed after its timeout', async () => {
  const { world, health } = await joined();
  await world.run(async () => {
    await world.beginAndJoin();
    health.find = ill;
    await world.joinNode(sick);
    await world.phase('Unknown');
    const { typedSearchAttributes } = await world.handle.describe();
    expect(typedSearchAttributes.get(keys.Attention)).toBe('external');
    const deadline = typedSearchAttributes.get(keys.Deadline)?.getTime() ?? 0;
    expect(deadline - (await temporal.now())).toBeGreaterThan(590_000);
    await temporal.skip(580);
    await world.phase('Unknown');
    await temporal.skip(30);
    await world.phase('Failed');
    expect(world.log.count('checkHealth')).toBeGreaterThan(10);
    const looks = world.log.count('checkHealth');
    await temporal.skip(3_600);
    expect(world.log.count('checkHealth')).toBe(looks);
  });
});

test('an outage of an API server moves the deadline', async () => {
  const { world, health } = await joined();
  await world.run(async () => {
    await world.beginAndJoin();
    health.find = ill;
    await world.joinNode(sick);
    await world.phase('Unknown');
    await temporal.skip(300);
    health.find = () => ({ outOfReach: 'connection refused' });
    await temporal.skip(900);
    health.find = ill;
    await temporal.skip(200);
    expect((await world.state()).phase).toBe('Unknown');
    await temporal.skip(240);
    await world.phase('Failed');
  });
});

test('a Node that went is searched for', async () => {
  const { world } = await joined();
  await world.run(async () => {
    await world.beginAndJoin();
    await world.joinNode({ exists: false });
    await world.log.until('checkHealth');
    expect(world.log.inputsOf('checkHealth')).toMatchObject([{ hasLostNode: true }]);
  });
});

test('an Unknown machine of an earlier life is looked at once it was read, and its spec later', async () => {
  const { world, health } = await joined();
  const { providerID, nodeName } = instance;
  world.object = { ...world.object, phase: 'Unknown', providerID, nodeName };
  health.find = ({ now }) => ({ phase: 'Unknown', since: now, faults });
  await world.run(async () => {
    await world.begin();
    await world.log.until('checkHealth');
    await temporal.skip(3_600);
    expect(world.log.count('checkHealth')).toBe(1);
    await world.observe({ specDigest: 'spec-2' });
    await world.log.until('checkHealth', 2);
  });
});
