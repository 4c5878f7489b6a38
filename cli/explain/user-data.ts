/** What the user data of a machine were made of, and what its class makes of them now. */
import { configOf, profileOf } from '../../activities/user-data/class-user-data.ts';
import { isRefusal } from '../../kube/client/errors.ts';
import { inputFrom } from '../../userdata/documents.ts';
import { originOf, poolFaults } from '../../userdata/render.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { userDataSourceOf } from '../../workflows/api/user-data.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { Install } from '../install/install.ts';
import type { Fact } from './explanation.ts';

/** Empty where neither the machine nor its class knows of a profile. Reads no Secret. */
export async function userDataFacts(
  scope: ClusterScope,
  machine: Machine | undefined,
  { classes }: Install,
): Promise<Fact[]> {
  const { namespace, annotations: notes = {} } = machine?.metadata ?? {};
  const machineClass = classes.find(
    ({ metadata }) =>
      metadata.name === machine?.spec.class?.name && metadata.namespace === namespace,
  );
  const made = notes[annotations.userData];
  const present = machineClass && (await presentOf(scope, machineClass));
  const value = comparison(made, present);
  return value === undefined ? [] : [{ name: 'User data', value }];
}

type PresentOrigin = { origin: string } | { unknown: string };

/** Undefined: the class asks for no profile. */
async function presentOf(
  { kube }: ClusterScope,
  machineClass: MachineClass,
): Promise<PresentOrigin | undefined> {
  const source = userDataSourceOf(machineClass);
  if (!source || source.from === 'secret') return undefined;
  const { namespace = 'default', annotations: notes = {} } = machineClass.metadata;
  const place = { client: kube, namespace };
  try {
    const profile = await profileOf(place, source);
    const config = await configOf(place, notes[annotations.userDataConfig]);
    const read = inputFrom({ profile, config, provider: machineClass.provider ?? '' });
    const faults = read.faults ?? poolFaults(read.value);
    if (read.faults || faults.length > 0) return { unknown: faults.join('; ') };
    return { origin: originOf(read.value) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { unknown: error.message };
  }
}

function comparison(
  made: string | undefined,
  present: PresentOrigin | undefined,
): string | undefined {
  if (made === undefined) {
    if (!present || !('origin' in present)) return undefined;
    return `of no profile; its class makes them of ${present.origin} now`;
  }
  if (!present) return `made of ${made}; its class asks for no profile now`;
  if ('unknown' in present) {
    return `made of ${made}; what its class makes now is not known: ${present.unknown}`;
  }
  if (made === present.origin) return `made of ${made}, as its class makes them now`;
  const [profile] = made.split(' ');
  const what = present.origin.startsWith(`${profile} `) ? 'config' : 'profile';
  return `made of ${made}, by an earlier ${what}: its class makes ${present.origin} now`;
}
