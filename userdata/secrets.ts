/** What the Secrets that a config names hold. */
import type { UserDataConfig } from './config.ts';
import type { MachineValues } from './input.ts';

/** Names of the Secrets that the config names, once each, in order. */
export function secretsNamedIn({
  registries = [],
  files = [],
  operatingSystem,
}: UserDataConfig): string[] {
  const names = [
    ...registries.map(({ credentialsSecret }) => credentialsSecret),
    ...files.map(({ secret }) => secret?.name),
    operatingSystem?.subscription?.activationKey.name,
  ];
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}

/** Throws where it is not there. */
export function secretText({ secrets }: MachineValues, name: string, key: string): string {
  const text: unknown = secrets[name]?.[key];
  if (typeof text === 'string') return text;
  throw new Error(`Secret ${name} has no key ${key}, which the config of the user data names`);
}

/** For people, and for what has to be known before there is a machine. */
export function placeholderValues(config: UserDataConfig): MachineValues {
  const secrets = secretsNamedIn(config).map((name) => [name, placeholdersOf(name)] as const);
  return {
    machineName: '<<MACHINE_NAME>>',
    bootstrapToken: '<<BOOTSTRAP_TOKEN>>',
    secrets: Object.fromEntries(secrets),
  };
}

/** Whichever key is asked for. */
function placeholdersOf(name: string): Readonly<Record<string, string>> {
  return new Proxy({}, { get: (_target, key) => `<<SECRET ${name}/${String(key)}>>` });
}
