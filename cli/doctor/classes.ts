/**
 * Whether MachineClasses have what they name. One that is wrong stops its own machines, not
 * Millwright. Credentials are not tried: what a cloud said of them last stands on the class.
 */
import type { KubeClient } from '../../kube/client/client.ts';
import { isRefusal } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource, namespaced } from '../../kube/client/paths.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { ownSecretsOf } from '../../workflows/api/secret-refs.ts';
import type { Check, DoctorResult } from './check.ts';
import { ok, warning } from './check.ts';
import type { Observed } from './observed.ts';

const check = 'classes';

export function classChecks(observed: Observed): Check[] {
  return [{ name: check, run: () => classes(observed) }];
}

async function classes({ kube, namespace }: Observed): Promise<DoctorResult[]> {
  const { items } = await kube.list<MachineClass>(customResource('machineclasses', namespace));
  const { items: machines } = await kube.list<Machine>(customResource('machines', namespace));
  const used = new Set(machines.map(({ spec }) => spec.class?.name));
  const found = await Promise.all(
    items.map(async (one) =>
      (await faultsOf(kube, namespace, one)).map((text) => {
        const { name } = one.metadata;
        const message = `MachineClass ${name}${used.has(name) ? '' : ', which no machine uses'}: ${text}`;
        return warning(check, message, `kubectl -n ${namespace} describe machineclass ${name}`);
      }),
    ),
  );
  const faults = found.flat();
  if (faults.length > 0) return faults;
  const message = `${items.length} MachineClasses, nothing is known to be wrong; their credentials are not tried`;
  return [ok(check, message)];
}

async function faultsOf(
  kube: KubeClient,
  namespace: string,
  machineClass: MachineClass,
): Promise<string[]> {
  const noted = machineClass.metadata.annotations?.[annotations.invalid];
  if (noted !== undefined) return noted.split('\n');
  const named = ownSecretsOf(machineClass, namespace);
  if (named.length === 0) return ['it names no Secret'];
  const secrets = await Promise.all(named.map(({ name }) => readKeys(kube, namespace, name)));
  const missing = named.filter((_secret, index) => secrets[index] === 'missing');
  if (missing.length > 0) {
    return missing.map(({ field, name }) => `${field}: Secret ${name} does not exist`);
  }
  const isKnown = secrets.every((keys) => keys !== 'refused');
  return isKnown && !secrets.flat().includes('userData')
    ? ['no key "userData" in its Secret: add it, it may be empty']
    : [];
}

interface SecretData {
  data?: Record<string, string>;
}

/** `refused`: the caller may not read Secrets. */
async function readKeys(
  kube: KubeClient,
  namespace: string,
  name: string,
): Promise<string[] | 'missing' | 'refused'> {
  try {
    const found = await ignoreNotFound(
      kube.get<SecretData>(namespaced('secrets', namespace, name)),
    );
    return found ? Object.keys(found.data ?? {}) : 'missing';
  } catch (reason) {
    if (isRefusal(reason)) return 'refused';
    throw reason;
  }
}
