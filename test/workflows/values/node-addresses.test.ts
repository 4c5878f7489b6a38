import { nodeAddresses } from '../../../workflows/values/node-addresses.ts';

const internal = { type: 'InternalIP', address: '10.0.0.1' };
const hostname = { type: 'Hostname', address: 'node-a' };

test('addresses of earlier answers stay, each once, ordered by type and address', () => {
  const later = { type: 'ExternalIP', address: '192.0.2.1' };
  const addresses = [internal, later, hostname];
  expect(nodeAddresses([internal], { addresses, nodeName: 'node-a' })).toEqual([
    later,
    hostname,
    internal,
  ]);
});
