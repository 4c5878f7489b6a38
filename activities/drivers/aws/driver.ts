/**
 * The driver of `provider: AWS`: EC2 instances of MachineClasses as Gardener's AWS driver has them.
 */
import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import { beforeCreate } from '../before-create.ts';
import type { Driver, Instance, MachineRequest, PersistentVolumeSpec } from '../driver.ts';
import { csiVolumeIds } from '../frame/csi-volumes.ts';
import type { DriverSettings } from '../settings.ts';
import { realTiming, type Timing } from '../wait.ts';
import { createConnect, loadSdk, type AccountRequest } from './client.ts';
import { getConsoleOutput } from './console-output.ts';
import { createInstance } from './create.ts';
import { deleteInstance, deleteListed } from './delete.ts';
import { missing } from '../named-instance.ts';
import { findInstance } from './find.ts';
import { initialize, needsInitialization } from './initialize.ts';
import { isNamed, viewOf } from './instance-view.ts';
import { limitScopeOf, listInstances, listScopeOf } from './list.ts';
import { retagIfAdopted } from './retag.ts';
import { specIfValid, specOf } from './spec.ts';
import { untilNamed, type Cloud } from './wait.ts';
import { validateProviderSpec } from './validate.ts';

export interface AwsDriverOptions {
  /** The limit of one call to EC2. Default 30. */
  callTimeoutSeconds?: number;
  /** The clock and the pauses between calls. Default: real time. */
  timing?: Timing;
}

/**
 * EC2 lists a new instance within seconds mostly, and promises nothing; AWS advises to look for
 * minutes.
 */
const settleSeconds = 120;

export function createAwsDriver(settings: DriverSettings, options: AwsDriverOptions = {}): Driver {
  const { callTimeoutSeconds = 30, timing = realTiming } = options;
  const connect = createConnect({ settings, callTimeoutSeconds });
  const cloudFor = async (request: AccountRequest): Promise<Cloud> => ({
    ec2: await connect(request),
    timing,
    retags: settings.allowsRetagging ?? false,
  });
  return {
    prepare: async () => void (await loadSdk()),
    settleSeconds,
    createInstance: async (request) =>
      await createInstance(await beforeCreate(cloudFor(request)), request),
    describeInstance: async (request) => await describeInstance(await cloudFor(request), request),
    getConsoleOutput: async (request) => await getConsoleOutput(await connect(request), request),
    initializeInstance: async (request) =>
      await initializeInstance(await cloudFor(request), request),
    deleteInstance: async (request) => await deleteInstance(await connect(request), request),
    listInstances: async (request) => await listInstances(await connect(request), request),
    listScope: listScopeOf,
    limitScope: limitScopeOf,
    deleteListed: async (request) => await deleteListed(await connect(request), request),
    volumeIds: csiVolumeIds('ebs.csi.aws.com', inTreeVolumeId),
    validate: validateProviderSpec,
  };
}

/** `vol-1`, `aws:///vol-1` or `aws://eu-west-1a/vol-1`. */
function inTreeVolumeId({ awsElasticBlockStore }: PersistentVolumeSpec): string | undefined {
  const { volumeID } = Object(awsElasticBlockStore);
  return /^(?:aws:\/\/[^/]*\/)?(vol-[^/]*)$/.exec(String(volumeID))?.[1];
}

async function describeInstance(
  cloud: Cloud,
  request: MachineRequest,
): Promise<Instance | undefined> {
  const found = await findInstance(cloud.ec2, request);
  if (found.outcome !== 'live') return undefined;
  // The search for orphans asks for each Machine whose instance was not listed: it is listed the
  // next time.
  if (cloud.retags) await retagIfAdopted(cloud.ec2, request, found.instance);
  const instance = await named(cloud, request, found.instance);
  const spec = specIfValid(request.providerSpec);
  const isInitialized = !(spec && needsInitialization(instance, spec));
  return viewOf(instance, { region: cloud.ec2.region, isInitialized });
}

async function initializeInstance(cloud: Cloud, request: MachineRequest): Promise<Instance> {
  const found = await findInstance(cloud.ec2, request);
  if (found.outcome !== 'live') throw missing(request);
  await initialize(cloud.ec2, found.instance, specOf(request.providerSpec));
  const instance = await named(cloud, request, found.instance);
  return viewOf(instance, { region: cloud.ec2.region, isInitialized: true });
}

async function named(cloud: Cloud, request: MachineRequest, found: Ec2Instance) {
  return isNamed(found) ? found : await untilNamed(cloud, request, found);
}
