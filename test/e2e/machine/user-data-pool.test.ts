/** Machines of a class without `userData` join by what Millwright makes for them. */
import { parse, stringify } from 'yaml';
import { node as nodePath, namespaced } from '../../../kube/client/paths.ts';
import { createKubeClient } from '../../../kube/client/http-client.ts';
import { kubeConfigOfSecret } from '../../../kube/client/kubeconfig.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { UserDataConfig } from '../../../userdata/config.ts';
import { eventually } from '../../support/eventually.ts';
import { selfSigned } from '../../support/self-signed.ts';
import type { NodeObject } from '../support/cluster.ts';
import { deleteMachine, machinesOf, untilRunning } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import {
  certificatesAskedFor,
  createUserDataPool,
  creatorsOf,
  stackConfig,
  tokensOf,
} from '../support/user-data.ts';

const scenario = useScenario('user-data', { isDoubled: false });
const { cluster, cloud, operator } = scenario;

async function configWith(change: (config: UserDataConfig) => void): Promise<string> {
  const config: UserDataConfig = parse(await stackConfig(scenario));
  change(config);
  return stringify(config);
}

/** What a client gets that has nothing but the token. */
async function answerTo(token: string): Promise<string> {
  const { kubernetes }: UserDataConfig = parse(await stackConfig(scenario));
  const text = stringify({
    'current-context': 'a',
    clusters: [
      {
        name: 'a',
        cluster: {
          server: kubernetes.apiServer,
          'certificate-authority-data': Buffer.from(kubernetes.caBundle).toString('base64'),
        },
      },
    ],
    users: [{ name: 'a', user: { token } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  });
  const client = createKubeClient({
    kubeConfig: kubeConfigOfSecret({ text, source: 'the test' }),
    userAgent: 'millwright-e2e',
  });
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  try {
    await client.list(path);
    return 'welcome';
  } catch (error) {
    return String(error);
  } finally {
    await client.close();
  }
}

const names = (machines: readonly Machine[]): string[] =>
  machines.map(({ metadata }) => metadata.name);

async function expectJoined(machines: readonly Machine[]): Promise<void> {
  const instances = await cloud.instances();
  for (const name of names(machines)) {
    expect(creatorsOf(name)).toEqual([`system:node:${name}`]);
    const address = instances.find((instance) => instance.name === name)?.address;
    const subject = `O=system:nodes, CN=system:node:${name}`;
    expect(await certificatesAskedFor(scenario, name)).toEqual([
      {
        by: expect.stringMatching(/^system:bootstrap:[0-9a-z]{6}$/),
        signer: 'kubernetes.io/kube-apiserver-client-kubelet',
        subject,
        hosts: [],
      },
      {
        by: `system:node:${name}`,
        signer: 'kubernetes.io/kubelet-serving',
        subject,
        hosts: [name, address],
      },
    ]);
  }
  await eventually('their tokens are gone', async () => {
    expect(await tokensOf(scenario, machines)).toEqual([]);
  });
}

test('a pool goes from 0 to 3, each machine by a token of its own that is then gone', async () => {
  const config = await configWith((one) => {
    one.node = { labels: { rack: '7' }, taints: [{ key: 'gpu', effect: 'PreferNoSchedule' }] };
  });
  const pool = await createUserDataPool(scenario, 'pool', {
    profile: 'ubuntu-24.04',
    config,
    replicas: 0,
  });
  await cloud.addFault({ operation: 'create', kind: 'throttle' });
  await cluster.scale(pool, 3);
  const tokens = await eventually('each has its token', async () => {
    const found = await tokensOf(scenario, await machinesOf(scenario, pool));
    expect(found).toHaveLength(3);
    return found;
  });
  for (const token of tokens) expect(await answerTo(token)).toBe('welcome');
  await cloud.clearFaults();
  const machines = await untilRunning(scenario, pool, 3);
  await expectJoined(machines);
  // The API server remembers for 10 s whom it let in.
  await eventually('their tokens are refused', async () => {
    for (const token of tokens) expect(await answerTo(token)).toContain('401');
  });
  const origins = machines.map(({ metadata }) => metadata.annotations?.[annotations.userData]);
  expect(new Set(origins).size).toBe(1);
  expect(origins[0]).toMatch(/^ubuntu-24\.04@[\d.]+ sha256:[0-9a-f]{16}$/);
  const [name = ''] = names(machines);
  const { metadata, spec } = await cluster.kube.get<NodeObject>(nodePath(name));
  expect(metadata.labels).toMatchObject({ rack: '7', 'kubernetes.io/hostname': name });
  expect(spec?.taints).toContainEqual({ key: 'gpu', effect: 'PreferNoSchedule' });
});

test('Flatcar joins by Ignition while worker and watcher are killed', async () => {
  const pool = await createUserDataPool(scenario, 'flatcar', {
    profile: 'flatcar',
    config: await stackConfig(scenario),
    replicas: 2,
  });
  await eventually('the first VM is there', async () => {
    expect((await cloud.instances()).some(({ name }) => name.startsWith(pool))).toBe(true);
  });
  await operator.kill9('worker');
  await operator.kill9('watcher');
  await expectJoined(await untilRunning(scenario, pool, 2));
});

test('a machine with another CA does not join and says why; its successor does', async () => {
  const { certificate } = await selfSigned({ name: 'another', isAuthority: true });
  const config = await configWith(({ kubernetes }) => {
    kubernetes.caBundle = certificate;
  });
  const pool = await createUserDataPool(scenario, 'repaired', {
    profile: 'ubuntu-24.04',
    config,
    replicas: 1,
  });
  const output = await eventually('its console says why', async () => {
    const instance = (await cloud.instances()).find(({ name }) => name.startsWith(pool));
    const text = await cloud.console(instance?.id ?? '');
    expect(text).toContain('the bootstrap token gets no client certificate');
    return text;
  });
  expect(output).toMatch(/certificate/);
  const [broken] = await machinesOf(scenario, pool);
  const name = broken?.metadata.name ?? '';
  const [token = ''] = await tokensOf(scenario, broken ? [broken] : []);
  expect(token).not.toBe('');
  expect(output).not.toContain(token.slice(token.indexOf('.')));
  await cluster.kube.patch(namespaced('configmaps', scenario.namespace, 'repaired'), 'merge', {
    data: { 'config.yaml': await stackConfig(scenario) },
  });
  await deleteMachine(scenario, name);
  await expectJoined(await untilRunning(scenario, pool, 1));
  expect(creatorsOf(name)).toEqual([]);
});
