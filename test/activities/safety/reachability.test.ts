import { checkServers } from '../../../activities/safety/reachability.ts';
import { namespace } from '../../support/builders.ts';
import { aWorld } from '../../support/world.ts';

const silent = () => ({ code: 0, reason: 'Unreachable' });
const forbidden = () => ({ code: 403, reason: 'Forbidden' });

test('any answer is one, also that there is no such thing', async () => {
  const world = aWorld();
  expect(await checkServers(world, { namespace })).toEqual({ away: [] });
  world.target.fault = forbidden;
  expect(await checkServers(world, { namespace })).toEqual({ away: [] });
});

test('servers that give none are named', async () => {
  const world = aWorld();
  world.target.fault = silent;
  expect(await checkServers(world, { namespace })).toEqual({ away: ['target'] });
  world.control.fault = silent;
  expect(await checkServers(world, { namespace })).toEqual({ away: ['control', 'target'] });
});

test('a target cluster that there is not is not out of reach', async () => {
  const { target: _none, ...world } = aWorld();
  expect(await checkServers(world, { namespace })).toEqual({ away: [] });
});
