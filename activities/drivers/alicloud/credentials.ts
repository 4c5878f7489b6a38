/** Credentials in a class's Secret, as Gardener's driver reads them. */
import { fault } from '../frame/fault.ts';

export interface Credentials {
  accessKeyId: string;
  accessKeySecret: string;
}

/** In the order in which they are looked for, as with Gardener's driver. */
const idKeys = ['alicloudAccessKeyID', 'accessKeyID'] as const;
const secretKeys = ['alicloudAccessKeySecret', 'accessKeySecret'] as const;

type Secret = Readonly<Record<string, string>>;

export function credentialsOf(secret: Secret): Credentials {
  return { accessKeyId: valueOf(secret, idKeys), accessKeySecret: valueOf(secret, secretKeys) };
}

function valueOf(secret: Secret, keys: readonly string[]): string {
  const values = keys.map((key) => secret[key]?.trim() ?? '');
  const value = values.find((text) => text !== '') ?? '';
  if (value === '') {
    throw fault('unauthenticated', `Secret of the MachineClass: it has no ${keys.join(' or ')}`);
  }
  // They become a part of a header; a line break would be refused without saying what is wrong.
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw fault(
    'unauthenticated',
    `Secret of the MachineClass: ${keys.join(' or ')} has characters that no access key has`,
  );
}
