/** An instance that was made for an earlier control cluster becomes one of this one. */
import type { Instance } from '@aws-sdk/client-ec2';
import { DriverError, type MachineRequest } from '../driver.ts';
import type { Ec2 } from './ec2.ts';
import { isMadeFor } from './find.ts';
import { idOf } from './instance-view.ts';
import { ownerText } from '../owner-tag.ts';
import { ourTags, ownerTag, tagOf } from './tags.ts';

/**
 * After a restore or a move of the control plane the instances carry the UID of a cluster that is
 * gone, and no listing shows them. Only one that `spec.providerID` names and that has our tags of
 * this namespace and Machine is given others. Those of MCM have none, and are listed without. A
 * refusal changes nothing: the instance works as before.
 */
export async function retagIfAdopted(
  ec2: Ec2,
  request: MachineRequest,
  instance: Instance,
): Promise<void> {
  const { providerID, cluster, machine } = request;
  const before = tagOf(instance, ourTags.cluster);
  if (providerID === undefined || before === undefined || before === cluster) return;
  if (!isMadeFor(instance, request)) return;
  const fresh = { [ourTags.cluster]: cluster, [ourTags.machineUid]: machine.uid };
  const isInOne = tagOf(instance, ownerTag.name) !== undefined;
  const tags = isInOne ? { [ownerTag.name]: renewed(instance, fresh) } : fresh;
  try {
    await ec2.tag(idOf(instance), tags);
  } catch (error) {
    if (!(error instanceof DriverError) || error.code === 'Canceled') throw error;
  }
}

function renewed(instance: Instance, fresh: Readonly<Record<string, string>>): string {
  const before = ownerTag.holds.map((name) => [name, tagOf(instance, name) ?? '']);
  return ownerText({ ...Object.fromEntries(before), ...fresh }, ownerTag);
}
