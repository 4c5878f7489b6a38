/** The run of an instance, and what comes of it. */
import { nowMs } from '../../system/system.ts';
import type { CreateRequest } from '../driver.ts';
import type { MakeCall, Making, Operation, Place } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { hasToken } from '../frame/tags.ts';
import { isConflict, type Account } from './client.ts';
import { readAt } from './find.ts';
import { providerIDOf, stateOf, type AliInstance } from './instance-view.ts';
import { diskNameOf, type RunInstances } from './run-instances.ts';
import { tagSpelling } from './tags.ts';
import { specOf } from './validate.ts';

export interface Alicloud {
  account: Account;
  thing: AliInstance;
  content: RunInstances;
}

/** Its operation is the instance itself, once the cloud has said its id. */
export async function run(
  { ecs }: Account,
  { place, body, token, signal }: MakeCall<Alicloud>,
): Promise<Making<Alicloud>> {
  const { region = '' } = place;
  try {
    const id = await ecs(region).run(body.content, signal);
    const begunAt = nowMs();
    return { operation: { name: `${id}.${begunAt}`, isDone: false, progress: 'Pending', begunAt } };
  } catch (error) {
    if (!isConflict(error)) throw error;
    // The token made an instance of another request, such as one with a class that was changed
    // since; by now it may be listed.
    const query = { instanceName: body.name };
    const found = await ecs(region).describe(query, `find instance ${body.name}`, signal);
    const thing = found.find((one) => hasToken(one, token, tagSpelling));
    if (thing) return { thing, isFound: true };
    throw error;
  }
}

export function refOf({ region = '' }: Place, _name: string, { name }: Operation): string {
  const [id = ''] = name.split('.');
  return providerIDOf({ region, id });
}

/**
 * `name`: id and time of the run. What is not listed may come for so long; then it is gone, as a
 * token that was used before is answered with the id of what it made.
 */
export async function operationOf(
  account: Account,
  { place, name, signal }: { place: Place; name: string; signal: AbortSignal },
  listedWithinMs: number,
): Promise<Operation> {
  const begunAt = Number(name.split('.')[1]);
  const operation = { name, isDone: true, begunAt };
  const thing = await readAt(account, refOf(place, '', operation), signal);
  if (!thing) {
    const isDone = nowMs() - begunAt >= listedWithinMs;
    return { ...operation, isDone, progress: 'not listed yet' };
  }
  const { is, words } = stateOf(thing);
  return { ...operation, isDone: is !== 'coming', progress: words };
}

/** What is wrong beside the class. */
export function createFaults(request: CreateRequest, isClassValid: boolean): string[] {
  const { name } = request.machine;
  const faults: string[] = [];
  if (!/^[a-z][a-z0-9.-]{1,127}$/.test(name)) {
    const allowed = '2 to 128 lower-case letters, digits, dots and dashes, a letter first';
    faults.push(`metadata.name: "${name}" cannot be the name of an instance: ${allowed}`);
  }
  return [...faults, ...(isClassValid ? diskFaults(request) : []), ...userDataFaults(request)];
}

function diskFaults({ machine, providerSpec }: CreateRequest): string[] {
  return (specOf(providerSpec).dataDisks ?? []).flatMap(({ name = '' }, index) => {
    const diskName = diskNameOf(machine.name, name);
    const path = `providerSpec.dataDisks[${index}].name`;
    return diskName.length <= 128
      ? []
      : [`${path}: the disk would be called "${diskName}", and 128 characters are allowed`];
  });
}

const userDataMax = 32 * 1_024;

function userDataFaults({ userData, userDataBytes }: CreateRequest): string[] {
  const size = (userDataBytes ?? Buffer.from(userData)).byteLength;
  return size <= userDataMax
    ? []
    : [`userData of the Secret: ${size} bytes are more than ${userDataMax}, which ECS takes`];
}

/** What has gone as soon as it was made. */
export function disappearance(name: string, providerSpec: unknown) {
  const { spotStrategy = '' } = Object(providerSpec);
  if (spotStrategy === '' || spotStrategy === 'NoSpot') return undefined;
  const message = `instance ${name} has gone right after it was made: Alibaba Cloud takes spot instances back where it needs the capacity`;
  return fault('capacity', message, true);
}
