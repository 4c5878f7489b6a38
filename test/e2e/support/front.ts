/** A scenario with a front, and pools of `cluster.k8s.io` in it. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import { isAlreadyExists } from '../../../kube/client/errors.ts';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import { versions } from '../../../deploy/local/versions.ts';
import type {
  KubermaticDeploymentSpec,
  KubermaticMachine,
  KubermaticMachineDeployment,
  KubermaticMachineTemplate,
  KubermaticProviderConfig,
} from '../../../workflows/api/kubermatic.ts';
import { kubermaticApiVersion } from '../../../workflows/api/kubermatic-names.ts';
import { eventually } from '../../support/eventually.ts';
import { createNamespace, grantFront } from './rights.ts';
import { useScenario, type Scenario, type ScenarioOptions } from './scenario.ts';
import { testStack } from './test-stack.ts';
import { stackConfig } from './user-data.ts';

const definitions = new URL('../../../deploy/crds-kubermatic/', import.meta.url);
const configName = 'cluster';

type TheirKind = 'machines' | 'machinesets' | 'machinedeployments';

/**
 * Pools of theirs go after each test, and with them their machines; with `keepsPools` after the
 * last.
 */
export function useFrontScenario(
  name: string,
  { keepsPools = false, ...options }: ScenarioOptions & { keepsPools?: boolean } = {},
): Scenario {
  const scenario = useScenario(name, {
    ...options,
    frontFlags: [`--user-data-config=${configName}`, ...(options.frontFlags ?? [])],
    grant: prepare,
  });
  const after = keepsPools ? afterAll : afterEach;
  after(() => deleteTheirs(scenario));
  return scenario;
}

async function prepare(scenario: Scenario): Promise<void> {
  const { cluster, namespace } = scenario;
  await applyTheirDefinitions(cluster.kube);
  await createNamespace(cluster.kube, namespace);
  await grantFront(cluster.kube, namespace);
  await cluster.kube.create(namespaced('configmaps', namespace), {
    metadata: { name: configName },
    data: { 'config.yaml': await stackConfig(scenario) },
  });
}

async function applyTheirDefinitions(kube: KubeClient): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const file of readdirSync(definitions)) {
    try {
      await kube.create(path, parse(readFileSync(new URL(file, definitions), 'utf8')));
    } catch (error) {
      // Of another scenario.
      if (!isAlreadyExists(error)) throw error;
    }
  }
  await eventually('their API is served', async () => {
    const { resources } = await kube.get<{ resources: { name: string }[] }>(
      `/apis/${kubermaticApiVersion}`,
    );
    const names = resources.map((resource) => resource.name);
    expect(names).toEqual(
      expect.arrayContaining(['machines', 'machinesets', 'machinedeployments/scale']),
    );
  });
}

export function theirPath({ namespace }: Scenario, kind: TheirKind, name?: string): string {
  const path = `/apis/${kubermaticApiVersion}/namespaces/${namespace}/${kind}`;
  return name === undefined ? path : `${path}/${name}`;
}

async function deleteTheirs(scenario: Scenario): Promise<void> {
  const { cluster } = scenario;
  const path = theirPath(scenario, 'machinedeployments');
  for (const { metadata } of await cluster.list<KubeObject>(path)) {
    await ignoreNotFound(cluster.kube.delete(`${path}/${metadata.name}`));
  }
  await eventually('nothing of theirs is left', async () => {
    const kinds: TheirKind[] = ['machinedeployments', 'machinesets', 'machines'];
    const left = await Promise.all(
      kinds.map((kind) => cluster.list<KubeObject>(theirPath(scenario, kind))),
    );
    expect(left.flat().map(({ metadata }) => metadata.name)).toEqual([]);
  });
}

export interface TheirPool extends Partial<Omit<KubermaticDeploymentSpec, 'template'>> {
  annotations?: Record<string, string>;
  /** Labels and taints of its Nodes. */
  node?: Pick<KubermaticMachineTemplate['spec'], 'metadata' | 'taints'>;
  /** Default machine-controller's provider for tests, which is the virtual cloud here. */
  cloud?: Pick<KubermaticProviderConfig, 'cloudProvider' | 'cloudProviderSpec'>;
}

const virtual = { cloudProvider: 'fake', cloudProviderSpec: { passValidation: true } };

/** Returns its name. */
export async function createTheirPool(
  scenario: Scenario,
  short: string,
  { annotations, node, cloud = virtual, ...spec }: TheirPool = {},
): Promise<string> {
  const { namespace, name } = scenario.named(short);
  const labels = { name };
  const value = {
    ...cloud,
    operatingSystem: 'ubuntu',
    operatingSystemSpec: { distUpgradeOnBoot: false },
    sshPublicKeys: [],
  };
  const versionsOf = { kubelet: versions.kubernetes };
  const pool: Partial<KubermaticMachineDeployment> = {
    apiVersion: kubermaticApiVersion,
    kind: 'MachineDeployment',
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      ...spec,
      template: {
        metadata: { labels },
        spec: { ...node, versions: versionsOf, providerSpec: { value } },
      },
    },
  };
  const metadata = { namespace, name, annotations };
  await scenario.cluster.kube.create(theirPath(scenario, 'machinedeployments'), {
    ...pool,
    metadata,
  });
  return name;
}

/** Those of a pool: their names begin with its name. */
export async function theirMachinesOf(
  scenario: Scenario,
  pool: string,
): Promise<KubermaticMachine[]> {
  const all = await scenario.cluster.list<KubermaticMachine>(theirPath(scenario, 'machines'));
  return all.filter(({ metadata }) => metadata.name.startsWith(`${pool}-`));
}

/** As a person, in the namespace of the scenario. Returns what it printed. */
export async function kubectl(
  { namespace }: Pick<Scenario, 'namespace'>,
  words: readonly string[],
  input = '',
): Promise<string> {
  const { kubeconfig } = testStack().stack;
  const args = [`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`, ...words];
  const running = promisify(execFile)(await preparedBinary('kubectl'), args);
  running.child.stdin?.end(input);
  return (await running).stdout;
}

/** So many of theirs are Running, and no others exist. Returns them, the oldest first. */
export async function untilTheirsRun(
  scenario: Scenario,
  pool: string,
  count: number,
): Promise<KubermaticMachine[]> {
  return await eventually(`${count} Machines of ${pool} are Running on their side`, async () => {
    const machines = await theirMachinesOf(scenario, pool);
    const words = machines.map(({ metadata, status }) =>
      [status?.phase, status?.nodeRef?.uid !== undefined, metadata.deletionTimestamp].join(),
    );
    expect(words).toEqual(Array.from({ length: count }, () => 'Running,true,'));
    return machines.toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1));
  });
}

const ageOf = ({ metadata: { creationTimestamp, name } }: KubermaticMachine): string =>
  `${creationTimestamp} ${name}`;
