/** govmomi's simulator of a vCenter. */
import { VsphereClient, within } from '../../../../activities/drivers/vsphere/vcenter/client.ts';
import { credentialsOf } from '../../../../activities/drivers/vsphere/credentials.ts';
import {
  machinesIn,
  selectionOf,
  type VirtualMachine,
} from '../../../../activities/drivers/vsphere/machine.ts';
import { aSecret, aSpec } from '../../../activities/drivers/vsphere/vsphere-world.ts';
import { startVcsim } from '../../../support/vcsim.ts';
import type { PoolCloud, PoolCloudCase } from './pool-on-cloud.ts';

export const vsphere: PoolCloudCase = { provider: 'vsphere', start };

const { signal } = new AbortController();

async function start(): Promise<PoolCloud> {
  const vcsim = await startVcsim();
  const env = { MILLWRIGHT_VSPHERE_ENDPOINT: vcsim.url };
  const credentials = credentialsOf(aSecret, env);
  const client = new VsphereClient({ credentials, callTimeoutSeconds: 600, env });
  const all = async (): Promise<VirtualMachine[]> => {
    const folder = await client.find('/DC0/vm', signal);
    if (!folder) throw new Error('vcsim has no folder');
    const attributes = await client.manager('customFieldsManager', signal);
    const selection = selectionOf(within(folder, 'childEntity'), attributes);
    return machinesIn(await client.retrieve(selection, { what: 'look', signal }));
  };
  const known = new Set((await all()).map(({ name }) => name));
  const made = async (): Promise<VirtualMachine[]> =>
    (await all()).filter(({ name }) => !known.has(name));
  return {
    env,
    providerSpec: aSpec,
    otherSpec: { ...aSpec, memory: 4_096 },
    secret: { ...aSecret, userData: '#cloud-config\n' },
    nodes: async () =>
      (await made())
        .filter(({ isOn }) => isOn)
        .map(({ ref, name }) => ({ providerID: `vsphere://${aSpec.region}/${ref}`, name })),
    living: async () => (await made()).map(({ name }) => name),
    async stop() {
      await client.close();
      await vcsim.close();
    },
  };
}
