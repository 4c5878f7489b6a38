/**
 * Deletes instances, and is done when they are gone: their volumes may be attached elsewhere by
 * then.
 */
import type { Instance } from '@aws-sdk/client-ec2';
import type { DeleteListedRequest, MachineRequest } from '../driver.ts';
import type { Ec2 } from './ec2.ts';
import { findOwned, ownerOf } from './find.ts';
import { idOf, isLive, isTerminated } from './instance-view.ts';
import { parseProviderId } from './provider-id.ts';
import { belongsTo } from './tags.ts';
import { readOrWait, pending, waitingFor, waitingIn, type Waiting } from './wait.ts';

/** Throws `DriverPending` until all are terminated. */
export async function deleteInstance(
  ec2: Ec2,
  request: MachineRequest,
): Promise<{ found: boolean }> {
  const { region } = ec2;
  const waiting = waitingIn(request.checkpoint);
  const { owned, awaited } = await readOrWait(region, waiting, () => look(ec2, request, waiting));
  const ends = await terminate(ec2, owned);
  const going = [...ends, ...awaited.map((instance) => ({ instance }))];
  const left = await readOrWait(region, waitingFor(going), () => stillThere(ec2, going));
  if (left.length > 0) throw pending(region, waitingFor(left));
  return { found: going.length > 0 || waiting !== undefined };
}

/** Ends when EC2 has taken the order: no Machine waits for its volumes. */
export async function deleteListed(
  ec2: Ec2,
  request: DeleteListedRequest,
): Promise<{ found: boolean }> {
  const instance = await ec2.describeOne(parseProviderId(request.providerID).instanceId);
  if (!instance || !isLive(instance) || !belongsTo(instance, ownerOf(request))) {
    return { found: false };
  }
  await ec2.terminate(idOf(instance));
  return { found: true };
}

interface Look {
  /** To be terminated, or on their way down. */
  owned: Instance[];
  /** Terminated by an earlier call, and by now not to be found by their tags. */
  awaited: Instance[];
}

async function look(
  ec2: Ec2,
  request: MachineRequest,
  waiting: Waiting | undefined,
): Promise<Look> {
  const owned = await findOwned(ec2, request);
  const known = new Set(owned.map(idOf));
  const rest = waiting?.instanceIds.filter((id) => !known.has(id)) ?? [];
  const found = await Promise.all(rest.map((id) => ec2.describeOne(id)));
  return { owned, awaited: found.flatMap((one) => (one && !isTerminated(one) ? [one] : [])) };
}

interface Ending {
  instance: Instance;
  /** What is said of it; default what EC2 lists. */
  state?: string;
  /** The request was sent to EC2 in this call. */
  isFresh?: boolean;
}

/**
 * One call each: an identity that EC2 refuses must not keep the others. Those on their way down
 * need no second call. Fails with the first refusal, when all were sent.
 */
async function terminate(ec2: Ec2, instances: Instance[]): Promise<Ending[]> {
  const refusals: unknown[] = [];
  const endings: Ending[] = [];
  for (const instance of instances) {
    try {
      endings.push(isLive(instance) ? await terminateOne(ec2, instance) : { instance });
    } catch (error) {
      refusals.push(error);
    }
  }
  if (refusals.length > 0) throw refusals[0];
  return endings;
}

/**
 * EC2 may lose sight of an instance that it has just listed: "not found" is believed when the next
 * call hears it as well.
 */
async function terminateOne(ec2: Ec2, instance: Instance): Promise<Ending> {
  const isKnown = await ec2.terminate(idOf(instance));
  if (!isKnown) return { instance, state: 'listed and not to be found: looked for again' };
  return { instance, state: 'shutting-down', isFresh: true };
}

/** Some end at once. Those that were on their way down before have just been looked at. */
async function stillThere(ec2: Ec2, endings: Ending[]): Promise<Ending[]> {
  const looked = await Promise.all(
    endings.map(async (ending) => {
      if (!ending.isFresh) return [ending];
      const latest = await ec2.describeOne(idOf(ending.instance));
      return latest && !isTerminated(latest) ? [ending] : [];
    }),
  );
  return looked.flat();
}
