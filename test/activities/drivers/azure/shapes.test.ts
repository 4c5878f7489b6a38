/** What the double knows of Azure, by the example in deploy/examples/clouds. */
import { readFileSync } from 'node:fs';
import { ComputeManagementClient } from '@azure/arm-compute';
import { parseAllDocuments } from 'yaml';
import { vmOf } from '../../../../activities/drivers/azure/resources.ts';
import { readSpec } from '../../../../activities/drivers/azure/validate.ts';
import * as shapes from '../../../doubles/azure/shapes.ts';
import { aRequest } from '../a-request.ts';

const file = new URL('../../../../deploy/examples/clouds/azure.yaml', import.meta.url);
const [, machineClass] = parseAllDocuments(readFileSync(file, 'utf8')).map((document) =>
  document.toJS(),
);
const group = '/subscriptions/s/resourceGroups/g/providers';

test('the double knows every field that the SDK sends for it', async () => {
  const sent: unknown[] = [];
  const credential = { getToken: async () => ({ token: 't', expiresOnTimestamp: Infinity }) };
  const client = new ComputeManagementClient(credential, 's', {
    httpClient: {
      sendRequest: async (asked) => {
        sent.push(typeof asked.body === 'string' && JSON.parse(asked.body));
        return { request: asked, status: 200, headers: asked.headers, bodyAsText: '{}' };
      },
    },
  });
  const blueprint = { spec: readSpec(machineClass.providerSpec), request: aRequest('m') };
  const vm = vmOf(blueprint, {
    nicId: `${group}/Microsoft.Network/networkInterfaces/m-nic`,
    diskIds: new Map([[1, `${group}/Microsoft.Compute/disks/m-tools-1-data-disk`]]),
  });
  await client.virtualMachines.createOrUpdate('g', 'm', vm).submitted();
  expect(sent.map((body) => shapes.virtualMachine(body, 'body'))).toEqual([undefined]);
});
