import { DriverError, type MachineRequest } from './driver.ts';

/** A request with a providerID never creates, and what there is not cannot be initialised. */
export function missing({ providerID, machine }: MachineRequest): DriverError {
  const message = `instance ${providerID ?? `of machine ${machine.name}`} does not exist`;
  return new DriverError({ code: 'NotFound', message, settled: true });
}
