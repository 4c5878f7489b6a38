/** Instances that Kubermatic's machine-controller made, and that a Machine names. */
import { createAwsDriver } from '../../../activities/drivers/aws/driver.ts';
import type { CreateRequest, Driver } from '../../../activities/drivers/driver.ts';
import { aSharedEc2, ec2Request } from './aws/ec2-world.ts';
import { aDriver, aMachine, aSharedSetting, living, vmOf } from './azure/a-machine.ts';
import { failureOf } from './failure-of.ts';
import { createdBy, pendingOf } from './following.ts';
import { aSharedGcpWorld, gcpRequest, idOf, untilOver } from './gcp/gcp-world.ts';

interface Case {
  driver: Driver;
  /** Returns its providerID. */
  made(name: string): Promise<string>;
  request(name: string, more: Partial<CreateRequest>): CreateRequest;
  left(name: string): string[];
}

const ec2 = await aSharedEc2();
const azure = await aSharedSetting();
const google = await aSharedGcpWorld();

const aws: Case = {
  driver: createAwsDriver(ec2.settings),
  async made(name) {
    const { providerID } = await createdBy(this.driver, ec2Request(name));
    const instance = ec2.double.instances.find(({ tags }) => tags['Name'] === name);
    if (instance) instance.tags = { Name: name, 'Machine-UID': 'theirs' };
    return providerID;
  },
  request: ec2Request,
  left: (name) => ec2.statesOf(name).filter((state) => state !== 'terminated'),
};

const cases: Readonly<Record<string, Case>> = {
  AWS: aws,
  Azure: {
    driver: azure.driver,
    async made(name) {
      await madeInAzure(name);
      return `azure:///westeurope/${name}`;
    },
    request: aMachine,
    left: (name) => living(azure.double, name),
  },
  'Google Cloud': {
    driver: google.driver,
    async made(name) {
      await google.driver.createInstance(gcpRequest(name));
      const { body } = google.double.cloud.instances.find((one) => one.name === name) ?? {};
      Object.assign(Object(body), { labels: { machine_uid: 'theirs' }, tags: { items: [] } });
      return idOf(name);
    },
    request: gcpRequest,
    left: (name) =>
      google.double.cloud.instances.filter((one) => one.name === name).map(() => name),
  },
};

/** With the names that their interface and disks have, and what is left to Azure's defaults. */
async function madeInAzure(name: string): Promise<void> {
  const { double, driver } = azure;
  await driver.createInstance(aMachine(name));
  const { storageProfile, networkProfile } = Object(vmOf(double, name)?.sent['properties']);
  const [nic] = networkProfile.networkInterfaces;
  const [data, other] = storageProfile.dataDisks;
  const renamed = [
    [storageProfile.osDisk, `${name}-os-disk`, `${name}-OsDisk_1_0a`],
    [data, `${name}-0-data-disk`, `${name}-disk2_0b`],
  ];
  for (const [disk, before, after] of renamed) {
    rename('Microsoft.Compute/disks', before, after);
    disk.name = after;
    delete disk.deleteOption;
  }
  // One that was attached later.
  rename('Microsoft.Compute/disks', other.name, 'pvc-1');
  Object.assign(other, { name: 'pvc-1', deleteOption: 'Detach', createOption: 'Attach' });
  nic.id = rename('Microsoft.Network/networkInterfaces', `${name}-nic`, `${name}-netiface`);
  delete nic.properties.deleteOption;
  for (const resource of double.resources.all()) {
    if (resource.name.startsWith(name)) resource.tags = { 'Machine-UID': 'theirs' };
  }
}

function rename(type: string, before: string, name: string): string {
  const { resources } = azure.double;
  const old = resources.get(resources.idOf('rg-1', type, before));
  const id = resources.idOf('rg-1', type, name);
  if (old) {
    resources.remove(old.id);
    resources.put({ ...old, id, name });
  }
  return id;
}

describe.each(Object.entries(cases))('an instance of machine-controller in %s', (_title, one) => {
  test('is described and deleted with all that belongs to it, where the Machine has its name', async () => {
    const providerID = await one.made('taken');
    const request = one.request('taken', { providerID, token: 'ours' });
    expect(await one.driver.describeInstance(request)).toMatchObject({
      providerID,
      addresses: expect.arrayContaining([expect.objectContaining({ type: 'InternalIP' })]),
    });
    expect(await untilOver((given) => one.driver.deleteInstance({ ...request, ...given }))).toEqual(
      { found: true },
    );
    expect(one.left('taken')).toEqual([]);
  });

  test('is not used by a Machine of another name', async () => {
    const providerID = await one.made('theirs');
    const request = one.request('thief', { providerID, token: 'ours' });
    const isRefused = { code: 'FailedPrecondition', kind: 'input' };
    expect(await failureOf(one.driver.describeInstance(request))).toMatchObject(isRefused);
    expect(await failureOf(one.driver.deleteInstance(request))).toMatchObject(isRefused);
    expect(one.left('theirs')).not.toEqual([]);
  });
});

test('in Azure the parts go along although calls end in between, and a volume of the cluster stays', async () => {
  await madeInAzure('taken');
  const request = aMachine('taken', { providerID: 'azure:///westeurope/taken', token: 'ours' });
  const impatient = aDriver(azure.double, { waitSeconds: 0 });
  expect(await pendingOf(impatient.deleteInstance(request))).toMatchObject({
    message:
      'Azure: virtual machine taken cannot be deleted yet (its interface and disks are to go with it); it is asked for again',
  });
  await untilOver((given) => impatient.deleteInstance({ ...request, ...given }));
  expect(living(azure.double, 'taken')).toEqual([]);
  expect(living(azure.double, 'pvc-1')).toEqual(['Microsoft.Compute/disks pvc-1']);
});
