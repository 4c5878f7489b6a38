import type { Machine, NodeAddress } from '../../workflows/api/machine.ts';
import type { Driver } from '../drivers/driver.ts';
import type { ClassReader } from '../machine-class/reader.ts';
import { referenceOf } from '../machine/object.ts';

export interface AskParts {
  /** UID of the control cluster. */
  cluster: string;
  classes: ClassReader;
  /** Undefined: this process does not call that cloud. */
  driverOf(provider: string): Pick<Driver, 'describeInstance'> | undefined;
  signal: AbortSignal;
}

/**
 * Addresses that the instance of a Machine has now: of one that was made before they were recorded,
 * or got others since. Undefined: the cloud cannot be asked here. Throws a DriverError.
 */
export async function addressesByCloud(
  { cluster, classes, driverOf, signal }: AskParts,
  machine: Machine,
): Promise<readonly NodeAddress[] | undefined> {
  const resolved = await classes.read(machine.spec.class?.name ?? '', { isFresh: false });
  const driver = resolved && driverOf(resolved.machineClass.provider ?? '');
  if (!driver) return undefined;
  const found = await driver.describeInstance({
    cluster,
    machine: referenceOf(machine),
    ...(machine.spec.providerID !== undefined && { providerID: machine.spec.providerID }),
    providerSpec: resolved.machineClass.providerSpec,
    secret: resolved.secret,
    // It is searched for by its providerID alone.
    token: '',
    isClaimed: () => true,
    signal,
  });
  return found?.addresses ?? [];
}
