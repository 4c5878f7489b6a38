/**
 * Gives an adopted instance, whose tags name an earlier control cluster, those of this one.
 * Listings show it again then.
 */
import type { VirtualMachine } from '@azure/arm-compute';
import type { CreateRequest } from '../driver.ts';
import type { PartRef } from './checkpoint.ts';
import { AzureFailure } from './error-mapping.ts';
import { getPart, type Part } from './parts.ts';
import { partsOf } from './delete-parts.ts';
import { call, type Session } from './session.ts';
import { tagNames, tagOf, tagsFor, type Tags } from './tags.ts';

interface Adopted {
  vm: VirtualMachine;
  /** The name of the virtual machine. */
  name: string;
}

/** What Azure said against it, which is no reason not to adopt. */
export async function refreshTags(
  session: Session,
  request: CreateRequest,
  adopted: Adopted,
): Promise<string | undefined> {
  if (!isOfEarlierCluster(request, adopted.vm)) return undefined;
  try {
    await refreshAll(session, request, adopted);
    return undefined;
  } catch (error) {
    if (error instanceof AzureFailure && error.meaning !== 'cancelled') return error.message;
    throw error;
  }
}

/** Made by us for a Machine of this namespace and name. */
function isOfEarlierCluster({ cluster, machine }: CreateRequest, { tags }: Part): boolean {
  const earlier = tagOf(tags, tagNames.cluster);
  return (
    earlier !== undefined &&
    earlier !== cluster &&
    tagOf(tags, tagNames.namespace) === machine.namespace &&
    tagOf(tags, tagNames.machine) === machine.name
  );
}

/**
 * The virtual machine last: as long as it has the old tags, the next attempt does all of this
 * again.
 */
async function refreshAll(
  session: Session,
  request: CreateRequest,
  { vm, name }: Adopted,
): Promise<void> {
  for (const part of partsOf(session, { machineName: name, vm })) {
    const found = await getPart(session, part);
    const isOfVm = tagOf(found?.tags, tagNames.cluster) === tagOf(vm.tags, tagNames.cluster);
    if (found && isOfVm) await writeTags(session, part, tagsFor(found.tags ?? {}, request));
  }
  await writeTags(session, { kind: 'virtual machine', name }, tagsFor(vm.tags ?? {}, request));
}

async function writeTags(session: Session, { kind, name }: PartRef, tags: Tags): Promise<void> {
  const { compute, network } = session.clients;
  const group = session.place.resourceGroup;
  await call<unknown>(session, `change the tags of ${kind} ${name}`, async (options) => {
    switch (kind) {
      case 'virtual machine':
        return await compute.virtualMachines.update(group, name, { tags }, options).submitted();
      case 'network interface':
        return await network.networkInterfaces.updateTags(group, name, { tags }, options);
      case 'disk':
        return await compute.disks.update(group, name, { tags }, options).submitted();
    }
  });
}
