/**
 * Deletes what runs have left. It goes by the tags that are on the instances themselves, so that it
 * needs no memory.
 */
import type { Driver, ListRequest } from '../../activities/drivers/driver.ts';

export interface Sweep {
  driver: Driver;
  request: ListRequest;
  /**
   * Only machines whose names begin with it. Default: all with the tags of this suite and owner.
   */
  prefix?: string;
  sleep(seconds: number): Promise<void>;
  print(line: string): void;
}

const rounds = 40;
const pauseSeconds = 15;

/** What is there. */
export async function leftBy({ driver, request, prefix = '' }: Sweep): Promise<string[]> {
  const instances = await driver.listInstances(request);
  return instances
    .filter(({ machineName }) => machineName.startsWith(prefix))
    .map(({ providerID }) => providerID);
}

/**
 * Answers what could not be deleted in ten minutes. One failure does not end it: the next round
 * tries again.
 */
export async function sweep(sweeping: Sweep): Promise<string[]> {
  const { driver, sleep } = sweeping;
  const counted = { ...sweeping, seen: new Set<string>() };
  let left = await round(counted);
  // What was made a moment ago may not be listed yet.
  await sleep(driver.settleSeconds);
  left = [...left, ...(await round(counted))];
  for (let turn = 0; left.length > 0 && turn < rounds; turn += 1) {
    await sleep(pauseSeconds);
    left = await round(counted);
  }
  return left;
}

interface Counted extends Sweep {
  /** Told of already. */
  seen: Set<string>;
}

/** One listing, and a delete for each; answers what it saw. */
async function round(sweeping: Counted): Promise<string[]> {
  const { driver, request, print, seen } = sweeping;
  try {
    const left = await leftBy(sweeping);
    for (const providerID of left) {
      if (!seen.has(providerID)) print(`sweep: ${providerID}`);
      seen.add(providerID);
      await driver.deleteListed({ ...request, providerID }).catch((error: unknown) => {
        print(`sweep: ${providerID}: ${wordsOf(error)}`);
      });
    }
    return left;
  } catch (error) {
    print(`sweep: the listing failed: ${wordsOf(error)}`);
    return ['what the cloud did not list'];
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
