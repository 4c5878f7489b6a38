/** Waits until EC2 lists an instance with the name that its Node will have. */
import type { Instance } from '@aws-sdk/client-ec2';
import { DriverError } from '../driver.ts';
import { Pauses, type Timing } from '../wait.ts';
import type { Ec2 } from './ec2.ts';
import { spent } from './faults.ts';
import { idOf, isLive, isNamed } from './instance-view.ts';
import { untilAnswered } from './wait.ts';

export interface Cloud {
  ec2: Ec2;
  timing: Timing;
  /** An instance of an earlier control cluster gets the tags of this one. */
  retags: boolean;
}

const limits = { limitSeconds: 30, firstPauseSeconds: 1, longestPauseSeconds: 5 };

/**
 * Both take seconds mostly. An instance that fails at its start is never named: `Aborted`, settled.
 */
export async function untilNamed(
  { ec2, timing }: Pick<Cloud, 'ec2' | 'timing'>,
  { signal }: { signal: AbortSignal },
  instance: Instance,
): Promise<Instance> {
  const id = idOf(instance);
  const pauses = new Pauses(limits, signal, timing);
  const named = await untilAnswered(pauses, async () => {
    const latest = await ec2.describeOne(id);
    if (latest && !isLive(latest)) throw spent(latest);
    return latest && isNamed(latest) ? latest : undefined;
  });
  if (named) return named;
  throw nameless(instance, `for ${limits.limitSeconds} s`);
}

export function nameless(instance: Instance, howLong: string): DriverError {
  const message =
    `instance ${idOf(instance)} is not listed with a private DNS name ${howLong}, and that is to be the name of its Node. ` +
    `If this stays so, switch on DNS hostnames and DNS support of its VPC`;
  return new DriverError({ code: 'Unavailable', message, settled: false });
}
