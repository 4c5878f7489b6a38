/** Each call of a create and a delete is cut; the cloud's work goes on between the calls. */
import { describeKills } from '../frame/kills.ts';
import { aHetznerWorld, aSpec, hetznerRequest } from './hetzner-world.ts';

const world = await aHetznerWorld();
const { project, clock } = world.double;
project.actionSeconds = 30;

describeKills({
  proxy: () => world.proxy,
  aDriver: () => world.aDriver({ waitSeconds: 0 }),
  request: (name, more) =>
    hetznerRequest(name, { providerSpec: { ...aSpec, floatingPoolName: 'pool' }, ...more }),
  countLiving: (name) => project.living(name).length,
  left: (name) => [
    ...project.living(name).map(() => 'server'),
    ...[...project.floatingIps.values()]
      .filter((ip) => ip.name === `pool-${name}-ipv4`)
      .map(() => 'floating IP'),
  ],
  pass: () => clock.advance(20),
});
