/** Which Deployments the commands take for those of Millwright. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import {
  endingPod,
  isOurs,
  isServing,
  isWatcher,
  isWorker,
  type Deployment,
} from '../../../cli/install/deployments.ts';
import { manifests } from '../../../deploy/helm/render.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { aPod } from '../../support/builders.ts';

interface Manifest extends Deployment {
  kind: string;
}

function deploymentsIn(file: string): Deployment[] {
  const documents = parseAllDocuments(readFileSync(join(manifests, file), 'utf8'));
  return documents
    .map((document): Manifest => document.toJS())
    .filter(({ kind }) => kind === 'Deployment');
}

const named = (labels: Record<string, string>): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '', labels },
});

test('those of an install without Helm are ours', () => {
  const installed = deploymentsIn('install.yaml');
  expect(installed).toHaveLength(1);
  expect(installed.filter((one) => !isOurs(one))).toEqual([]);
  expect(installed.filter((one) => isServing(one, 'machines'))).toHaveLength(1);
  expect(installed.filter((one) => isWatcher(one) && isWorker(one))).toHaveLength(1);
});

test('those of the chart are ours by any name, and others are not', () => {
  const name = 'app.kubernetes.io/name';
  expect(isOurs(named({ 'helm.sh/chart': 'millwright-0.1.0', [name]: 'machines' }))).toBe(true);
  expect(isOurs(named({ 'helm.sh/chart': 'mcm-0.1.0', [name]: 'mcm' }))).toBe(false);
  expect(isOurs(named({}))).toBe(false);
});

const pod = (name: string, status: object) =>
  aPod({ metadata: { namespace: 'shoot', name, labels: { app: 'mcm' } }, status });

test.each(['Failed', 'Succeeded'])(
  'a pod that is %s is not waited for, others are',
  async (phase) => {
    const kube = new InMemoryClient(pod('evicted', { phase }));
    const mcm = named({});
    const deployment = {
      ...mcm,
      metadata: { ...mcm.metadata, namespace: 'shoot' },
      spec: { replicas: 0, selector: { matchLabels: { app: 'mcm' } } },
    };
    expect(await endingPod(kube, [deployment])).toBeUndefined();
    kube.put(pod('ending', { phase: 'Running' }));
    expect(await endingPod(kube, [deployment])).toBe('pod ending of Deployment a ends');
  },
);
