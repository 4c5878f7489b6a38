/** Credentials in a class's Secret: the first key that is there, as with Gardener's driver. */
import { fault } from '../frame/fault.ts';

export interface Credentials {
  id: string;
  secret: string;
}

export function credentialsOf(secret: Readonly<Record<string, string>>): Credentials {
  const valueOf = (...keys: string[]): string => {
    const value = keys.map((key) => secret[key]?.trim()).find(Boolean) ?? '';
    // It becomes a part of a header.
    if (/^[\x21-\x7e]+$/.test(value)) return value;
    const words = `Secret of the MachineClass: it has no ${keys.join(' or ')} of ASCII characters`;
    throw fault('unauthenticated', words);
  };
  return {
    id: valueOf('alicloudAccessKeyID', 'accessKeyID'),
    secret: valueOf('alicloudAccessKeySecret', 'accessKeySecret'),
  };
}
