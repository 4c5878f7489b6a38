/** Which credentials a Secret gives; decides only. */
import { createHmac } from 'node:crypto';
import { fault } from '../frame/fault.ts';
import { nowMs, secretInt } from '../../system/system.ts';

export interface MetalCredentials {
  /** Of the API, with its path: `https://api.metal-stack.example/metal`. */
  url: URL;
  /** Bearer token, or the key that requests are signed with. */
  key: { kind: 'token' | 'hmac'; value: string };
}

/** The keys of metal-stack's driver for MCM. */
export function credentialsOf(secret: Readonly<Record<string, string>>): MetalCredentials {
  const text = secret['metalAPIURL']?.trim() ?? '';
  const token = secret['metalAPIKey']?.trim() ?? '';
  const hmac = secret['metalAPIHMac']?.trim() ?? '';
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw refused('metalAPIURL, which is to be a URL such as https://api.example.com/metal');
  }
  if ((token === '') === (hmac === '')) {
    throw refused('exactly one of metalAPIHMac and metalAPIKey');
  }
  if (token === '') return { url, key: { kind: 'hmac', value: hmac } };
  return { url, key: { kind: 'token', value: token } };
}

const refused = (what: string): Error =>
  fault('unauthenticated', `the Secret of the MachineClass needs ${what}`);

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * As metal-stack's clients sign: time, method and salt. A signature is good for 15 seconds by the
 * clock of the API.
 */
export function signed(
  { key: { kind, value } }: MetalCredentials,
  method: string,
): Record<string, string> {
  if (kind === 'token') return { authorization: `Bearer ${value}` };
  const date = `${new Date(nowMs()).toISOString().slice(0, 19)}Z`;
  const salt = Array.from({ length: 24 }, () => letters[secretInt(letters.length)]).join('');
  const mac = createHmac('sha256', value).update(date).update(method).update(salt).digest('hex');
  return { 'x-date': date, 'x-data-salt': salt, authorization: `Metal-Admin ${mac}` };
}
