/** What this driver says by itself. */
import type { Instance } from '@aws-sdk/client-ec2';
import { DriverError } from '../driver.ts';
import { idOf } from './instance-view.ts';

/** EC2 answers a token with the instance that it made once, dead or alive. The next one needs another token. */
export function spent(instance: Instance): DriverError {
  const reason = instance.StateReason?.Message ?? instance.StateTransitionReason;
  const why = reason ? `: ${reason}` : '';
  const message = `instance ${idOf(instance)} of this attempt is ${instance.State?.Name}${why}`;
  return new DriverError({ code: 'Aborted', message, settled: true });
}
