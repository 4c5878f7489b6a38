/** kill -9 of our own processes at bad moments: always the right end, one VM per token. */
import { describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.ts';
import {
  createDeployment,
  deleteDeployment,
  machinesOf,
  untilGone,
  untilRunning,
} from './support/machines.ts';
import { useScenario, type Scenario } from './support/scenario.ts';

const replicas = 5;
/** Looks often: the moment must not pass unseen. */
const closely = { pollMilliseconds: 10 };

type Moment = [words: string, hasCome: (scenario: Scenario, pool: string) => Promise<boolean>];

const momentsOfCreation: Moment[] = [
  ['the first Machine was created', async (s, pool) => (await machinesOf(s, pool)).length > 0],
  ['the first VM was created', async (s) => (await s.cloud.instances()).length > 0],
  [
    'the first Machine is Pending',
    async (s) => Object.values(await s.cluster.phases()).includes('Pending'),
  ],
  ['the first Node has joined', async (s) => (await s.cluster.nodes()).length > 0],
];

const momentsOfDeletion: Moment[] = [
  [
    'the first Machine is Terminating',
    async (s) => Object.values(await s.cluster.phases()).includes('Terminating'),
  ],
  ['the first VM is gone', async (s) => (await s.cloud.instances()).length < replicas],
  ['the first Machine is gone', async (s, pool) => (await machinesOf(s, pool)).length < replicas],
];

/** Of a deployment: `up0`, `up1`, ... */
function nameOf(prefix: string, [words]: Moment): string {
  const all = [...momentsOfCreation, ...momentsOfDeletion];
  return `${prefix}${all.findIndex((moment) => moment[0] === words)}`;
}

async function untilMoment(
  scenario: Scenario,
  pool: string,
  [words, hasCome]: Moment,
): Promise<void> {
  await eventually(words, async () => expect(await hasCome(scenario, pool)).toBe(true), closely);
}

/** How many VMs each name of the pool ever had. */
async function createCounts({ cloud }: Scenario, pool: string): Promise<number[]> {
  const { createsPerName } = await cloud.calls();
  const ofPool = Object.entries(createsPerName).filter(([name]) => name.startsWith(`${pool}-`));
  return ofPool.map(([, count]) => count);
}

const onceEach = Array.from({ length: replicas }, () => 1);

describe('kill -9 of the worker', () => {
  const scenario = useScenario('worker-crash');

  test.each(momentsOfCreation)('when %s, during creation', async (...moment) => {
    const pool = await createDeployment(scenario, nameOf('up', moment), { replicas });
    await untilMoment(scenario, pool, moment);
    await scenario.operator.kill9('worker');
    await untilRunning(scenario, pool, replicas);
    expect(await createCounts(scenario, pool)).toEqual(onceEach);
    await deleteDeployment(scenario, pool);
  });

  test.each(momentsOfDeletion)('when %s, during deletion', async (...moment) => {
    const pool = await createDeployment(scenario, nameOf('down', moment), { replicas });
    await untilRunning(scenario, pool, replicas);
    const path = scenario.cluster.pathOf('machinedeployments', pool);
    await scenario.cluster.delete(path);
    await untilMoment(scenario, pool, moment);
    await scenario.operator.kill9('worker');
    await untilGone(scenario, path);
    await eventually('nothing is left', async () => {
      expect(await machinesOf(scenario, pool)).toEqual([]);
      expect(await scenario.cloud.instances()).toEqual([]);
      expect(await scenario.cluster.nodes()).toEqual([]);
    });
  });
});

describe('kill -9 of the watcher', () => {
  const scenario = useScenario('watcher-crash');

  test.each(momentsOfCreation)('when %s, during creation', async (...moment) => {
    const pool = await createDeployment(scenario, nameOf('up', moment), { replicas });
    await untilMoment(scenario, pool, moment);
    await scenario.operator.kill9('watcher');
    await untilRunning(scenario, pool, replicas);
    expect(await createCounts(scenario, pool)).toEqual(onceEach);
    await deleteDeployment(scenario, pool);
  });

  test('and of the worker together, during deletion', async () => {
    const pool = await createDeployment(scenario, 'both', { replicas });
    await untilRunning(scenario, pool, replicas);
    const path = scenario.cluster.pathOf('machinedeployments', pool);
    await scenario.cluster.delete(path);
    await Promise.all([scenario.operator.kill9('watcher'), scenario.operator.kill9('worker')]);
    await untilGone(scenario, path);
    expect(await createCounts(scenario, pool)).toEqual(onceEach);
  });
});
