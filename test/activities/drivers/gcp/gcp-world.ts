/** The driver against the double, with a key of its own. */
import { generateKeyPairSync } from 'node:crypto';
import { createGcpDriver } from '../../../../activities/drivers/gcp/driver.ts';
import type { GcpDriverLimits } from '../../../../activities/drivers/gcp/driver.ts';
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import type { DriverSettings } from '../../../../activities/drivers/settings.ts';
import { startGcpDouble } from '../../../doubles/gcp/double.ts';
import type { DoubleOptions, GcpDouble } from '../../../doubles/gcp/double.ts';
import { aRequest } from '../a-request.ts';
import { followed } from '../following.ts';

export const project = 'a-project';
export const zone = 'europe-west1-b';
export const email = 'machines@a-project.iam.gserviceaccount.com';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** What a class needs at least. */
export const aSpec = {
  machineType: 'n2-standard-4',
  region: 'europe-west1',
  zone,
  disks: [{ boot: true, image: 'projects/i/global/images/linux', sizeGb: 50, type: 'pd-ssd' }],
  networkInterfaces: [{ network: 'a-network', disableExternalIP: true }],
  scheduling: { onHostMaintenance: 'MIGRATE', automaticRestart: true },
  tags: ['shoot', 'kubernetes-io-cluster-shoot', 'kubernetes-io-role-node'],
};

export const aServiceAccount = {
  type: 'service_account',
  project_id: project,
  private_key_id: 'key-1',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  client_email: email,
  token_uri: 'https://oauth2.googleapis.com/token',
};

export const aSecret = { serviceAccountJSON: JSON.stringify(aServiceAccount) };

export interface GcpWorld {
  double: GcpDouble;
  driver: Driver;
  /** Another driver for the same cloud. */
  aDriver(limits?: GcpDriverLimits, settings?: Partial<DriverSettings>): Driver;
  settings: DriverSettings;
}

/** Whom the double knows. */
export const doubleRules = { email, publicKey };

export const quick = {
  callTimeoutSeconds: 600,
  waitSeconds: 600,
  orphanWaitSeconds: 600,
  confirmSeconds: 0,
  firstPauseSeconds: 0.01,
};

export async function aGcpWorld(options: DoubleOptions = {}): Promise<GcpWorld> {
  const double = await startGcpDouble({ ...doubleRules, ...options });
  const env = {
    MILLWRIGHT_GCP_ENDPOINT: double.url,
    MILLWRIGHT_GCP_TOKEN_ENDPOINT: double.tokenUrl,
  };
  const settings = { env, allowsAmbientCredentials: false };
  const aDriver = (limits: GcpDriverLimits = {}, more: Partial<DriverSettings> = {}): Driver =>
    createGcpDriver({ ...settings, ...more }, { ...quick, ...limits });
  const driver = aDriver();
  // The driver has its token.
  await driver.describeInstance(gcpRequest('first'));
  return { double, settings, aDriver, driver };
}

/** For all tests of a file. Each of them begins without faults, and at the present time. */
export async function aSharedGcpWorld(options: DoubleOptions = {}): Promise<GcpWorld> {
  const world = await aGcpWorld(options);
  beforeEach(() => {
    world.double.faults.clear();
    world.double.resetClock();
  });
  afterAll(() => world.double.close());
  return world;
}

export const idOf = (name: string): string => `gce:///${project}/${zone}/${name}`;

/** As the workflow does with a call that is pending, but at once. */
export async function untilOver<T>(...[call, between]: Parameters<typeof followed<T>>): Promise<T> {
  return (await followed(call, between)).answer;
}

export function gcpRequest(name: string, more: Partial<CreateRequest> = {}): CreateRequest {
  return aRequest(name, { providerSpec: aSpec, secret: aSecret, userData: '#!/bin/sh\n', ...more });
}
