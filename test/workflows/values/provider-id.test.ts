import { isSameInstance } from '../../../workflows/values/provider-id.ts';

test.each([
  { name: 'equal', a: 'local:///zone-1/i-1', b: 'local:///zone-1/i-1', same: true },
  { name: 'zone and region', a: 'aws:///eu-west-1b/i-1', b: 'aws:///eu-west-1/i-1', same: true },
  { name: 'another case', a: 'azure:///z/Worker-1', b: 'azure:///z/worker-1', same: true },
  { name: 'another instance', a: 'aws:///eu-west-1b/i-1', b: 'aws:///eu-west-1b/i-2', same: false },
  { name: 'one is the end of the other', a: 'aws:///z/xi-1', b: 'aws:///z/i-1', same: false },
  { name: 'the Node says nothing', a: '', b: 'aws:///z/i-1', same: true },
  { name: 'none is known', a: undefined, b: undefined, same: true },
])('isSameInstance of two providerIDs: $name', ({ a, b, same }) => {
  expect(isSameInstance(a, b)).toBe(same);
  expect(isSameInstance(b, a)).toBe(same);
});
