/** The contract of all drivers, and what only OpenStack does, against the double. */
import { describeDriverContract } from '../contract.ts';
import { describeKills } from '../frame/kills.ts';
import { startFaultProxy, type FaultProxy } from '../frame/fault-proxy.ts';
import {
  aDriverFor,
  aSharedWorld,
  aSpec,
  leftOf,
  ofOpenStack,
  openStackRequest as request,
  serversOf,
} from './openstack-world.ts';
import type { OpenStackWorld } from './openstack-world.ts';

let world: OpenStackWorld;
let proxy: FaultProxy;
beforeAll(async () => {
  world = await aSharedWorld();
  proxy = await startFaultProxy(world.double.url);
});
afterAll(() => proxy[Symbol.asyncDispose]());

describeDriverContract({
  driver: () => aDriverFor(world.double.url),
  request,
  countMade: (name) => world.double.world.made.filter((made) => made === name).length,
  countLiving: (name) => serversOf(world.double, name).length,
  expectMade: ({ providerID, nodeName, addresses }, name) => {
    const [server] = serversOf(world.double, name);
    expect(providerID).toBe(`openstack:///RegionOne/${String(server?.['id'])}`);
    expect(nodeName).toBe(name);
    expect(addresses).toEqual([{ type: 'InternalIP', address: '10.9.0.7' }]);
  },
  ...ofOpenStack,
  requestId: /^req-\d+$/,
});

describe('with a volume, ports in two networks and addresses of both families', () => {
  const providerSpec = aSpec({
    networkID: undefined,
    subnetIDs: undefined,
    networks: [{ name: 'workers', podNetwork: true }, { id: 'net-2' }],
    rootDiskSize: 20,
    rootDiskType: 'fast',
  });
  describeKills({
    proxy: () => proxy,
    aDriver: () => aDriverFor(proxy.url),
    request: (name, more) => request(name, { providerSpec, ...more }),
    countLiving: (name) => serversOf(world.double, name).length,
    left: (name) => leftOf(world.double, name),
  });
});
