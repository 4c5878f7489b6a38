/**
 * Each call of a create and a delete is cut; the cloud's work goes on between the calls, and tags
 * come late. Nothing refuses a second create here: what keeps it away is the search.
 */
import { describeKills } from '../frame/kills.ts';
import { aDigitalOceanCloud } from './digitalocean-cloud.ts';

const cloud = await aDigitalOceanCloud();
const { team, clock } = cloud.double;
team.bootSeconds = 60;
team.tagSeconds = 30;
team.destroySeconds = 30;

describeKills({
  proxy: () => cloud.proxy,
  aDriver: () => cloud.aDriver({ waitSeconds: 0 }),
  request: cloud.request,
  countLiving: (name) => team.living(name).length,
  left: (name) => team.living(name).map(() => 'droplet'),
  pass: () => {
    clock.advance(20);
    team.goOn();
  },
});
