/**
 * Classes with about as many tags as a resource of the cloud may have, as Gardener's extensions
 * write them: all labels of a pool are among them. The doubles refuse what has too many.
 */
import { createAwsDriver } from '../../../activities/drivers/aws/driver.ts';
import { createAzureDriver } from '../../../activities/drivers/azure/driver.ts';
import type { CreateRequest, Driver } from '../../../activities/drivers/driver.ts';
import { aSpec as awsSpec } from './aws/a-class.ts';
import { aSharedEc2, ec2Request } from './aws/ec2-world.ts';
import { instantTiming } from './aws/instant-timing.ts';
import { aMachine, aSharedSetting, aSpec as azureSpec, fastTiming } from './azure/a-machine.ts';
import { failureOf } from './failure-of.ts';
import { createdBy, deletedBy } from './following.ts';
import { aSharedGcpWorld, aSpec as gcpSpec, gcpRequest } from './gcp/gcp-world.ts';

const ec2 = await aSharedEc2();
const azure = await aSharedSetting();
const google = await aSharedGcpWorld();

interface Case {
  cloud: string;
  driver: Driver;
  request: typeof ec2Request;
  /** With so many tags. */
  specWith: (count: number) => object;
  /** One tag for each part of the owner, all in one, and as many as there is room for. */
  counts: number[];
  refusal: string;
}

const azureEnv = {
  MILLWRIGHT_AZURE_ENDPOINT: azure.double.url,
  MILLWRIGHT_AZURE_AUTHORITY: azure.double.url,
  MILLWRIGHT_AZURE_CA_FILE: azure.double.caFile,
};

const cases: Case[] = [
  {
    cloud: 'AWS',
    driver: createAwsDriver(
      { ...ec2.settings, allowsRetagging: true },
      { timing: instantTiming(), callTimeoutSeconds: 600 },
    ),
    request: ec2Request,
    specWith: (count) => awsSpec({ tags: { Name: 'x', ...filled(awsSpec().tags, count) } }),
    counts: [45, 46, 48],
    refusal: 'providerSpec.tags: 49 are more than 48, as EC2 takes 50 and two are ours',
  },
  {
    cloud: 'Azure',
    driver: createAzureDriver(
      { env: azureEnv, allowsAmbientCredentials: false, allowsRetagging: true },
      fastTiming,
    ),
    request: aMachine,
    specWith: (count) => azureSpec({ tags: filled(Object(azureSpec()['tags']), count) }),
    counts: [45, 46, 49],
    refusal: 'providerSpec.tags: 50 are more than 49, as Azure takes 50 and one is ours',
  },
  {
    cloud: 'Google',
    driver: google.aDriver({}, { allowsRetagging: true }),
    request: gcpRequest,
    specWith: (count) => ({ ...gcpSpec, labels: filled({}, count) }),
    counts: [60, 61],
    refusal: 'providerSpec.labels: 62 are more than 61, as Google takes 64 and three are ours',
  },
];

function filled(tags: object, count: number): object {
  const names = Array.from({ length: count }, (_, index) => `label-${index}`);
  const more = names.slice(Object.keys(tags).length);
  return { ...tags, ...Object.fromEntries(more.map((name) => [name, 'x'])) };
}

/** Names that fill what they may. */
const longest = {
  cluster: 'c'.repeat(63),
  machine: { namespace: 'n'.repeat(63), name: 'm'.repeat(57), uid: 'u'.repeat(36) },
};

test.each(cases.flatMap((row) => row.counts.map((count) => ({ ...row, count }))))(
  '$cloud: an instance of a class with $count tags is its owner’s through all of its life',
  async ({ driver, request, specWith, count }) => {
    const providerSpec = specWith(count);
    expect(driver.validate(providerSpec)).toEqual([]);
    const token = `${longest.machine.uid}-${count}`;
    const made = request(longest.machine.name, { ...longest, token, providerSpec });
    const listedFor = async (more: Partial<CreateRequest>): Promise<unknown[]> =>
      await driver.listInstances({ ...made, namespace: longest.machine.namespace, ...more });
    const { providerID } = await createdBy(driver, made);
    const { name: machineName } = longest.machine;
    expect(await listedFor({})).toMatchObject([{ providerID, machineName, token }]);
    expect(await createdBy(driver, made)).toMatchObject({ providerID, found: true });

    const thief = { namespace: longest.machine.namespace, name: 'thief', uid: 'thief' };
    const theft = request('thief', { ...longest, machine: thief, token: 't', providerSpec });
    expect(await failureOf(deletedBy(driver, { ...theft, providerID }))).toMatchObject({
      code: 'FailedPrecondition',
    });

    const restored = { ...made, cluster: 'after', token: 'other', providerID };
    restored.machine = { ...made.machine, uid: 'other' };
    expect(await listedFor({ cluster: 'after' })).toEqual([]);
    expect(await createdBy(driver, restored)).toMatchObject({ found: true });
    expect(await listedFor({ cluster: 'after' })).toMatchObject([{ providerID, machineName }]);
    expect(await listedFor({})).toEqual([]);
    expect(await deletedBy(driver, restored)).toMatchObject({ found: true });
  },
);

test.each(cases)(
  '$cloud: a class with more tags than there is room for is refused',
  ({ driver, specWith, counts, refusal }) => {
    expect(driver.validate(specWith(Math.max(...counts) + 1))).toEqual([refusal]);
  },
);
