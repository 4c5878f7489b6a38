/** One call of the driver that makes an instance. */
import type { CreateRequest } from '../driver.ts';
import type { Account } from './client.ts';
import type { Pauses } from '../wait.ts';
import type { InstancePlace } from './provider-id.ts';
import type { WaitLimits } from './wait.ts';

export interface CreationOptions extends WaitLimits {
  /** A spot instance is looked at once more so long after it came up; 0: not at all. */
  confirmSeconds: number;
  allowsRetagging: boolean;
}

export interface Creation {
  account: Account;
  request: CreateRequest;
  /** The request ID of the insert. */
  requestId: string;
  place: InstancePlace;
  pauses: Pauses;
  options: CreationOptions;
}
