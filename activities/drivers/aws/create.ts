/** Makes an instance: finds before it creates, and creates with the Machine's token. */
import type { Instance } from '@aws-sdk/client-ec2';
import { DriverError, type CreatedInstance, type CreateRequest } from '../driver.ts';
import { missing } from '../missing.ts';
import type { Ec2 } from './ec2.ts';
import { findInstance } from './find.ts';
import { needsInitialization } from './initialize.ts';
import { isLive, isNamed, viewOf } from './instance-view.ts';
import { runInstancesInput } from './run-instances-input.ts';
import { specIfValid, specOf } from './spec.ts';
import { spent } from './faults.ts';
import { untilNamed, type Cloud } from './until-named.ts';

export async function createInstance(
  cloud: Cloud,
  request: CreateRequest,
): Promise<CreatedInstance> {
  const existing = await findInstance(cloud.ec2, request);
  if (existing.outcome === 'live')
    return await created(cloud, request, { ...existing, found: true });
  if (request.providerID !== undefined) throw missing(request);
  if (existing.outcome === 'spent') throw spent(existing.instance);
  const instance = await runOrFind(cloud, request);
  return await created(cloud, request, instance);
}

interface Made {
  instance: Instance;
  /** It was there before. */
  found: boolean;
}

async function runOrFind({ ec2 }: Cloud, request: CreateRequest): Promise<Made> {
  const spec = specOf(request.providerSpec);
  const rootDeviceName = await rootDeviceNameOf(ec2, spec.ami);
  try {
    const instance = await ec2.run(runInstancesInput({ request, spec, rootDeviceName }));
    return { instance, found: false };
  } catch (error) {
    if (!isTakenToken(error)) throw error;
    // This token made an instance out of another request, such as one with a class that was changed since. By now it may be listed.
    const again = await findInstance(ec2, request);
    if (again.outcome === 'live') return { instance: again.instance, found: true };
    if (again.outcome === 'spent') throw spent(again.instance);
    throw error;
  }
}

/** A settled one has told that the token's instance is gone. */
function isTakenToken(error: unknown): boolean {
  return error instanceof DriverError && error.code === 'Aborted' && !error.settled;
}

async function rootDeviceNameOf(ec2: Ec2, ami: string): Promise<string> {
  const name = await ec2.rootDeviceName(ami);
  if (name !== undefined) return name;
  const message = `providerSpec.ami: "${ami}" is not an image that can be seen in ${ec2.region}`;
  throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: true });
}

async function created(
  cloud: Cloud,
  request: CreateRequest,
  { instance, found }: Made,
): Promise<CreatedInstance> {
  const { region } = cloud.ec2;
  const spec = specIfValid(request.providerSpec);
  const needsMore = (one: Instance): boolean =>
    spec !== undefined && needsInitialization(one, spec);
  // The initialization looks for it next, so EC2 has to list it by then.
  const isReady = isLive(instance) && isNamed(instance) && (found || !needsMore(instance));
  const named = isReady ? instance : await untilNamed(cloud, request, instance);
  return { ...viewOf(named, { region, isInitialized: !needsMore(named) }), found };
}
