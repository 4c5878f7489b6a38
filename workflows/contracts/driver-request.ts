/** The request of a driver about a Machine, by what was read of it. */
import { defined } from '../values/defined.ts';
import { contractVersion } from './driver-activities.ts';
import type { DriverRequest } from './driver-contract.ts';
import type { PreparedMachine } from './machine-activities.ts';

type Given = Pick<DriverRequest, 'machine' | 'cluster' | 'isRetry'> & {
  /** Part of the token: another generation makes another instance. */
  generation: number;
  /** Absent: the one that was read. */
  providerID?: string | undefined;
};

export function driverRequestOf(
  known: Partial<PreparedMachine>,
  { generation, providerID = known.providerID, ...given }: Given,
): DriverRequest {
  return defined({
    contractVersion,
    ...given,
    className: known.className ?? '',
    provider: known.provider ?? '',
    token: `${given.machine.uid}-${generation}`,
    providerID,
    bootstrapTokenId: known.bootstrapTokenId,
    nodeTemplate: known.nodeTemplate,
    lastKnownState: known.lastKnownState,
  });
}
