import { describeDriverContract } from '../contract.ts';
import { createdBy, deletedBy } from '../following.ts';
import { aSpec, aVsphereWorld, vsphereRequest } from './vsphere-world.ts';

const world = await aVsphereWorld();
const driver = world.aDriver();
const count = async (name: string): Promise<number> => (await world.machines(name)).length;

describeDriverContract({
  driver: () => driver,
  request: vsphereRequest,
  create: (request) => createdBy(driver, request),
  remove: (request) => deletedBy(driver, request),
  countMade: count,
  countLiving: count,
  async expectMade({ providerID }, name) {
    const [machine] = await world.machines(name);
    expect(providerID).toBe(`vsphere://eu-1/${machine?.ref}`);
    expect(machine).toMatchObject({ isOn: true, isConfigured: true });
  },
  absentProviderID: 'vsphere://eu-1/11111111-2222-3333-4444-555555555555',
  badSpec: {
    providerSpec: { ...aSpec, network: '' },
    message: 'Invalid value: providerSpec.network: "" is not a non-empty string',
  },
  brokenSpec: { datacenter: 'DC0' },
  volumes: {
    specs: [
      { csi: { driver: 'csi.vsphere.vmware.com', volumeHandle: 'volume-1' } },
      { vsphereVolume: { volumePath: '[datastore] kubevols/x.vmdk' } },
    ],
    ids: ['volume-1', '[datastore] kubevols/x.vmdk'],
  },
  remembersTokens: false,
  hasConsole: false,
  requestId: undefined,
});
