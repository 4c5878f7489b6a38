/** Checks what a listing has, and what it must not have. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ListedInstance } from '../../../../workflows/contracts/driver-contract.ts';
import type { Asked, Trial } from '../trial.ts';
import { instanceOf } from '../trial.ts';
import { expectPart, Mismatch } from '../verdict.ts';
import type { Check } from './check.ts';

export const listingChecks: Check[] = [
  {
    says: 'lists what was created, with the names of the machines',
    async run(trial) {
      instanceOf(trial.first);
      for (const asked of trial.asked) {
        if (asked.providerID !== undefined) await untilListedOnce(trial, asked);
      }
    },
  },
  {
    says: 'lists in the order of providerIDs, each once',
    async run(trial) {
      const ids = (await listOf(trial)).map(({ providerID }) => providerID);
      const ordered = [...new Set(ids)].toSorted();
      if (ids.join() !== ordered.join()) throw new Mismatch(ordered.join(', '), ids.join(', '));
    },
  },
  {
    says: 'lists tokens of those that it made, or none',
    async run(trial) {
      instanceOf(trial.first);
      for (const { machineName, token } of await listOf(trial)) {
        const asked = trial.asked.find(({ request }) => request.machine.name === machineName);
        const uid = asked?.request.machine.uid;
        if (token === undefined || uid === undefined || token.startsWith(`${uid}-`)) continue;
        throw new Mismatch(`token ${uid}-0, or none, for ${machineName}`, token);
      }
    },
  },
  {
    says: 'lists when they were made in milliseconds since 1970, or not at all',
    async run(trial) {
      instanceOf(trial.first);
      const wrong = (await listOf(trial)).filter((one) => !isInMilliseconds(one));
      if (wrong.length > 0) throw new Mismatch('createdAt in milliseconds, or none', wrong);
    },
  },
  {
    says: 'lists its own instances only: for another cluster it has none of these',
    wants: 'cluster',
    async run(trial) {
      const ours = instanceOf(trial.first);
      const theirs = await listOf(trial, trial.otherCluster);
      const wrong = theirs.filter(({ providerID }) => providerID === ours);
      if (wrong.length > 0) throw new Mismatch(`a list without ${ours}`, wrong);
    },
  },
  {
    says: 'deletes from a listing its own instances only: for another cluster it stays',
    wants: 'cluster',
    async run(trial) {
      const { driver, first } = trial;
      const providerID = instanceOf(first);
      const came = await driver.ask('deleteListed', {
        ...trial.listRequest(trial.otherCluster),
        providerID,
      });
      expectPart('outcome deleted, isFound false', came, { outcome: 'deleted', isFound: false });
      const after = await driver.ask('describeInstance', { ...first.request, providerID });
      expectPart(`${providerID}, still there`, after, { outcome: 'found' });
    },
  },
];

/**
 * Seconds would be of 1970, and nanoseconds of no calendar: an instance that was just made would
 * pass for an old one, and an orphan that is young is left alone.
 */
function isInMilliseconds({ createdAt }: ListedInstance): boolean {
  if (createdAt === undefined) return true;
  return createdAt >= Date.UTC(2000, 0) && createdAt < Date.UTC(2100, 0);
}

export async function listOf(trial: Trial, cluster?: string): Promise<ListedInstance[]> {
  const came = await trial.driver.ask('listInstances', trial.listRequest(cluster));
  if (came.outcome !== 'listed') throw new Mismatch('outcome listed', came);
  return came.instances;
}

/** A cloud may list later what it made, within the time that its driver says. */
export async function untilListedOnce(trial: Trial, asked: Asked): Promise<void> {
  const { name } = asked.request.machine;
  const providerID = instanceOf(asked);
  const deadline = performance.now() + trial.settleSeconds * 1_000;
  for (;;) {
    const found = (await listOf(trial)).filter(
      (one) => one.machineName === name || one.providerID === providerID,
    );
    const [only] = found;
    const isOne = found.length === 1;
    if (isOne && only?.providerID === providerID && only.machineName === name) return;
    if (found.length > 1 || performance.now() > deadline) {
      throw new Mismatch(`${providerID} of ${name}, once`, found);
    }
    await delay(1_000);
  }
}
