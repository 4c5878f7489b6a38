import { aNode, anObject, courtroom, pathTo } from '../courtroom.ts';
import type { Deed } from '../courtroom.ts';
import { secretMarker } from '../../users/objects.ts';

const elsewhere = ['nothing of another install is touched'];
const forbidden = ['only what is named here is deleted'];
const body = { metadata: { labels: { a: 'b' } } };
const events = '/api/v1/namespaces/garden-one/events';

test.each<[string, Deed, string[]]>([
  ['its own Machine', { method: 'PATCH', path: pathTo('machines', 'pool-a'), body }, []],
  [
    'a Machine of another namespace',
    {
      method: 'PATCH',
      path: pathTo('machines', 'pool-b').replace('garden-one', 'garden-two'),
      body,
    },
    elsewhere,
  ],
  [
    'a Node of its target',
    { method: 'PATCH', path: '/api/v1/nodes/pool-a', body, in: 'target' },
    [],
  ],
  [
    'a Node of its control cluster',
    { method: 'PATCH', path: '/api/v1/nodes/pool-c', body },
    elsewhere,
  ],
  [
    'a ConfigMap',
    { method: 'PATCH', path: '/api/v1/namespaces/garden-one/configmaps/a', body },
    elsewhere,
  ],
  ['a class', { method: 'PATCH', path: pathTo('machineclasses', 'small'), body }, []],
  [
    'the deletion of a class',
    { method: 'DELETE', path: pathTo('machineclasses', 'small') },
    forbidden,
  ],
  ['an Event', { method: 'POST', path: events, body: { metadata: { name: 'a' } } }, []],
  [
    'a Secret in an Event',
    {
      method: 'POST',
      path: events,
      body: { metadata: { name: 'a' }, message: `${secretMarker}x` },
    },
    ['no secret leaves'],
  ],
  [
    'a bootstrap token',
    {
      method: 'POST',
      path: '/api/v1/namespaces/kube-system/secrets',
      body: { metadata: { name: 'bootstrap-token-abcdef' } },
      in: 'target',
    },
    [],
  ],
  [
    'another Secret of the target',
    {
      method: 'POST',
      path: '/api/v1/namespaces/kube-system/secrets',
      body: { metadata: { name: 'admin' } },
      in: 'target',
    },
    elsewhere,
  ],
])('%s', (_, deed, expected) => {
  const court = courtroom();
  const metadata = { namespace: 'garden-two' };
  court.control.put(anObject('Machine', 'pool-a'));
  court.control.put(anObject('Machine', 'pool-b', { metadata }));
  court.control.put(anObject('MachineClass', 'small'));
  court.control.put({ ...anObject('ConfigMap', 'a'), apiVersion: 'v1' });
  court.control.put(aNode('pool-c', 'local:///a/i-3'));
  court.target.put(aNode('pool-a', 'local:///a/i-1'));
  court.write(deed);
  expect(court.broken()).toEqual(expected);
});
