import { contractVersion } from '../../workflows/contracts/driver-activities.ts';
import type { DriverRequest } from '../../workflows/contracts/driver-contract.ts';
import { lifeOf } from './world.ts';

/** As the core asks the driver of class `small` for the instance of Machine `pool-a`. */
export const driverRequest: DriverRequest = {
  contractVersion,
  machine: lifeOf('pool-a'),
  cluster: 'c',
  className: 'small',
  provider: 'virtual',
  token: 'uid-of-pool-a-0',
  isRetry: false,
};
