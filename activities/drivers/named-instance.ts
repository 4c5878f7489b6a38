/** What a driver fails with where the instance that a Machine names is not to be used. */
import { DriverError, type MachineRequest } from './driver.ts';

/**
 * Anyone who may write Machines may set a providerID. Such an instance is used and deleted only
 * with tags of ours for this namespace and Machine, of any cluster, with those of MCM, or with that
 * of Kubermatic's machine-controller and the Machine's name.
 * Otherwise a Machine could name any other instance in the same account, and have its Node drained,
 * its console read and the instance deleted.
 */
export function notOurs({ providerID, machine }: MachineRequest): DriverError {
  const message = `instance ${providerID}, which spec.providerID names, has no tags of Millwright for Machine ${machine.namespace}/${machine.name} and none of MCM: it is neither used nor deleted. Correct spec.providerID or the tags of the instance; to keep the instance, remove the finalizer machine.sapcloud.io/machine-controller-manager from the Machine`;
  return new DriverError({ code: 'FailedPrecondition', kind: 'input', message, settled: false });
}

/** A request with a providerID never creates, and what there is not cannot be initialised. */
export function missing({ providerID, machine }: MachineRequest): DriverError {
  const message = `instance ${providerID ?? `of machine ${machine.name}`} does not exist`;
  return new DriverError({ code: 'NotFound', message, settled: true });
}
