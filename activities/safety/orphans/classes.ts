/** Reads MachineClasses for the search for orphans, and reports on them. */
import type {
  ExternalProvider,
  SafetyActivities,
} from '../../../workflows/contracts/safety-activities.ts';
import { apiVersion } from '../../../workflows/api/constants.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import type { Suspect } from '../../../workflows/plan/safety/orphan-sweep.ts';
import { isBuiltIn } from '../../drivers/providers.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import type { EventText } from '../../../kube/objects/event.ts';
import { recordEvent } from '../../../kube/objects/events.ts';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { component } from '../../machine/object.ts';

export async function findProviders(
  control: KubeClient,
  { namespace }: { namespace: string },
): Promise<(string | ExternalProvider)[]> {
  const { items } = await control.list<MachineClass>(customResource('machineclasses', namespace));
  const providers = new Set(items.map(({ provider = '' }) => provider));
  providers.delete('');
  return [...providers].toSorted().map((provider) => {
    if (isBuiltIn(provider)) return provider;
    const classes = items.filter((machineClass) => machineClass.provider === provider);
    return { provider, classNames: classes.map(({ metadata }) => metadata.name).toSorted() };
  });
}

export async function reportOrphans(
  control: KubeClient,
  { namespace, deleted, stopped }: Parameters<SafetyActivities['reportOrphans']>[0],
): Promise<void> {
  for (const suspect of deleted) {
    await tellOn(control, { namespace, name: suspect.className }, deletionOf(suspect));
  }
  if (stopped) {
    const { className, message } = stopped;
    const text = { type: 'Warning', reason: 'TooManyOrphans', message, component } as const;
    await tellOn(control, { namespace, name: className }, text);
  }
}

function deletionOf({ providerID, machineName, because }: Suspect): EventText {
  const why =
    because === 'surplus'
      ? `Machine ${machineName} has another instance`
      : `there is no Machine ${machineName}`;
  const message = `Deleted instance ${providerID}: ${why}`;
  return { type: 'Warning', reason: 'DeletedOrphan', message, component };
}

export async function tellOn(
  control: KubeClient,
  ref: { namespace: string; name: string },
  text: EventText,
): Promise<void> {
  const path = customResource('machineclasses', ref.namespace, ref.name);
  const machineClass = await ignoreNotFound(control.get<MachineClass>(path));
  if (!machineClass) return;
  const { uid } = machineClass.metadata;
  recordEvent(control, { apiVersion, kind: 'MachineClass', ...ref, uid }, text);
}
