/**
 * What is wrong with the user data that a MachineClass asks for is said on it, and its machines go
 * on once that is mended; what operating-system-manager made is taken when it is of its revision.
 */
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { KubeObject } from '../../../kube/client/client.ts';
import { isAlreadyExists } from '../../../kube/client/errors.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import { bindingOf, type Role } from '../../../deploy/local/cluster/rights.ts';
import { annotations, apiVersion } from '../../../workflows/api/constants.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteMachine,
  machinesOf,
  timeOutOnceBooted,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { untilEvent } from '../support/events.ts';
import { deploymentManifest } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';

const scenario = useScenario('user-data-class');
const { cluster, cloud, namespace } = scenario;

interface KubeConfigFile {
  clusters: { cluster: { server: string; 'certificate-authority-data': string } }[];
}

function poolConfig(kubernetes: object = {}): string {
  const file: KubeConfigFile = parse(readFileSync(testStack().layout.kubeconfig, 'utf8'));
  const [{ cluster: place } = { cluster: undefined }] = file.clusters;
  const authority = place?.['certificate-authority-data'] ?? '';
  return stringify({
    kubernetes: {
      version: '1.34.2',
      apiServer: place?.server,
      caBundle: Buffer.from(authority, 'base64').toString(),
      clusterDNS: ['10.96.0.10'],
      ...kubernetes,
    },
  });
}

async function createConfig(name: string, data: Record<string, string>): Promise<void> {
  await cluster.kube.create(namespaced('configmaps', namespace), { metadata: { name }, data });
}

async function changeConfig(name: string, data: Record<string, string>): Promise<void> {
  await cluster.kube.patch(namespaced('configmaps', namespace, name), 'merge', { data });
}

async function createClass(short: string, notes: Record<string, string>): Promise<string> {
  const { name } = scenario.named(short);
  await cluster.create('machineclasses', {
    apiVersion,
    kind: 'MachineClass',
    metadata: { name, namespace, annotations: notes },
    provider: 'virtual',
    providerSpec: {},
  });
  return name;
}

async function untilItSays(name: string, words: unknown): Promise<void> {
  await eventually(`the annotation of MachineClass ${name}`, async () => {
    const found = await cluster.kube.get<MachineClass>(cluster.pathOf('machineclasses', name));
    expect(found.metadata.annotations?.[annotations.invalid]).toEqual(words);
  });
}

const classOf = (name: string) => ({ class: { kind: 'MachineClass', name } });
const { userData, userDataConfig } = annotations;

test('each fault is a line, until the ConfigMap is mended, and then the machine comes up', async () => {
  const name = await createClass('bad', {
    [userData]: 'ubuntu-24.05',
    [userDataConfig]: 'bad',
  });
  const unknown = `${userData}: "ubuntu-24.05" is not known: did you mean "ubuntu-24.04"?`;
  const missing = `${userDataConfig}: "bad": ConfigMap "bad" does not exist in namespace ${namespace}`;
  await untilItSays(name, `${unknown}\n${missing}`);
  const machine = await createMachine(scenario, 'bad', classOf(name));
  const refused = await untilPhase(scenario, machine, 'CrashLoopBackOff');
  expect(refused.status?.lastOperation).toMatchObject({
    errorCode: 'InvalidArgument',
    description: expect.stringContaining(missing),
  });
  await createConfig('bad', { 'config.yaml': poolConfig({ version: 'v1.34' }) });
  const wrong = /^ConfigMap bad, config\.yaml:2: kubernetes\.version: "v1\.34"/;
  await untilItSays(name, expect.stringMatching(new RegExp(wrong.source, 'm')));
  const notes = { annotations: { [userData]: 'ubuntu-24.04' } };
  await cluster.patch('machineclasses', name, { metadata: notes });
  await untilItSays(name, expect.stringMatching(wrong));
  expect((await cloud.calls()).operations).toEqual({});

  await changeConfig('bad', { 'config.yaml': poolConfig() });
  await untilItSays(name, undefined);
  const running = await untilPhase(scenario, machine, 'Running');
  expect(running.metadata.annotations?.[userData]).toMatch(/^ubuntu-24\.04@\S+ sha256:/);
  await deleteMachine(scenario, machine);
});

test('a Secret that the config names is waited for, and its content is nowhere else', async () => {
  const canary = 'canary-5 of a license';
  const forms = [canary, Buffer.from(canary).toString('base64')];
  const files = [{ path: '/etc/license', secret: { name: 'license', key: 'key' } }];
  await createConfig('files', { 'config.yaml': `${poolConfig()}${stringify({ files })}` });
  const name = await createClass('files', {
    [userData]: 'ubuntu-24.04',
    [userDataConfig]: 'files',
  });
  const missing = 'config.yaml: files[0].secret: Secret "license" does not exist in namespace';
  await untilItSays(name, `${missing} ${namespace}`);
  const secret = { metadata: { name: 'license' }, stringData: { key: canary } };
  await cluster.kube.create(namespaced('secrets', namespace), secret);
  await untilItSays(name, undefined);

  const message = `no room for ${forms.join(', ')}`;
  await cloud.addFault({ operation: 'create', kind: 'error', message, times: 1 });
  const lastWords = 'that is all';
  await cloud.addFault({ kind: 'neverJoin', console: `${forms.join('\n')}\n${lastWords}` });
  const machine = await createMachine(scenario, 'files', classOf(name));
  await untilEvent(scenario, { kind: 'Machine', name: machine }, { reason: 'FailedCreate' });
  await timeOutOnceBooted(scenario, machine);
  await untilPhase(scenario, machine, 'Failed');
  const places = [
    JSON.stringify(await cluster.machine(machine)),
    JSON.stringify(await cluster.events('Machine', machine)),
    await scenario.workflows.allHistories(),
  ];
  expect(places[0]).toContain(lastWords);
  expect(places[1]).toContain('no room for [redacted]');
  expect(places.map((text) => forms.filter((form) => text.includes(form)))).toEqual([[], [], []]);
  await deleteMachine(scenario, machine);
});

test('a ConfigMap that changes while the answer to a create is lost makes no second instance', async () => {
  await createConfig('lost', { 'config.yaml': poolConfig() });
  const name = await createClass('lost', { [userData]: 'ubuntu-24.04', [userDataConfig]: 'lost' });
  await cloud.addFault({ operation: 'create', kind: 'loseAnswer', seconds: 3, times: 1 });
  const machine = await createMachine(scenario, 'lost', classOf(name));
  await eventually('its instance is there', async () => {
    expect((await cloud.instances()).map((one) => one.name)).toContain(machine);
  });
  await changeConfig('lost', { 'config.yaml': poolConfig({ clusterDomain: 'other.local' }) });
  await untilPhase(scenario, machine, 'Running');
  const { machinesPerToken, createsPerName } = await cloud.calls();
  expect([machinesPerToken.max, createsPerName[machine]]).toEqual([1, 1]);
  await deleteMachine(scenario, machine);
});

async function unlessThere(path: string, object: object): Promise<void> {
  try {
    await cluster.kube.create(path, object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

describe('what operating-system-manager made', () => {
  const place = 'cloud-init-settings';
  const revision = 'k8c.io/machine-deployment-revision';

  /** As the chart grants it with `userData.operatingSystemManager`. */
  async function grant(): Promise<void> {
    const role: Role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'cloud-init-driver', namespace: place },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
    };
    const rbac = `/apis/${role.apiVersion}/namespaces/${place}`;
    await unlessThere('/api/v1/namespaces', { metadata: { name: place } });
    await unlessThere(`${rbac}/roles`, role);
    await unlessThere(`${rbac}/rolebindings`, bindingOf(role, ['millwright-worker']));
  }

  test('is waited for, and taken once it is of the revision of the deployment', async () => {
    await grant();
    const { name: deployment } = scenario.named('osm');
    const secret = `${deployment}-${namespace}-bootstrap-config`;
    const source = `Secret/${place}/${secret}`;
    const name = await createClass('osm', { [userData]: source });
    const { spec }: { spec: { template: { spec: object } } } = JSON.parse(
      JSON.stringify(deploymentManifest(scenario.named('osm'))),
    );
    const template = { ...spec.template, spec: { ...spec.template.spec, ...classOf(name) } };
    await createDeployment(scenario, 'osm', { ...spec, replicas: 1, template });

    async function untilItWaits(words: string): Promise<void> {
      await eventually(`it waits: ${words}`, async () => {
        const [machine] = await machinesOf(scenario, deployment);
        expect(machine?.status?.lastOperation).toMatchObject({
          errorCode: 'Unavailable',
          description: expect.stringContaining(words),
        });
      });
    }

    await untilItWaits(`Secret "${secret}" in namespace ${place} does not exist`);
    const path = namespaced('secrets', place);
    await cluster.kube.create<KubeObject>(path, {
      metadata: { name: secret, annotations: { [revision]: '0' } },
      stringData: { 'cloud-config': '#cloud-config\nhostname: <MACHINE_NAME>\n' },
    });
    await untilItWaits('was made for revision "0" of the MachineDeployment, which has "1"');
    expect((await cloud.instances()).filter((one) => one.name.startsWith(deployment))).toEqual([]);
    const metadata = { annotations: { [revision]: '1' } };
    await cluster.kube.patch(`${path}/${secret}`, 'merge', { metadata });
    await untilRunning(scenario, deployment, 1);
    await cluster.delete(`${path}/${secret}`);
  });
});
