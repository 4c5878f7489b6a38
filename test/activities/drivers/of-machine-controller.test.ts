/** What Kubermatic's machine-controller has made: by its tag, where a Machine names it. */
import type { CreateRequest, Driver } from '../../../activities/drivers/driver.ts';
import { aliRequest, aSharedAlicloudWorld } from './alicloud/alicloud-world.ts';
import { aDigitalOceanCloud } from './digitalocean/digitalocean-cloud.ts';
import { failureOf } from './failure-of.ts';
import { deletedBy } from './following.ts';
import { aHetznerCloud } from './hetzner/hetzner-cloud.ts';

const hetzner = await aHetznerCloud();
const digitalOcean = await aDigitalOceanCloud();
const alicloud = await aSharedAlicloudWorld();
const uid = '0e3b0f10-53a0-4b8e-9ad7-7c7b5b6b4a11';

interface Case {
  cloud: string;
  driver: Driver;
  request: (name: string, more?: Partial<CreateRequest>) => CreateRequest;
  /** Leaves only the tag of machine-controller, or none. */
  retag: (name: string, isOfMachineController: boolean) => void;
  idOf?: (providerID: string) => string;
}

const cases: Case[] = [
  {
    cloud: 'Hetzner',
    driver: hetzner.driver,
    request: hetzner.request,
    retag(name, isOfMachineController) {
      for (const server of hetzner.double.project.living(name))
        server.labels = isOfMachineController ? { 'machine-uid': uid } : { team: 'blue' };
    },
    idOf: (providerID) => `hcloud://${providerID.split('/').at(-1)}`,
  },
  {
    cloud: 'DigitalOcean',
    driver: digitalOcean.driver,
    request: digitalOcean.request,
    retag(name, isOfMachineController) {
      for (const droplet of digitalOcean.double.team.living(name)) {
        droplet.shownTags = isOfMachineController ? ['env:prod', uid] : ['env:prod'];
        // Not one whose tags are still to come.
        droplet.createdAt = '2026-01-01T00:00:00Z';
      }
    },
  },
  {
    cloud: 'Alibaba Cloud',
    driver: alicloud.driver,
    request: aliRequest,
    retag(name, isOfMachineController) {
      for (const instance of alicloud.double.cloud.instances.filter((one) => one.name === name))
        instance.tags = isOfMachineController ? { machine_uid: uid } : { team: 'blue' };
    },
  },
];

describe.each(cases)('$cloud', ({ driver, request, retag, idOf = (id) => id }) => {
  /** Another token: that of the create is a Machine's of machine-controller. */
  const asked = (name: string, more: Partial<CreateRequest> = {}) =>
    request(name, { token: 'uid-of-another-0', ...more });

  async function made(name: string, isOfMachineController = true): Promise<string> {
    const { providerID } = await driver.createInstance(request(name));
    retag(name, isOfMachineController);
    return idOf(providerID);
  }

  test('one that its Machine names is read and deleted', async () => {
    const of = asked('taken', { providerID: await made('taken') });
    expect(await driver.describeInstance(of)).toMatchObject({ nodeName: expect.any(String) });
    expect(await driver.createInstance(of)).toMatchObject({ found: true });
    expect(await deletedBy(driver, of)).toEqual({ found: true });
    expect(await driver.describeInstance(of)).toBeUndefined();
  });

  test.each([
    ['a Machine of another name names', 'other', true],
    ['has no such tag', 'untagged', false],
  ])('one that %s is left alone', async (_name, name, isOfMachineController) => {
    const machine = isOfMachineController ? `not-${name}` : name;
    const of = asked(machine, { providerID: await made(name, isOfMachineController) });
    expect(await failureOf(driver.describeInstance(of))).toMatchObject({
      code: 'FailedPrecondition',
    });
    expect(await failureOf(driver.deleteInstance(of))).toMatchObject({
      code: 'FailedPrecondition',
    });
  });

  test('one that no Machine names is neither used, deleted nor listed', async () => {
    const providerID = await made('unnamed');
    expect(await driver.describeInstance(asked('unnamed'))).toBeUndefined();
    expect(await driver.deleteInstance(asked('unnamed'))).toEqual({ found: false });
    const listed = await driver.listInstances({ ...asked('any'), namespace: 'shoot' });
    expect(listed.map((one) => idOf(one.providerID))).not.toContain(providerID);
  });
});
