/** What a class's Secret holds, with the keys of Gardener's driver and one for a certificate. */
import { fault } from '../frame/fault.ts';
import type { Environment } from '../settings.ts';

export interface Credentials {
  url: URL;
  username: string;
  password: string;
  /** Any certificate is taken. */
  isInsecure: boolean;
  /** PEM. Default: what the process trusts. */
  ca: string | undefined;
}

type Secret = Readonly<Record<string, string>>;

/** Fails as a refusal of the credentials does: only another Secret helps. */
export function credentialsOf(secret: Secret, env: Environment): Credentials {
  const { vsphereHost = '', vsphereUsername = '', vspherePassword = '' } = secret;
  const { vsphereCACert, vsphereInsecureSSL = '' } = secret;
  const needed = { vsphereHost, vsphereUsername, vspherePassword };
  const missing = Object.entries(needed).flatMap(([key, value]) => (value.trim() ? [] : [key]));
  const url = URL.parse(env['MILLWRIGHT_VSPHERE_ENDPOINT'] || `https://${vsphereHost.trim()}/sdk`);
  const isHost = /^[\w.:[\]-]+$/.test(vsphereHost.trim());
  if (missing.length > 0 || !isHost || !url) {
    const what = missing.length > 0 ? `lacks ${missing.join(', ')}` : 'has no host in vsphereHost';
    const message = `vSphere: the Secret ${what}. It needs vsphereHost (a name or address, with a port or without), vsphereUsername and vspherePassword`;
    throw fault('unauthenticated', message, true);
  }
  return {
    url,
    username: vsphereUsername,
    password: vspherePassword,
    // As Gardener's driver reads it.
    isInsecure: ['true', '1'].includes(vsphereInsecureSSL.toLowerCase()),
    ca: vsphereCACert?.trim() || undefined,
  };
}
