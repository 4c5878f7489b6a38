import { expect, test } from 'vitest';
import { handBack } from '../../../cli/migrate/hand-back.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const aDeployment = (name: string, labels: Record<string, string> = {}) => ({
  metadata: { name, namespace: 'shoot', labels },
  spec: { template: { spec: { containers: [{ name, args: ['--namespace=shoot'] }] } } },
});

const mcm = 'machine-controller-manager';
const watcher = aDeployment('watcher', {
  'helm.sh/chart': 'millwright-1.0.0',
  'app.kubernetes.io/component': 'watcher',
});

class WithDeployments extends InMemoryClient {
  override async get<T>(path: string): Promise<T>;
  override async get(path: string): Promise<unknown> {
    if (path.endsWith('/deployments')) return { metadata: {}, items: [watcher] };
    if (path.endsWith(`/deployments/${mcm}`)) return aDeployment(mcm);
    return await super.get(path);
  }
}

test('where Temporal cannot be asked, nothing is scaled down', async () => {
  const kube = new WithDeployments();
  kube.fault = ({ path }) =>
    path.endsWith('policies') ? { code: 403, reason: 'Forbidden' } : undefined;
  const handedBack = handBack({
    place: { kube, namespace: 'shoot' },
    asked: {
      mcmDeployments: [mcm],
      externalProviders: [],
      timeoutSeconds: 1,
      temporalAddress: '127.0.0.1:1',
    },
    report: () => {},
  });
  await expect(handedBack).rejects.toThrow('Nothing was done: Temporal at 127.0.0.1:1');
  expect(kube.writes()).toEqual([]);
});
