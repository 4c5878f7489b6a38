/** The Secrets that a config names: credentials of registries, contents of files, keys. */
import { isUtf8 } from 'node:buffer';
import { quoted } from '../../workflows/api/validation.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { namespaced } from '../../kube/client/paths.ts';
import type { UserDataConfig } from '../../userdata/config.ts';
import type { MachineValues } from '../../userdata/render.ts';
import { isObjectName, objectNameRule } from './object-name.ts';

/** A key of a Secret, and the field of the config that asks for it. */
interface NamedKey {
  field: string;
  name: string;
  key: string;
}

function keysIn({ registries = [], files = [], operatingSystem }: UserDataConfig): NamedKey[] {
  const ofRegistries = registries.flatMap(({ credentialsSecret: name }, index) => {
    const field = `registries[${index}].credentialsSecret`;
    if (name === undefined) return [];
    return ['username', 'password'].map((key) => ({ field, name, key }));
  });
  const ofFiles = files.flatMap(({ secret }, index) =>
    secret ? [{ field: `files[${index}].secret`, ...secret }] : [],
  );
  const field = 'operatingSystem.subscription.activationKey';
  const { activationKey } = operatingSystem?.subscription ?? {};
  return [...ofRegistries, ...ofFiles, ...(activationKey ? [{ field, ...activationKey }] : [])];
}

/** `secrets`: what the config asks for, and no other key. */
export async function readNamedSecrets(
  { client, namespace }: { client: KubeClient; namespace: string },
  config: UserDataConfig,
): Promise<{ secrets: MachineValues['secrets']; faults: string[] }> {
  const secrets: Record<string, Record<string, string>> = {};
  const faults = new Set<string>();
  const known = new Map<string, Map<string, Buffer> | undefined>();
  for (const { field, name, key } of keysIn(config)) {
    const said = `config.yaml: ${field}: Secret ${quoted(name)}`;
    if (!isObjectName(name)) {
      faults.add(`${said} is no name: ${objectNameRule}`);
      continue;
    }
    if (!known.has(name)) known.set(name, await dataOf(client, { namespace, name }));
    const data = known.get(name);
    const value = data?.get(key);
    if (!data) faults.add(`${said} does not exist in namespace ${namespace}`);
    else if (!value) faults.add(`${said} has no key ${quoted(key)}: add it`);
    else if (!isUtf8(value)) faults.add(`${said}: its key ${quoted(key)} must be a text in UTF-8`);
    else secrets[name] = { ...secrets[name], [key]: value.toString('utf8') };
  }
  return { secrets, faults: [...faults] };
}

async function dataOf(
  client: KubeClient,
  { namespace, name }: { namespace: string; name: string },
): Promise<Map<string, Buffer> | undefined> {
  const path = namespaced('secrets', namespace, name);
  const secret = await ignoreNotFound(client.get<{ data?: Record<string, string> }>(path));
  if (!secret) return undefined;
  const entries = Object.entries(secret.data ?? {});
  return new Map(entries.map(([key, value]) => [key, Buffer.from(value, 'base64')]));
}
