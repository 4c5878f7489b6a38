/**
 * The kit's checks of clouds that misbehave: the drivers that are built in pass them, on the
 * doubles of their clouds.
 */
import { createAwsDriver } from '../../../activities/drivers/aws/driver.ts';
import { type Driver, DriverError } from '../../../activities/drivers/driver.ts';
import type { Verdict } from '../../../cli/driver/conformance/report.ts';
import { troubleBy, type Trouble } from '../../../cli/driver/conformance/trouble.ts';
import { Skipped } from '../../../cli/driver/conformance/verdict.ts';
import { aSpec as anAwsSpec } from '../../activities/drivers/aws/a-class.ts';
import { instantTiming } from '../../activities/drivers/aws/instant-timing.ts';
import * as azure from '../../activities/drivers/azure/a-machine.ts';
import { aGcpWorld, aSecret, aSpec as aGcpSpec } from '../../activities/drivers/gcp/gcp-world.ts';
import { startEc2Double } from '../../doubles/ec2/ec2-double.ts';
import { findingsOf, type Subject } from '../../support/in-process-kit.ts';

interface Cloud {
  subject: Subject & { trouble: Trouble };
  close(): Promise<void>;
}

/** More than a check makes. */
const times = 500;
/** A call that gets no answer ends after so long: what it waits for never comes. */
const hastySeconds = 0.3;
/** Of calls that are answered, also those of a hundred at once on a busy machine. */
const patientSeconds = 600;

/** One driver while the cloud is silent, and another one otherwise. */
function silentlyHasty<Kind extends string>(
  driverWithin: (callSeconds: number) => Driver,
  arrange: Record<Kind, () => void>,
): { driver: Driver; trouble: (kind: Kind) => Promise<void> } {
  const [patient, hasty] = [driverWithin(patientSeconds), driverWithin(hastySeconds)];
  let now: Driver = patient;
  return {
    driver: new Proxy(patient, {
      get: (_target, name) => Reflect.get(now, name),
    }),
    trouble: async (kind) => {
      now = kind === 'silent' ? hasty : patient;
      arrange[kind]();
    },
  };
}

async function aws(): Promise<Cloud> {
  const double = await startEc2Double();
  const arrange = {
    silent: () => {
      for (let request = 1; request <= times; request += 1) double.cut({ request, when: 'never' });
    },
    stranger: () => double.answerAsStranger(times),
    dying: () =>
      double.die({ code: 'Server.InsufficientInstanceCapacity', message: 'no', afterLooks: 1 }),
    over: () => double.reset(),
  };
  const settings = { env: { AWS_ENDPOINT_URL: double.url }, allowsAmbientCredentials: false };
  const subject = {
    provider: 'AWS',
    providerSpec: anAwsSpec(),
    secret: { accessKeyID: 'key', secretAccessKey: 'secret' },
    ...silentlyHasty(
      (callTimeoutSeconds) =>
        createAwsDriver(settings, { timing: instantTiming(), callTimeoutSeconds }),
      arrange,
    ),
  };
  return { subject, close: () => double.close() };
}

async function azureCloud(): Promise<Cloud> {
  const { double } = await azure.aSetting();
  const arrange = {
    silent: () => double.faults.add({ kind: 'hang', times }),
    stranger: () => double.faults.add({ kind: 'html', times }),
    dying: () =>
      double.faults.add({
        kind: 'failOperation',
        match: 'put /subscriptions/',
        code: 'ZonalAllocationFailed',
        times,
      }),
    over: () => double.faults.clear(),
  };
  const subject = {
    provider: 'Azure',
    providerSpec: azure.aSpec(),
    secret: { ...azure.secret },
    ...silentlyHasty(
      (callSeconds) => azure.aDriver(double, { callSeconds, limitSeconds: 2 * patientSeconds }),
      arrange,
    ),
  };
  return { subject, close: () => double.close() };
}

async function gcp(): Promise<Cloud> {
  const { double, aDriver } = await aGcpWorld();
  const arrange = {
    silent: () => double.faults.add({ kind: 'hang', times }),
    stranger: () => double.faults.add({ kind: 'html', times }),
    dying: () =>
      double.faults.add({ kind: 'dies', operation: 'insert', reason: 'TERMINATED', times }),
    over: () => double.faults.clear(),
  };
  const subject = {
    provider: 'GCP',
    providerSpec: aGcpSpec,
    secret: { ...aSecret },
    ...silentlyHasty((callTimeoutSeconds) => aDriver({ callTimeoutSeconds }), arrange),
  };
  return { subject, close: () => double.close() };
}

const checks = ['a cloud that never answers', 'an HTML page', 'an instance that dies'];
const ofTroubles = (findings: Verdict[]): Verdict[] =>
  findings.filter(({ check }) => checks.some((one) => check.startsWith(one)));

describe.each([
  ['AWS', aws],
  ['Azure', azureCloud],
  ['GCP', gcp],
] as const)('the driver of %s', (_provider, start) => {
  let cloud: Cloud;
  beforeAll(async () => {
    cloud = await start();
  });
  afterAll(() => cloud.close());

  test('passes the kit in every trouble of its cloud', async () => {
    const findings = await findingsOf(cloud.subject);
    expect(findings.filter(({ result }) => result === 'failed')).toEqual([]);
    expect(ofTroubles(findings).map(({ result }) => result)).toEqual(['ok', 'ok', 'ok']);
  });
});

const blameClass = (): Promise<never> =>
  Promise.reject(new DriverError({ code: 'InvalidArgument', message: 'no', settled: true }));

test('a driver that blames the class, believes a stranger or overlooks a death fails each check', async () => {
  const { subject, close } = await aws();
  let now: Parameters<Trouble>[0] = 'over';
  const trouble: Trouble = async (kind) => {
    now = kind;
  };
  const { driver } = subject;
  const findings = await findingsOf({
    ...subject,
    trouble,
    driver: {
      ...driver,
      describeInstance: async (request) => {
        if (now === 'silent') return await blameClass();
        return now === 'stranger' ? undefined : await driver.describeInstance(request);
      },
    },
  });
  expect(ofTroubles(findings).map(({ result, expected }) => `${result}: ${expected}`)).toEqual([
    'failed: a failure DeadlineExceeded or Unavailable',
    'failed: outcome failed of describeInstance',
    'failed: outcome failed of createInstance',
  ]);
  await close();
});

describe('the command of --trouble', () => {
  test('is called with the kind of trouble', async () => {
    await expect(troubleBy('test silent =')('silent')).resolves.toBeUndefined();
  });

  test('skips the check with exit code 3', async () => {
    await expect(troubleBy('exit 3; :')('dying')).rejects.toThrow(Skipped);
  });

  test('the command of --trouble that fails is reported with its words', async () => {
    await expect(troubleBy('echo no fake cloud >&2; exit 1; :')('stranger')).rejects.toThrow(
      '--trouble: "echo no fake cloud >&2; exit 1; : stranger" failed (1): no fake cloud',
    );
  });
});
