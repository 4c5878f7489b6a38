/** Deletes instances, and ends when they are gone: their volumes may be attached elsewhere by then. */
import type { Instance } from '@aws-sdk/client-ec2';
import { DriverError, type DeleteListedRequest, type MachineRequest } from '../driver.ts';
import type { Ec2 } from './ec2.ts';
import { findOwned, ownerOf } from './find.ts';
import { idOf, isLive, isTerminated } from './instance-view.ts';
import { parseProviderId } from './provider-id.ts';
import { belongsTo } from './tags.ts';
import { untilAnswered } from './timing.ts';
import type { Cloud } from './until-named.ts';

export async function deleteInstance(
  cloud: Cloud,
  request: MachineRequest,
): Promise<{ found: boolean }> {
  const owned = await findOwned(cloud.ec2, request);
  await terminate(cloud.ec2, owned);
  await untilTerminated(cloud, owned, request.signal);
  return { found: owned.length > 0 };
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

/** One call each: an identity that EC2 refuses must not keep the others. Those on their way down need no second call. */
async function terminate(ec2: Ec2, instances: Instance[]): Promise<void> {
  for (const instance of instances.filter(isLive)) await ec2.terminate(idOf(instance));
}

/** A termination takes a minute mostly. The activity must end before its own limit of five. */
const terminationLimitSeconds = 240;

async function untilTerminated(
  { ec2, timing }: Cloud,
  instances: Instance[],
  signal: AbortSignal,
): Promise<void> {
  let left = instances.map(idOf);
  const wait = {
    limitSeconds: terminationLimitSeconds,
    firstPauseSeconds: 2,
    longestPauseSeconds: 15,
    signal,
  };
  const end = await untilAnswered(timing, wait, async () => {
    left = await stillThere(ec2, left);
    return left.length === 0 ? 'terminated' : undefined;
  });
  if (end) return;
  const message = `${left.join(', ')} not terminated after ${terminationLimitSeconds} s; asked for again`;
  throw new DriverError({ code: 'DeadlineExceeded', message, settled: false });
}

async function stillThere(ec2: Ec2, ids: string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => ec2.describeOne(id)));
  return found.flatMap((instance) => (instance && !isTerminated(instance) ? [idOf(instance)] : []));
}
