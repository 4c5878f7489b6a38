/**
 * Makes an instance: finds before it creates, creates with the Machine's token, and is done when
 * the instance runs.
 */
import type { Instance } from '@aws-sdk/client-ec2';
import { beforeCreate } from '../before-create.ts';
import { DriverError, type CreatedInstance, type CreateRequest } from '../driver.ts';
import { missing } from '../named-instance.ts';
import type { Ec2 } from './ec2.ts';
import { died, spent } from './faults.ts';
import { findInstance, hasToken, type FoundInstance } from './find.ts';
import { needsInitialization } from './initialize.ts';
import { isLive, isNamed, isPending, viewOf } from './instance-view.ts';
import { retagIfAdopted } from './retag.ts';
import { runInstancesInput } from './run-instances-input.ts';
import { specIfValid, specOf } from './spec.ts';
import { nameless, type Cloud } from './wait.ts';
import { readOrWait, pending, waitingFor, waitingIn, type Waiting } from './wait.ts';

/**
 * Throws `DriverPending` until EC2 says that the instance runs: one that cannot be started, for
 * lack of capacity, quota or a right to its key, is accepted all the same, and ends with its reason
 * within a minute.
 */
export async function createInstance(
  { ec2, retags }: Pick<Cloud, 'ec2' | 'retags'>,
  request: CreateRequest,
): Promise<CreatedInstance> {
  const waiting = waitingIn(request.checkpoint);
  const search = readOrWait(ec2.region, waiting, () => look(ec2, request, waiting));
  const existing = await beforeCreate(search);
  if (existing.outcome !== 'live') return await makeIfMissing(ec2, request, { existing, waiting });
  const { instance } = existing;
  if (retags) await retagIfAdopted(ec2, request, instance);
  const { isFound = true, idleLooks = 0 } = waiting ?? {};
  return created(ec2, request, { instance, isFound, idleLooks });
}

interface Without {
  existing: Exclude<Looked, { outcome: 'live' }>;
  waiting: Waiting | undefined;
}

async function makeIfMissing(
  ec2: Ec2,
  request: CreateRequest,
  { existing, waiting }: Without,
): Promise<CreatedInstance> {
  if (existing.outcome === 'spent') {
    throw waiting ? died(ec2.region, existing.instance) : spent(existing.instance);
  }
  if (request.providerID !== undefined) throw missing(request);
  if (waiting && !existing.isTaken) throw unlisted(ec2.region, waiting);
  return await run(ec2, request);
}

type Looked = FoundInstance & {
  /** What was waited for is there, and another Machine's by now. */
  isTaken?: boolean;
};

/** One that was found by its name may be claimed by another Machine since. */
async function look(
  ec2: Ec2,
  request: CreateRequest,
  waiting: Waiting | undefined,
): Promise<Looked> {
  const [instanceId] = waiting?.instanceIds ?? [];
  const awaited = instanceId === undefined ? undefined : await ec2.describeOne(instanceId);
  if (awaited && !isLive(awaited)) return { outcome: 'spent', instance: awaited };
  if (awaited && hasToken(awaited, request)) return { outcome: 'live', instance: awaited };
  return { ...(await findInstance(ec2, request)), isTaken: awaited !== undefined };
}

async function run(ec2: Ec2, request: CreateRequest): Promise<CreatedInstance> {
  const spec = specOf(request.providerSpec);
  const rootDeviceName = await rootDeviceNameOf(ec2, spec.ami);
  let instance: Instance;
  try {
    instance = await ec2.run(runInstancesInput({ request, spec, rootDeviceName }));
  } catch (error) {
    // A settled one says that the token's instance is gone.
    const isTakenToken = error instanceof DriverError && error.code === 'Aborted' && !error.settled;
    if (!isTakenToken) throw error;
    // This token made an instance out of another request, such as one with a class that was changed
    // since. By now it may be listed.
    const again = await findInstance(ec2, request);
    if (again.outcome === 'nothing') throw error;
    if (again.outcome === 'spent') throw spent(again.instance);
    return created(ec2, request, { instance: again.instance, isFound: true, idleLooks: 0 });
  }
  if (!isLive(instance)) throw spent(instance);
  throw pending(ec2.region, waitingFor([{ instance }]));
}

async function rootDeviceNameOf(ec2: Ec2, ami: string): Promise<string> {
  const name = await ec2.rootDeviceName(ami);
  if (name !== undefined) return name;
  const message = `providerSpec.ami: "${ami}" is not an image that can be seen in ${ec2.region}`;
  throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: true });
}

interface MadeInstance extends Pick<Waiting, 'isFound' | 'idleLooks'> {
  instance: Instance;
}

function created({ region }: Ec2, request: CreateRequest, made: MadeInstance): CreatedInstance {
  const { instance, isFound } = made;
  const one = [{ instance }];
  if (isPending(instance)) throw pending(region, waitingFor(one, { isFound }));
  if (!isNamed(instance)) {
    const idleLooks = made.idleLooks + 1;
    if (idleLooks > idleLooksMax) throw nameless(instance, 'for a minute');
    const state = 'without a private DNS name so far';
    throw pending(region, waitingFor([{ instance, state }], { isFound, idleLooks }));
  }
  const spec = specIfValid(request.providerSpec);
  const isInitialized = !(spec && needsInitialization(instance, spec));
  return { ...viewOf(instance, { region, isInitialized }), found: isFound };
}

/** About a minute, as EC2 is asked each ten seconds. */
const idleLooksMax = 6;

/**
 * EC2 may list an instance late, or lose sight of it again. After a minute the token is sent again,
 * which shows what became of it.
 */
function unlisted(region: string, waiting: Waiting): Error {
  const idleLooks = waiting.idleLooks + 1;
  const [id = ''] = waiting.instanceIds;
  if (idleLooks > idleLooksMax) {
    const message = `EC2 in ${region}: instance ${id} was made and is not listed for a minute; asked for again`;
    return new DriverError({ code: 'Unavailable', message, settled: false });
  }
  const words = `instance ${id} is not listed yet`;
  return pending(region, { ...waiting, words, idleLooks, failedLooks: 0 });
}
