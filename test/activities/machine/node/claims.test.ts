import { findStaleNode } from '../../../../activities/machine/node/claims.ts';
import { aNode } from '../../../support/builders.ts';
import { aWorld } from '../../../support/world.ts';

const node = aNode({ spec: { providerID: 'local:///zone-1/i-1' } });

test.each([
  {
    name: 'none of that name',
    nodeName: 'pool-b',
    providerID: 'local:///zone-1/i-2',
    isStale: false,
  },
  {
    name: 'one of this instance',
    nodeName: 'pool-a',
    providerID: 'local:///z/i-1',
    isStale: false,
  },
  { name: 'one of another', nodeName: 'pool-a', providerID: 'local:///zone-1/i-2', isStale: true },
])('a Node is stale: $name: $isStale', async ({ nodeName, providerID, isStale }) => {
  const world = aWorld({ target: [node] });
  expect(await findStaleNode(world, { instance: { nodeName, providerID } })).toEqual({ isStale });
});

test('without a target cluster no Node is stale', async () => {
  const { target: _none, ...world } = aWorld();
  const instance = { nodeName: 'pool-a', providerID: 'local:///zone-1/i-2' };
  expect(await findStaleNode(world, { instance })).toEqual({ isStale: false });
});
