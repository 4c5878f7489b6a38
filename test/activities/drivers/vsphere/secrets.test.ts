/** Neither password nor token nor user data gets to where people read. */
import { DriverError, DriverPending } from '../../../../activities/drivers/driver.ts';
import { aSpec, aVsphereWorld, vsphereRequest } from './vsphere-world.ts';

const world = await aVsphereWorld();

const canaries = {
  userData: '#cloud-config\nruncmd: [echo canary-of-user-data]\n',
  sshKey: 'ssh-rsa canary-of-key',
};

/** All that a create and a delete say, with the checkpoints that they leave. */
async function saidBy(name: string, isSlow: boolean): Promise<string[]> {
  const request = vsphereRequest(name, {
    userData: canaries.userData,
    providerSpec: { ...aSpec, sshKeys: [canaries.sshKey] },
  });
  const driver = world.aDriver(isSlow ? { waitSeconds: 0 } : {});
  return [
    ...(await saidUntilOver((more) => driver.createInstance({ ...request, ...more }))),
    ...(await saidUntilOver((more) => driver.deleteInstance({ ...request, ...more }))),
  ];
}

type Asking = (more: { checkpoint?: string }) => Promise<object>;

async function saidUntilOver(ask: Asking): Promise<string[]> {
  const said: string[] = [];
  let more: Parameters<Asking>[0] = {};
  for (let attempt = 0; attempt < 20; attempt += 1) {
    try {
      return [...said, JSON.stringify(await ask(more))];
    } catch (error) {
      if (!(error instanceof DriverPending || error instanceof DriverError)) throw error;
      const checkpoint = error instanceof DriverPending ? error.checkpoint : undefined;
      more = checkpoint === undefined ? {} : { checkpoint };
      said.push(`${error.message} ${JSON.stringify(error)} ${checkpoint} ${error.stack}`);
    }
  }
  return said;
}

const secrets = /canary|user_data|cGFzcw|"pass"|vmware_soap_session|runcmd/;

test.each([
  'RetrieveServiceContent',
  'Login',
  'FindByInventoryPath',
  'RetrievePropertiesEx',
  'CloneVM_Task',
  'ReconfigVM_Task',
  'UpgradeVM_Task',
  'AddCustomFieldDef',
  'SetField',
  'PowerOnVM_Task',
  'PowerOffVM_Task',
  'Destroy_Task',
])('what is said when %s fails holds none of them', async (method) => {
  await world.vcsim.order({ method, fault: 'InvalidArgument', message: 'no', count: 1 });
  const said = await saidBy(`s-${method.toLowerCase().replace('_', '-')}`, false);
  expect(said.filter((text) => secrets.test(text))).toEqual([]);
});

test('what is said while it takes long holds none of them', async () => {
  const said = await saidBy('s-slow', true);
  expect(said.length).toBeGreaterThan(3);
  expect(said.filter((text) => secrets.test(text))).toEqual([]);
});

test('what a vCenter quotes of a request that it does not know is left out', async () => {
  await world.vcsim.order({
    method: 'ReconfigVM_Task',
    fault: 'InvalidRequest',
    message: `while parsing ${canaries.userData}`,
    count: 1,
  });
  const said = await saidBy('s-quote', false);
  expect(said.join('\n')).toContain('this vCenter does not know the form of the request');
  expect(said.filter((text) => secrets.test(text))).toEqual([]);
});
