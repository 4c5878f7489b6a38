/** The examples of deploy/examples/kubermatic, from kubectl to instances in what plays a cloud. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import type { KubeObject } from '../../../kube/client/client.ts';
import type {
  KubermaticMachineDeployment,
  KubermaticProviderConfig,
} from '../../../workflows/api/kubermatic.ts';
import { eventually } from '../../support/eventually.ts';
import { playKubelets } from '../support/cloud-kubelets.ts';
import { startTheirCloud, type TheirCloud } from '../support/clouds/theirs.ts';
import { theirMachinesOf, theirPath, useFrontScenario } from '../support/front.ts';
import { testStack } from '../support/test-stack.ts';

const clouds = new Map<string, TheirCloud>();

// Before the scenario's worker starts, which finds them by its environment.
beforeAll(async () => {
  for (const [name, start] of Object.entries(startTheirCloud)) clouds.set(name, await start());
});
afterAll(async () => {
  await Promise.all([...clouds.values()].map((cloud) => cloud.stop()));
});

const scenario = useFrontScenario('front-clouds', {
  isDoubled: false,
  workerEnv: () => Object.assign({}, ...[...clouds.values()].map(({ env }) => env)),
});
const { cluster, namespace } = scenario;

interface Example extends KubeObject {
  stringData?: Record<string, string>;
  spec?: { template: { spec: { providerSpec: { value: KubermaticProviderConfig } } } };
}

/** With what its reader puts in; `pool`: its name, also as a label of its Machines. */
function exampleOf(name: string, pool: string): Example[] {
  const { credentials, fields = {} } = cloudOf(name);
  const file = new URL(`../../../deploy/examples/kubermatic/${name}.yaml`, import.meta.url);
  const text = readFileSync(file, 'utf8')
    .replaceAll('namespace: machines', `namespace: ${namespace}`)
    .replaceAll(`name: ${name}-pool`, `name: ${pool}`)
    .replaceAll(`{ pool: ${name}-pool }`, `{ name: ${pool} }`);
  const documents = parseAllDocuments(text).map((document): Example => document.toJS());
  for (const { stringData, spec } of documents) {
    if (stringData) replace(stringData, credentials);
    if (spec) replace(spec.template.spec.providerSpec.value.cloudProviderSpec, fields);
  }
  return documents;
}

/** A field that an example lacks is not put in. */
function replace(there: object | undefined, values: object): void {
  expect(Object.keys(there ?? {})).toEqual(expect.arrayContaining(Object.keys(values)));
  Object.assign(there ?? {}, values);
}

function cloudOf(name: string): TheirCloud {
  const cloud = clouds.get(name);
  if (!cloud) throw new Error(`there is no ${name}`);
  return cloud;
}

async function kubectl(args: string[], objects?: Example[]): Promise<void> {
  const file = await preparedBinary('kubectl');
  const { kubeconfig } = testStack().layout;
  const run = promisify(execFile)(file, [`--kubeconfig=${kubeconfig}`, ...args]);
  run.child.stdin?.end(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  await run;
}

const isTrue = (type: string) => expect.objectContaining({ type, status: 'True' });

test.each(Object.keys(startTheirCloud))(
  'the example of %s is a pool whose Machines run, and nothing is left of it',
  async (name) => {
    const cloud = cloudOf(name);
    const { name: pool } = scenario.named(name);
    const path = theirPath(scenario, 'machinedeployments', pool);
    const example = exampleOf(name, pool);
    const kubelets = playKubelets(() => cloud.nodes(), cluster);
    const untilRunning = (count: number): Promise<void> =>
      eventually(`${count} of ${name} run`, async () => {
        const { status } = await cluster.kube.get<KubermaticMachineDeployment>(path);
        expect(status?.conditions).toEqual(
          expect.arrayContaining([isTrue('Served'), isTrue('Translated')]),
        );
        const machines = await theirMachinesOf(scenario, pool);
        const said = machines.map(({ spec, status: now }) => [spec.providerID, now?.phase]);
        const wanted = [expect.stringMatching(cloud.providerID), 'Running'];
        expect(said).toEqual(Array.from({ length: count }, () => wanted));
        const nodes = new Set((await cloud.nodes()).map((node) => node.name));
        expect(new Set(machines.map((one) => one.status?.nodeRef?.name))).toEqual(nodes);
        expect(nodes.size).toBe(count);
      });
    try {
      await kubectl(['apply', '-f', '-'], example);
      await untilRunning(2);
      await cluster.kube.patch(path, 'merge', { spec: { replicas: 1 } });
      await untilRunning(1);
      // Its Secret goes first, as it stands first in the file.
      await kubectl(['delete', '--wait=false', '-f', '-'], example);
      await eventually('nothing is left', async () => {
        expect(await cluster.find(path)).toBeUndefined();
        expect(await cloud.living()).toEqual([]);
      });
    } finally {
      await kubelets.stop();
    }
  },
);
