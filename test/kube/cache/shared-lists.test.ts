import { node as nodePath } from '../../../kube/client/paths.ts';
import { SharedLists } from '../../../kube/cache/shared-lists.ts';
import { aNode } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import type { Node } from '../../../kube/objects/nodes.ts';

const lists = new SharedLists<Node>();
const path = nodePath();

async function namesIn(kube: InMemoryClient): Promise<string[]> {
  return (await lists.list(kube, path)).items.map(({ metadata }) => metadata.name);
}

test('callers of one moment share one list', async () => {
  const kube = new InMemoryClient(aNode());
  const answers = await Promise.all(Array.from({ length: 100 }, () => namesIn(kube)));
  expect(new Set(answers.flat())).toEqual(new Set(['pool-a']));
  expect(kube.calls).toEqual([`GET ${path}`]);
});

test('callers that ask while a list is running share the next one, which has what came meanwhile', async () => {
  const kube = new InMemoryClient(aNode());
  const later: Promise<string[]>[] = [];
  const list = kube.list.bind(kube);
  kube.list = async (...call) => {
    const answer = await list<never>(...call);
    if (later.length === 0) {
      kube.put(aNode({ metadata: { name: 'pool-b' } }));
      later.push(namesIn(kube), namesIn(kube));
    }
    return answer;
  };
  expect(await namesIn(kube)).toEqual(['pool-a']);
  expect(await Promise.all(later)).toEqual([
    ['pool-a', 'pool-b'],
    ['pool-a', 'pool-b'],
  ]);
  expect(kube.calls).toHaveLength(2);
});

test('a list that fails is an error of its own callers, not of those of the next list', async () => {
  const kube = new InMemoryClient(aNode());
  let later: Promise<string[]> | undefined;
  kube.fault = () => {
    if (later) return undefined;
    later = namesIn(kube);
    return { code: 503, reason: 'HTTP503' };
  };
  await expect(namesIn(kube)).rejects.toThrow('HTTP503');
  expect(await later).toEqual(['pool-a']);
});
