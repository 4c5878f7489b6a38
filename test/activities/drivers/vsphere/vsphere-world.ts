/** The driver against the simulator of a vCenter. */
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import {
  childOf,
  textOf,
  type XmlElement,
} from '../../../../activities/drivers/vsphere/vcenter/xml.ts';
import { refIn, VsphereClient } from '../../../../activities/drivers/vsphere/vcenter/client.ts';
import {
  objectSetOf,
  within,
  type Ref,
} from '../../../../activities/drivers/vsphere/vcenter/client.ts';
import { credentialsOf } from '../../../../activities/drivers/vsphere/credentials.ts';
import { createVsphereDriver } from '../../../../activities/drivers/vsphere/driver.ts';
import type { RestDriverLimits } from '../../../../activities/drivers/frame/rest-driver.ts';
import {
  machinesIn,
  selectionOf,
  type VirtualMachine,
} from '../../../../activities/drivers/vsphere/machine.ts';
import type { DriverSettings } from '../../../../activities/drivers/settings.ts';
import { startVcsim, type Vcsim } from '../../../support/vcsim.ts';
import { aRequest } from '../a-request.ts';
import { startFaultProxy, type FaultProxy } from '../frame/fault-proxy.ts';
import { quick } from '../small-clouds.ts';

/** What a class needs at least, with what the simulator has. */
export const aSpec = {
  region: 'eu-1',
  datacenter: 'DC0',
  computeCluster: 'DC0_C0',
  datastore: 'LocalDS_0',
  network: 'DC0_DVPG0',
  templateVM: 'DC0_C0_RP0_VM0',
  tags: { 'mcm.gardener.cloud/cluster': 'shoot', 'mcm.gardener.cloud/role': 'node' },
};

export const aSecret = {
  vsphereHost: 'vcenter.example.com',
  vsphereUsername: 'user',
  vspherePassword: 'pass',
};

export const vsphereRequest = (name: string, more: Partial<CreateRequest> = {}): CreateRequest =>
  aRequest(name, {
    providerSpec: aSpec,
    secret: aSecret,
    userData: '#cloud-config\nhostname: x\n',
    ...more,
  });

export interface VsphereWorld {
  vcsim: Vcsim;
  proxy: FaultProxy;
  /** Through the proxy. */
  aDriver: (limits?: RestDriverLimits, more?: Partial<DriverSettings>) => Driver;
  /** Beside the driver. */
  client: VsphereClient;
  /** Those of a name, in the folder of machines. */
  machines: (name: string) => Promise<VirtualMachine[]>;
  /** In the vCenter's own words: begins a task and waits for its end. */
  task: (method: string, of: Ref, args?: readonly XmlElement[]) => Promise<string>;
}

const signal = new AbortController().signal;

/** For all tests of a file, each of which begins without faults. */
export async function aVsphereWorld(): Promise<VsphereWorld> {
  const vcsim = await startVcsim();
  const proxy = await startFaultProxy(vcsim.url);
  const env = { MILLWRIGHT_VSPHERE_ENDPOINT: `${proxy.url}/sdk` };
  const direct = { MILLWRIGHT_VSPHERE_ENDPOINT: vcsim.url };
  const credentials = credentialsOf(aSecret, direct);
  const client = new VsphereClient({ credentials, callTimeoutSeconds: 600, env: direct });
  beforeEach(async () => {
    proxy.clear();
    await vcsim.clear();
  });
  afterAll(async () => {
    await client.close();
    await proxy[Symbol.asyncDispose]();
    await vcsim.close();
  });
  return {
    vcsim,
    proxy,
    client,
    aDriver: (limits = {}, more = {}) =>
      createVsphereDriver(
        { env, allowsAmbientCredentials: false, ...more },
        { ...quick, ...limits },
      ),
    async machines(name) {
      const folder = await client.find('/DC0/vm', signal);
      if (!folder) throw new Error('vcsim has no folder');
      const attributes = await client.manager('customFieldsManager', signal);
      const selection = selectionOf(within(folder, 'childEntity'), attributes);
      const found = await client.retrieve(selection, { what: 'look', signal });
      return machinesIn(found).filter((machine) => machine.name === name);
    },
    async task(method, of, args = []) {
      const call = { what: method, of, args, signal };
      const task = refIn(childOf(await client.call(method, call), 'returnval'));
      if (!task) throw new Error(`${method} began no task`);
      for (;;) {
        const selection = { objects: [objectSetOf(task)], paths: { Task: ['info'] } };
        const [seen] = await client.retrieve(selection, { what: 'look', signal });
        const info = seen?.values['info'];
        const state = textOf(info, 'state');
        if (state === 'error') throw new Error(textOf(info, 'error.localizedMessage'));
        if (state === 'success') return textOf(info, 'result');
      }
    },
  };
}
