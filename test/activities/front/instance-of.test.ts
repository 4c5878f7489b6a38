import { instanceOf } from '../../../activities/front/instance-of.ts';
import type { ProviderTable } from '../../../activities/front/providers/table.ts';
import { kubermaticLabels } from '../../../workflows/api/kubermatic-names.ts';

const meta = (name: string, uid: string) => ({
  name,
  uid,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
});
const aws = {
  providerSpec: { region: 'eu-west-1' },
  table: {
    providerID: (id: string, { region }: Readonly<Record<string, unknown>>) => {
      const [, instance] = /^aws:\/\/\/[^/]+\/(i-\w+)$/.exec(id) ?? [];
      if (instance === undefined) return { fault: `"${id}" is no instance of AWS` };
      return { value: `aws:///${String(region)}/${instance}` };
    },
  },
};
const noTranslation = { providerSpec: {}, table: {} };

interface World {
  /** providerID of the Machine, and of its Node. */
  own?: string;
  onNode?: string;
  /** UID on the label of the Node. */
  owner?: string;
  provider?: { providerSpec: Record<string, unknown>; table: Partial<ProviderTable> };
  hasNode?: boolean;
  nodeRef?: string;
}

function found({ own, onNode, owner = 'm1', provider = noTranslation, ...more }: World) {
  const { hasNode = onNode !== undefined, nodeRef } = more;
  const machine = {
    metadata: meta('pool-a', 'm1'),
    spec: { providerSpec: {}, ...(own !== undefined && { providerID: own }) },
    status: nodeRef === undefined ? {} : { nodeRef: { name: nodeRef } },
  };
  const node = {
    metadata: { ...meta('node-a', 'n1'), labels: { [kubermaticLabels.ownedBy]: owner } },
    spec: onNode === undefined ? {} : { providerID: onNode },
  };
  const answer = instanceOf(machine, hasNode ? node : undefined, provider);
  return 'value' in answer ? answer.value : answer.fault;
}

const madeUp = 'kubermatic://hetzner/m1';

test.each<[string, World, string]>([
  ['the Node says it', { onNode: 'hcloud://7' }, 'hcloud://7'],
  ['the Machine does', { own: 'hcloud://7' }, 'hcloud://7'],
  ['what is made up is passed over', { own: madeUp, onNode: 'hcloud://7' }, 'hcloud://7'],
  ['in our form', { onNode: 'aws:///eu-west-1a/i-7', provider: aws }, 'aws:///eu-west-1/i-7'],
  ['in no form of ours', { onNode: 'x', provider: aws }, '"x" is no instance of AWS'],
  ['only made up', { onNode: madeUp }, `has providerID "${madeUp}"`],
  ['a Node without any', { hasNode: true }, 'has providerID ""'],
  ['no Node yet', {}, 'no Node has joined'],
  ['no Node any more', { nodeRef: 'node-a' }, 'its Node node-a is gone'],
  // machine-controller takes a Node by its address.
  ['the Node of another', { onNode: 'hcloud://7', owner: 'm2' }, 'UID of another Machine'],
])('the instance of a Machine: %s', (_name, world, expected) => {
  expect(found(world)).toContain(expected);
});
