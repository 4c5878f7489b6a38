/** A kube-apiserver that nothing else uses, as one side of a comparison. */
import { readFileSync } from 'node:fs';
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import { createKubeClient } from '../../../kube/client/http-client.ts';
import { loadKubeConfig } from '../../../kube/client/kubeconfig.ts';
import { kinds, namespaces } from '../../simulation/differential/kinds.ts';
import type { SideOptions } from '../../simulation/differential/side.ts';
import { kill9 } from './components.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestStack } from './test-stack.ts';

/** Of a control plane that was just started: the namespaces are made. */
export async function realSideOf(stack: TestStack): Promise<SideOptions> {
  const kubeConfig = loadKubeConfig(stack.layout.kubeconfig);
  const client = createKubeClient({ kubeConfig, userAgent: 'millwright-test' });
  for (const name of namespaces) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await client.create('/api/v1/namespaces', namespace);
  }
  // The caches know nothing of what was before them.
  await untilServed(client);
  return {
    kubeConfig,
    compact: () => compact(stack, client),
    close: () => client.close(),
  };
}

/**
 * Compacts the database, and starts the API server anew: its cache would still know what was
 * before.
 */
async function compact({ layout }: TestStack, client: KubeClient): Promise<void> {
  await write(client);
  const revision = await write(client);
  const ports: { etcdClient: number } = JSON.parse(readFileSync(layout.portsFile, 'utf8'));
  const response = await fetch(`http://127.0.0.1:${ports.etcdClient}/v3/kv/compaction`, {
    method: 'POST',
    body: JSON.stringify({ revision, physical: true }),
  });
  if (!response.ok) throw new Error(`compaction: ${response.status} ${await response.text()}`);
  await kill9(layout.stateDir, 'kube-apiserver');
  await untilServed(client);
}

async function untilServed(client: KubeClient): Promise<void> {
  await eventually('all kinds are served', async () => {
    for (const { root, plural } of kinds) await client.list(`${root}/${plural}`);
  });
}

/** Where no list of the comparison goes. So that what was compared before is older. */
async function write(client: KubeClient): Promise<string> {
  const made = await client.create<KubeObject>('/api/v1/namespaces/default/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { generateName: 'compaction-' },
  });
  return made.metadata.resourceVersion;
}
