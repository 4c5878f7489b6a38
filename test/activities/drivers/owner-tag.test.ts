/** A class that has tags with our names gives no instance away. */
import { ownerTag as awsOwner, ourTags, tagOf } from '../../../activities/drivers/aws/tags.ts';
import { runInstancesInput } from '../../../activities/drivers/aws/run-instances-input.ts';
import { specOf } from '../../../activities/drivers/aws/spec.ts';
import {
  ownerTag as azureOwner,
  tagNames,
  tagOf as azureTagOf,
  tagsFor,
} from '../../../activities/drivers/azure/tags.ts';
import { aRequest } from './a-request.ts';
import { aSpec } from './aws/a-class.ts';

const request = aRequest('m1', { userData: 'u' });

function withOurNames(names: readonly string[], count: number): Record<string, string> {
  const more = Array.from({ length: count - names.length }, (_, index) => [`label-${index}`, 'x']);
  const claims = names.map((name) => [name, 'of another']);
  return Object.fromEntries([...claims, ...more]);
}

describe.each([10, 48])('of a class with %s tags, some with our names', (count) => {
  test('AWS: the instance is its owner’s', () => {
    const claims = withOurNames([...Object.values(ourTags), awsOwner.name], count - 2);
    const tags = { 'kubernetes.io/cluster/c': '1', 'kubernetes.io/role/node': '1', ...claims };
    const spec = specOf(aSpec({ tags }));
    const input = runInstancesInput({ request, spec, rootDeviceName: '/dev/xvda' });
    const instance = { Tags: input.TagSpecifications?.[0]?.Tags ?? [] };
    expect(tagOf(instance, ourTags.cluster)).toBe(request.cluster);
    expect(tagOf(instance, ourTags.namespace)).toBe(request.machine.namespace);
    expect(tagOf(instance, ourTags.token)).toBe(request.token);
    expect(tagOf(instance, awsOwner.name)).not.toBe('of another');
  });

  test('Azure: the instance is its owner’s, in whatever case the names are', () => {
    const names = [...Object.values(tagNames), azureOwner.name].map((name) => name.toUpperCase());
    const tags = tagsFor(withOurNames(names, count), request);
    expect(azureTagOf(tags, tagNames.cluster)).toBe(request.cluster);
    expect(azureTagOf(tags, tagNames.namespace)).toBe(request.machine.namespace);
    expect(azureTagOf(tags, tagNames.token)).toBe(request.token);
    expect(azureTagOf(tags, azureOwner.name)).not.toBe('of another');
  });
});
