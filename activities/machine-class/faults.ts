/** Faults of a MachineClass, as far as the core knows; its driver validates the provider spec. */
import type { PreparedMachine } from '../../workflows/contracts/machine-activities.ts';
import { annotations } from '../../workflows/api/constants.ts';
import { secretNamespaceFaults } from '../../workflows/api/secret-refs.ts';
import { machineClassFaults } from '../../workflows/api/validation.ts';
import { nearestOf } from '../../workflows/values/nearest.ts';
import { isRefusedNote } from '../../workflows/plan/machine-class/note.ts';
import { builtInProviders, isBuiltIn } from '../drivers/providers.ts';
import type { ClassWithSecret } from './reader.ts';
import type { ClassDependencies } from './dependencies.ts';
import { noteIn } from './note.ts';

/**
 * A sentence for each fault, with field, value and what is allowed; empty when nothing is wrong.
 */
export async function classFaults(
  dependencies: Pick<ClassDependencies, 'target' | 'hasDriver'>,
  resolved: ClassWithSecret,
): Promise<string[]> {
  const { provider = '' } = resolved.machineClass;
  const driver = await driverFault(dependencies, provider);
  return [
    ...contentFaults(resolved),
    ...(await userDataFaults(dependencies, resolved)),
    ...(driver === undefined ? [] : [driver]),
  ];
}

async function userDataFaults(
  { target }: Pick<ClassDependencies, 'target'>,
  { userData }: ClassWithSecret,
): Promise<string[]> {
  const asked = await userData?.();
  if (!asked?.input || target) return asked?.faults ?? [];
  return [`${annotations.userData}: ${noTarget}`];
}

const noTarget =
  'there is no cluster to join, because of --target-kubeconfig=none: remove it, and write the key "userData" of the Secret yourself';

const equinixMetal =
  'Equinix Metal closed on 30 June 2026; move its pools to another cloud (docs/clouds), and delete this class once its Machines are gone';

/** Clouds that ended, by the provider of their classes in small letters. */
const closedClouds: ReadonlyMap<string, string> = new Map([
  ['equinixmetal', equinixMetal],
  ['packet', equinixMetal],
]);

export async function driverFault(
  { hasDriver }: Pick<ClassDependencies, 'hasDriver'>,
  provider: string,
): Promise<string | undefined> {
  if (provider === '') return 'provider is missing: name a driver, such as AWS';
  if (await hasDriver(provider)) return undefined;
  const closed = closedClouds.get(provider.toLowerCase());
  if (closed !== undefined) return `provider: "${provider}" is no more: ${closed}`;
  const meant = nearestOf(provider, builtInProviders);
  if (meant !== undefined && meant !== provider) {
    return `provider: "${provider}" is not known: did you mean "${meant}"?`;
  }
  return `provider: "${provider}" has no driver: no worker serves its task queue`;
}

/** Fields of its class that a machine has to know. */
export function providerOf({ machineClass }: ClassWithSecret): Pick<
  PreparedMachine,
  'isClassRefused' | 'hasExternalDriver'
> & {
  provider: string;
} {
  const { provider = '' } = machineClass;
  return {
    provider,
    ...(!isBuiltIn(provider) && { hasExternalDriver: true as const }),
    ...(isRefusedNote(noteIn(machineClass), 'machines') && { isClassRefused: true as const }),
  };
}

/** Why no call to a driver may be made: it would go without the credentials that were meant. */
export function refusalOf(
  { machineClass }: ClassWithSecret,
  namespace: string,
): string | undefined {
  const faults = secretNamespaceFaults(machineClass, namespace);
  if (faults.length === 0) return undefined;
  return `MachineClass "${machineClass.metadata.name}": ${faults.join('; ')}`;
}

function contentFaults({
  machineClass,
  secret,
  secretFaults,
  userData,
}: ClassWithSecret): string[] {
  // A cluster with MCM's own CRDs takes what ours refuse.
  const faults = [...machineClassFaults(machineClass), ...secretFaults];
  if (!userData && secretFaults.length === 0 && secret['userData'] === undefined) {
    const { secretRef, credentialsSecretRef } = machineClass;
    const isNamed = Boolean(secretRef?.name || credentialsSecretRef?.name);
    faults.push(
      isNamed
        ? 'its Secret has no key "userData": add it, it may be empty'
        : 'secretRef is missing: name a Secret with the key "userData", which may be empty',
    );
  }
  return faults;
}
