/** Profile and config of a MachineClass. */
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { namespaced } from '../../kube/client/paths.ts';
import type { UserDataConfig } from '../../userdata/config.ts';
import { readConfig, readProfile, type Read } from '../../userdata/documents.ts';
import type { Profile } from '../../userdata/profile.ts';
import { builtInProfile, profileNames } from '../../userdata/profiles.ts';
import { annotations } from '../../workflows/api/constants.ts';

interface Place {
  client: KubeClient;
  namespace: string;
}

export async function profileOf(
  place: Place,
  { from, name }: { from: 'profile' | 'configMap'; name: string },
): Promise<Read<Profile>> {
  if (from === 'configMap') {
    const text = await textIn(place, { field: annotations.userData, name, key: 'profile.yaml' });
    return text.faults ? text : readProfile(text.value, `ConfigMap ${name}, profile.yaml`);
  }
  const value = builtInProfile(name);
  if (value) return { value };
  return {
    faults: [`${annotations.userData}: "${name}" is not known: ${profileNames().join(', ')}`],
  };
}

export async function configOf(
  place: Place,
  name: string | undefined,
): Promise<Read<UserDataConfig>> {
  if (name === undefined) return { faults: [`${annotations.userDataConfig} is missing`] };
  const text = await textIn(place, { field: annotations.userDataConfig, name, key: 'config.yaml' });
  return text.faults ? text : readConfig(text.value, `ConfigMap ${name}, config.yaml`);
}

async function textIn(
  { client, namespace }: Place,
  { field, name, key }: { field: string; name: string; key: string },
): Promise<Read<string>> {
  const path = namespaced('configmaps', namespace, name);
  const found = await ignoreNotFound(client.get<{ data?: Record<string, string> }>(path));
  const text = found?.data?.[key];
  if (text !== undefined) return { value: text };
  const lack = found ? `has no key "${key}": add it` : `does not exist in namespace ${namespace}`;
  return { faults: [`${field}: "${name}": ConfigMap "${name}" ${lack}`] };
}
