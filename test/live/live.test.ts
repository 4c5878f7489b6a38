/** The plan of the live suite, against the doubles of the three clouds. */
import { createAwsDriver } from '../../activities/drivers/aws/driver.ts';
import { DriverError, type Driver } from '../../activities/drivers/driver.ts';
import { aSpec as anAwsSpec } from '../activities/drivers/aws/a-class.ts';
import { instantTiming } from '../activities/drivers/aws/instant-timing.ts';
import * as azure from '../activities/drivers/azure/a-machine.ts';
import { aGcpWorld, aSecret, aSpec as aGcpSpec } from '../activities/drivers/gcp/gcp-world.ts';
import { startEc2Double } from '../doubles/ec2/ec2-double.ts';
import type { LiveLimits, LiveProvider } from './arguments.ts';
import { limitedDriver } from './limited-driver.ts';
import type { LiveRun } from './run.ts';
import { runLive } from './run.ts';

// Three SDKs are loaded.

const noSleep = async (): Promise<void> => undefined;

interface Cloud {
  provider: LiveProvider;
  driver: Driver;
  providerSpec: Record<string, unknown>;
  secret: Record<string, string>;
  /** Names of machines that are there. */
  living(): string[];
  close(): Promise<void>;
}

async function aws(): Promise<Cloud> {
  const double = await startEc2Double();
  const settings = { env: { AWS_ENDPOINT_URL: double.url }, allowsAmbientCredentials: false };
  return {
    provider: 'AWS',
    driver: createAwsDriver(settings, { timing: instantTiming(), callTimeoutSeconds: 600 }),
    providerSpec: anAwsSpec(),
    secret: { accessKeyID: 'key', secretAccessKey: 'secret', userData: '' },
    living: () =>
      double.instances
        .filter(({ state }) => state !== 'terminated')
        .map(({ tags }) => String(tags['Name'])),
    close: () => double.close(),
  };
}

async function gcp(): Promise<Cloud> {
  const { double, driver } = await aGcpWorld();
  return {
    provider: 'GCP',
    driver,
    providerSpec: aGcpSpec,
    secret: { ...aSecret, userData: '' },
    living: () => double.cloud.instances.map(({ name }) => name),
    close: () => double.close(),
  };
}

async function azureCloud(): Promise<Cloud> {
  const { double, driver } = await azure.aSetting();
  return {
    provider: 'Azure',
    driver,
    providerSpec: azure.aSpec(),
    secret: { ...azure.secret, userData: '' },
    living: () =>
      double.resources
        .all()
        .filter(({ type }) => type.endsWith('/virtualMachines'))
        .map(({ name }) => name),
    close: () => double.close(),
  };
}

const limits: LiveLimits = { maxInstances: 12, maxMinutes: 10, maxInstanceMinutes: 240 };

function aRun(cloud: Cloud, more: Partial<LiveRun> = {}) {
  const lines: string[] = [];
  const { provider, driver, providerSpec, secret } = cloud;
  const live: LiveRun = {
    driver,
    providerSpec,
    secret,
    options: { provider, mode: 'run', owner: 'unit', limits },
    signal: new AbortController().signal,
    print: (line) => void lines.push(line),
    sleep: noSleep,
    ...more,
  };
  return { live, lines };
}

/** Tells of each instance that was made. */
function watched(driver: Driver, onMade: (name: string) => void): Driver {
  return {
    ...driver,
    async createInstance(request) {
      const made = await driver.createInstance(request);
      onMade(request.machine.name);
      return made;
    },
  };
}

describe.each([
  ['AWS', aws],
  ['Azure', azureCloud],
  ['GCP', gcp],
] as const)('%s', (_provider, start) => {
  let cloud: Cloud;
  beforeAll(async () => {
    cloud = await start();
  });
  afterAll(() => cloud.close());

  test('passes, and leaves nothing', async () => {
    const made = new Set<string>();
    const driver = watched(cloud.driver, (name) => made.add(name));
    const { live, lines } = aRun(cloud, { driver });
    const isPassed = await runLive(live);
    expect(lines.filter((line) => line.startsWith('failed'))).toEqual([]);
    expect(lines.at(-1)).toBe('Nothing is left.');
    expect(isPassed).toBe(true);
    expect(made.size).toBeGreaterThan(3);
    expect(made.size).toBeLessThanOrEqual(limits.maxInstances);
    expect(cloud.living()).toEqual([]);
  });

  test('a dry run makes nothing and says what it may cost', async () => {
    const made: string[] = [];
    const driver = watched(cloud.driver, (name) => made.push(name));
    const options = { ...aRun(cloud).live.options, mode: 'plan' } as const;
    const { live, lines } = aRun(cloud, { driver, options });
    expect(await runLive(live)).toBe(true);
    expect(made).toEqual([]);
    expect(lines.join('\n')).toContain('Worst case: 240 instance-minutes');
  });

  test('broken off, it deletes what it made', async () => {
    const end = new AbortController();
    const driver = watched(cloud.driver, () => end.abort());
    const { live, lines } = aRun(cloud, { driver, signal: end.signal });
    expect(await runLive(live)).toBe(false);
    expect(lines.at(-1)).toBe('Nothing is left.');
    expect(cloud.living()).toEqual([]);
  });

  test('what a run that was killed has left goes with a sweep of its owner, and of no other', async () => {
    const { providerSpec, secret } = cloud;
    const { signal } = new AbortController();
    const patient = { maxInstances: 1, signal, sleep: noSleep, longestWaitSeconds: 900 };
    await limitedDriver(cloud.driver, patient).createInstance({
      cluster: 'millwright-live-unit',
      machine: { namespace: 'shoot', name: 'live-abc-1', uid: 'u' },
      token: 'u-0',
      providerSpec,
      secret,
      userData: '#cloud-config',
      isClaimed: () => false,
      signal,
    });
    const plan = { provider: cloud.provider, mode: 'plan', owner: 'unit', limits } as const;
    const dry = aRun(cloud, { options: plan });
    await runLive(dry.live);
    expect(dry.lines.at(-1)).toContain('Earlier runs have left: ');
    const stranger = aRun(cloud, { options: { ...plan, mode: 'sweep', owner: 'other' } });
    expect(await runLive(stranger.live)).toBe(true);
    expect(cloud.living()).toEqual(['live-abc-1']);
    const sweeping = aRun(cloud, { options: { ...plan, mode: 'sweep' } });
    expect(await runLive(sweeping.live)).toBe(true);
    expect(sweeping.lines.at(-1)).toBe('Nothing is left.');
    expect(cloud.living()).toEqual([]);
  });
});

describe('limits', () => {
  let cloud: Cloud;
  beforeAll(async () => {
    cloud = await gcp();
  });
  afterAll(() => cloud.close());

  test('no more machines than allowed are made', async () => {
    const made = new Set<string>();
    const driver = watched(cloud.driver, (name) => made.add(name));
    const few = { ...limits, maxInstances: 2 };
    const options = { ...aRun(cloud).live.options, limits: few };
    const { live, lines } = aRun(cloud, { driver, options });
    expect(await runLive(live)).toBe(false);
    expect(made.size).toBe(2);
    expect(lines.join('\n')).toContain('--max-instances 2 are asked for already');
    expect(cloud.living()).toEqual([]);
  });

  test('a plan that may cost more than allowed is refused before anything is asked', async () => {
    const dear = { ...limits, maxInstances: 100 };
    const options = { ...aRun(cloud).live.options, limits: dear };
    const unasked = { ...cloud.driver, listInstances: () => Promise.reject(new Error('asked')) };
    const { live, lines } = aRun(cloud, { driver: unasked, options });
    expect(await runLive(live)).toBe(false);
    expect(lines).toEqual([expect.stringContaining('--max-cost 240: 100 instances')]);
  });

  test('a class that is wrong is reported by its fields', async () => {
    const { live, lines } = aRun(cloud, { providerSpec: { ...aGcpSpec, disks: 3 } });
    expect(await runLive(live)).toBe(false);
    expect(lines).toEqual([expect.stringContaining('providerSpec.disks')]);
  });

  test('a delete that fails is tried again by the sweep', async () => {
    let failures = 0;
    const driver: Driver = {
      ...cloud.driver,
      async deleteInstance() {
        throw new DriverError({ code: 'Internal', message: 'no', settled: false });
      },
      async deleteListed(request) {
        failures += 1;
        if (failures > 2) return await cloud.driver.deleteListed(request);
        throw new DriverError({ code: 'Unavailable', message: 'later', settled: false });
      },
    };
    const { live, lines } = aRun(cloud, { driver });
    expect(await runLive(live)).toBe(false);
    expect(lines.at(-1)).toBe('Nothing is left.');
    expect(cloud.living()).toEqual([]);
  });
});
