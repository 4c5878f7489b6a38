import { hasToken, tagValue, tokenOf } from '../../../../activities/drivers/frame/tags.ts';
import { refIn } from '../../../../activities/drivers/gcp/find.ts';
import { labelSpelling } from '../../../../activities/drivers/gcp/labels.ts';
import { placeOf, providerIDOf } from '../../../../activities/drivers/gcp/provider-id.ts';
import { requestIdOf } from '../../../../activities/drivers/gcp/create.ts';
import { searchTagsOf } from '../../../../activities/drivers/gcp/tags.ts';

test('a request id is a UUID of version 5 and the same for the same attempt', () => {
  const id = requestIdOf('uid-0', 'insert');
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(requestIdOf('uid-0', 'insert')).toBe(id);
  expect(requestIdOf('uid-1', 'insert')).not.toBe(id);
  // Another value would mean that attempts under way are not recognised by a newer worker.
  expect(id).toBe('1559713e-7e54-5b60-8efd-0b80920d2a57');
});

test('a value that a label cannot hold is known by its digest', () => {
  expect(tagValue('uid-0', labelSpelling)).toBe('uid-0');
  const digest = tagValue('Upper/Case', labelSpelling);
  expect(digest).toMatch(/^sha256_[0-9a-f]{48}$/);
  const instance = { ref: 'p/z/n', name: 'n', tags: { 'millwright-token': digest } };
  expect(hasToken(instance, 'Upper/Case', labelSpelling)).toBe(true);
  expect(hasToken(instance, 'upper/case', labelSpelling)).toBe(false);
  expect(tokenOf(instance, labelSpelling)).toBeUndefined();
});

test.each([
  ['gce:///p/z/n', { project: 'p', zone: 'z', name: 'n' }],
  [
    'gce:///example.com:p/europe-west1-b/a-1',
    { project: 'example.com:p', zone: 'europe-west1-b', name: 'a-1' },
  ],
])(
  'the providerID %s names project, zone and instance, and is made of them',
  (providerID, place) => {
    expect(placeOf(providerID)).toEqual(place);
    expect(providerIDOf(place)).toBe(providerID);
  },
);

test('a providerID as Google’s cloud controller manager writes it to Nodes names the same instance', () => {
  const place = { project: 'p', zone: 'z', name: 'n' };
  expect(placeOf('gce://p/z/n')).toEqual(place);
  expect(refIn('gce://p/z/n')).toBe(refIn('gce:///p/z/n'));
  expect(refIn('gce://p/z/m')).not.toBe(refIn('gce://p/z/n'));
});

test.each([
  'gce:///p/z',
  'gce:///p/z/n/m',
  'gce:p/z/n',
  'gce:////p/z/n',
  'gce:///p/z/N',
  'gce:///p/../n',
  'aws:///z/i',
])('%s is no providerID of Google', (providerID) => expect(placeOf(providerID)).toBeUndefined());

test('of several tags of a Google class the last one counts, as in Gardener’s driver', () => {
  const tags = ['kubernetes-io-cluster-a', 'kubernetes-io-role-x', 'kubernetes-io-cluster-b'];
  expect(searchTagsOf(tags)).toEqual({
    cluster: 'kubernetes-io-cluster-b',
    role: 'kubernetes-io-role-x',
  });
  expect(searchTagsOf(tags.slice(0, 1))).toBeUndefined();
});
