/** MachineClass and Secret from files, as one would apply them. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { WrongArguments } from './arguments.ts';

export interface Manifests {
  providerSpec: Record<string, unknown>;
  /** Decoded. */
  secret: Record<string, string>;
}

export interface ManifestFiles {
  provider: string;
  machineClass: string;
  secret: string;
}

/** Throws `WrongArguments`; no message holds anything of the Secret. */
export async function readManifests(files: ManifestFiles): Promise<Manifests> {
  const machineClass = await objectIn('--class', files.machineClass);
  const { kind, provider, providerSpec } = machineClass;
  if (kind !== 'MachineClass') {
    throw new WrongArguments(`--class ${files.machineClass}: kind is not MachineClass`);
  }
  if (provider !== files.provider) {
    const given = JSON.stringify(provider);
    throw new WrongArguments(
      `--class ${files.machineClass}: provider is ${given}, not that of --provider, "${files.provider}"`,
    );
  }
  const secret = await objectIn('--secret', files.secret);
  if (secret['kind'] !== 'Secret') {
    throw new WrongArguments(`--secret ${files.secret}: kind is not Secret`);
  }
  return { providerSpec: { ...Object(providerSpec) }, secret: dataOf(secret) };
}

async function objectIn(flag: string, file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code = 'unknown' }: { code?: string } = Object(error);
    throw new WrongArguments(`${flag}: ${file} cannot be read (${code})`);
  });
  const value = parsed(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new WrongArguments(
    `${flag}: ${file} is not one object in YAML; one file for each is needed`,
  );
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    // What the parser says quotes the text, which may be secret.
    return undefined;
  }
}

function dataOf({ data, stringData }: Record<string, unknown>): Record<string, string> {
  const decoded = Object.entries({ ...Object(data) }).map(([key, text]) => [
    key,
    Buffer.from(String(text), 'base64').toString('utf8'),
  ]);
  const plain = Object.entries({ ...Object(stringData) }).map(([key, text]) => [key, String(text)]);
  return { userData: '', ...Object.fromEntries(decoded), ...Object.fromEntries(plain) };
}
