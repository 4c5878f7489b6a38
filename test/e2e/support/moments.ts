/** Moments in the life of a deployment at which a process can die. */
import { eventually } from '../../support/eventually.ts';
import { machinesOf } from './machines.ts';
import type { Scenario } from './scenario.ts';
import { isNight } from './test-stack.ts';

/** Machines of each deployment. */
export const replicas = 4;
/** Looks often: the moment must not pass unseen. */
const closely = { pollMilliseconds: 10 };

export type Moment = [
  words: string,
  hasCome: (scenario: Scenario, pool: string) => Promise<boolean>,
];

const creation: Moment[] = [
  ['the first Machine was created', async (s, pool) => (await machinesOf(s, pool)).length > 0],
  ['the first VM was created', async (s) => (await s.cloud.instances()).length > 0],
  [
    'the first Machine is Pending',
    async (s) => Object.values(await s.cluster.phases()).includes('Pending'),
  ],
  ['the first Node has joined', async (s) => (await s.cluster.nodes()).length > 0],
];

/** By day every second of them: `kill-every-step-*` kills at each step, by night. */
export const momentsOfCreation = creation.filter((_moment, index) => isNight() || index % 2 === 1);

/** Of a deployment: `up0`, `up1`, ... */
export function nameOf([words]: Moment): string {
  return `up${creation.findIndex((moment) => moment[0] === words)}`;
}

export async function untilMoment(
  scenario: Scenario,
  pool: string,
  [words, hasCome]: Moment,
): Promise<void> {
  await eventually(words, async () => expect(await hasCome(scenario, pool)).toBe(true), closely);
}

/** How many VMs each name of the pool ever had. */
export async function createCounts({ cloud }: Scenario, pool: string): Promise<number[]> {
  const { createsPerName } = await cloud.calls();
  const ofPool = Object.entries(createsPerName).filter(([name]) => name.startsWith(`${pool}-`));
  return ofPool.map(([, count]) => count);
}

export const onceEach = Array.from({ length: replicas }, () => 1);
