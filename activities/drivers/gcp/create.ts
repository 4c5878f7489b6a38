/** The insert of an instance. */
import { createHash } from 'node:crypto';
import type { CreateRequest, DriverError } from '../driver.ts';
import type { MakeCall, Making } from '../frame/cloud.ts';
import type { Account } from './client.ts';
import { isSpotBy } from './compute.ts';
import { fault } from './error-mapping.ts';
import { instanceResource, userDataKeyOf, type InstanceResource } from './instance-resource.ts';
import { operationOf, type GoogleCloud } from './instance-view.ts';
import { isInstanceName } from './provider-id.ts';
import { specOf } from './validate.ts';

export async function insert(
  { compute }: Account,
  { place, body, token, signal }: MakeCall<GoogleCloud>,
): Promise<Making<GoogleCloud>> {
  const { project = '', zone = '' } = place;
  const requestId = requestIdOf(token, 'insert');
  const insertion = { project, zone, requestId, resource: body.content };
  return { operation: operationOf(await compute.insert(insertion, signal)) };
}

/** Random, and ours for ever: with another one an attempt under way would not be recognised. */
const namespace = Buffer.from('8f0c6a54b7d24c0f9a3e51d7c2b86e19', 'hex');

/** Google's idempotency key: a UUID version 5 (RFC 9562) of token and verb. */
export function requestIdOf(token: string, verb: 'insert'): string {
  const digest = createHash('sha1').update(namespace).update(`${verb}/${token}`).digest();
  const bytes = digest.subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const text = bytes.toString('hex');
  const parts = [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20)];
  return [...parts, text.slice(20)].join('-');
}

export function bodyOf({ project }: Account, request: CreateRequest): InstanceResource {
  return instanceResource({ spec: specOf(request.providerSpec), project, request });
}

/** What is wrong beside the class. */
export function createFaults(request: CreateRequest, isClassValid: boolean): string[] {
  const { name } = request.machine;
  const faults: string[] = [];
  if (!isInstanceName(name)) {
    const allowed = 'up to 63 lower-case letters, digits and dashes, a letter first, no dash last';
    faults.push(`metadata.name: "${name}" cannot be the name of an instance: ${allowed}`);
  }
  return isClassValid && faults.length === 0 ? userDataFaults(request) : faults;
}

/**
 * Which key the user data take is known with the user data only, so that the class alone cannot be
 * validated.
 */
function userDataFaults({ providerSpec, userData }: CreateRequest): string[] {
  if (userData === '') return [];
  const taken = userDataKeyOf(userData);
  return (specOf(providerSpec).metadata ?? []).flatMap(({ key }, index) => {
    if (key !== taken) return [];
    const path = `providerSpec.metadata[${index}].key`;
    return [
      `${path}: "${key}" is where the Secret's userData go, as they do not begin with #cloud-config: take it out of the class, or make them one`,
    ];
  });
}

export function disappearance(name: string, providerSpec: unknown): DriverError | undefined {
  const { scheduling } = Object(providerSpec);
  if (!isSpotBy(Object(scheduling))) return undefined;
  const message = `instance ${name} has gone right after it was made: Google takes spot instances back where it needs the capacity`;
  return fault('capacity', message, true);
}
