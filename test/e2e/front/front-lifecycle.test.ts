/**
 * A pool of `cluster.k8s.io` as a person keeps it, with kubectl through the old kinds: from the
 * example's first apply to its last trace. The virtual cloud says how many machines there were.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { KubeObject } from '../../../kube/client/client.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import type {
  KubermaticDeploymentSpec,
  KubermaticMachine,
  KubermaticMachineDeployment,
  KubermaticMachineSet,
} from '../../../workflows/api/kubermatic.ts';
import { front, kubermaticAnnotations } from '../../../workflows/api/kubermatic-names.ts';
import { eventually } from '../../support/eventually.ts';
import { requestsBelow } from '../support/audit.ts';
import { kubectl, theirPath, untilTheirsRun, useFrontScenario } from '../support/front.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';

const example = new URL('../../../deploy/examples/kubermatic/fake.yaml', import.meta.url);
const { revision, deleteMachine: goesFirst } = kubermaticAnnotations;
const mds = 'machinedeployments.cluster.k8s.io';
const sets = 'machinesets.cluster.k8s.io';
const machineKind = 'machines.cluster.k8s.io';

describe('a MachineDeployment of cluster.k8s.io', () => {
  const scenario = useFrontScenario('front-life', { isDoubled: false, keepsPools: true });
  const { cluster, cloud, namespace } = scenario;
  const { name: pool } = scenario.named('fake-pool');
  let markers = 0;

  const run = (...words: string[]) => kubectl(scenario, words);
  const apply = (text: string) => kubectl(scenario, ['apply', '--filename=-'], text);
  const patch = (kind: string, name: string, body: object) =>
    run('patch', kind, name, '--type=merge', `--patch=${JSON.stringify(body)}`);
  const tableOf = async (kind: string) => (await run('get', kind)).trim().split('\n').map(cells);
  const labelNodes = (version: string) =>
    patch(mds, pool, {
      spec: { template: { spec: { metadata: { labels: { version } } } } },
    });
  const deployment = () =>
    cluster.kube.get<KubermaticMachineDeployment>(theirPath(scenario, 'machinedeployments', pool));
  const theirSets = () => cluster.list<KubermaticMachineSet>(theirPath(scenario, 'machinesets'));
  const theirMachines = () => cluster.list<KubermaticMachine>(theirPath(scenario, 'machines'));
  const running = (count: number) => untilTheirsRun(scenario, pool, count);
  const manifest = () => readFileSync(example, 'utf8').replaceAll('fake-pool', pool);

  async function conditionOf(type: string) {
    return (await deployment()).status?.conditions?.find((one) => one.type === type);
  }

  /** Something unrelated lives and dies: what came before it has been seen by then. */
  async function marker(): Promise<void> {
    markers += 1;
    const name = await createMachine(scenario, `marker${markers}`);
    await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
  }

  /** All machines are of the set of the present revision; the others have none. */
  async function untilRolledOut(asked?: string): Promise<KubermaticMachine[]> {
    return await eventually('the present revision has all machines', async () => {
      const { metadata, status } = await deployment();
      const present = metadata.annotations?.[revision];
      expect(present).toBe(asked ?? present);
      expect(status).toMatchObject({ replicas: 2, updatedReplicas: 2, availableReplicas: 2 });
      expect(status?.observedGeneration).toBe(metadata.generation);
      const all = await theirSets();
      const current = all.find((set) => set.metadata.annotations?.[revision] === present);
      const others = all.filter((set) => set !== current);
      expect(others.map(({ spec }) => spec.replicas)).toEqual(others.map(() => 0));
      const machines = await running(2);
      const owners = machines.map((one) => one.metadata.ownerReferences?.map(({ name }) => name));
      expect(owners).toEqual([[current?.metadata.name], [current?.metadata.name]]);
      return machines;
    });
  }

  beforeAll(async () => {
    await apply(manifest());
    await running(2);
  });

  test('of the example has Running machines, which say what machine-controller says', async () => {
    for (const { metadata, spec, status } of await running(2)) {
      const node = (await cluster.nodes()).find((one) => one.metadata.name === metadata.name);
      expect(metadata).toMatchObject({
        labels: { pool },
        finalizers: [front.finalizer],
        ownerReferences: [{ kind: 'MachineSet', controller: true }],
      });
      expect(spec).toMatchObject({
        providerID: node?.spec?.providerID,
        versions: { kubelet: '1.34.2' },
        metadata: { name: metadata.name },
      });
      expect(status).toMatchObject({
        phase: 'Running',
        nodeRef: { kind: 'Node', name: metadata.name, uid: node?.metadata.uid },
        addresses: expect.arrayContaining([{ type: 'Hostname', address: metadata.name }]),
        versions: { kubelet: expect.stringMatching(/^\d+\.\d+\.\d+/) },
        lastOperation: { type: 'Create', state: 'Successful' },
      });
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'True' }),
      );
      expect(status).not.toHaveProperty('errorReason');
      expect(node?.metadata).toMatchObject({
        labels: { 'machine-controller/owned-by': metadata.uid, 'example.com/pool': pool },
        annotations: { [kubermaticAnnotations.nodeMachine]: `${namespace}/${metadata.name}` },
      });
    }
    await untilRolledOut('1');
    const { status } = await deployment();
    expect(status?.selector).toBe(`pool=${pool}`);
    expect(status?.conditions).toMatchObject([
      { type: 'Served', status: 'True' },
      { type: 'Translated', status: 'True' },
    ]);
  });

  test('is shown by kubectl get in the columns that people know', async () => {
    const [head, ...rows] = await tableOf(mds);
    expect(head).toEqual('NAME REPLICAS AVAILABLE-REPLICAS PROVIDER OS KUBELET AGE'.split(' '));
    expect(rows).toEqual([[pool, '2', '2', 'fake', 'ubuntu', '1.34.2', expect.anything()]]);
    const [set] = await theirSets();
    expect((await tableOf(sets))[1]?.slice(0, 7)).toEqual([
      set?.metadata.name,
      '2',
      '2',
      'fake',
      'ubuntu',
      pool,
      '1.34.2',
    ]);
    const [machine] = await running(2);
    const shown = (await tableOf(machineKind)).find(([name]) => name === machine?.metadata.name);
    const name = machine?.metadata.name;
    const address = machine?.status?.addresses?.[0]?.address;
    expect(shown?.slice(0, 6)).toEqual([name, 'fake', 'ubuntu', name, '1.34.2', address]);
  });

  test.each([
    ['Newest', -1],
    ['Oldest', 0],
  ])('is scaled up, and down by delete policy %s of its set', async (policy, place) => {
    const [set] = await theirSets();
    await run('scale', mds, pool, '--replicas=3');
    await running(3);
    // Of ours: two of one second count as of one age.
    const before = (await cluster.machines()).toSorted((a, b) => (bornAt(a) < bornAt(b) ? -1 : 1));
    await patch(sets, set?.metadata.name ?? '', { spec: { deletePolicy: policy } });
    await run('scale', mds, pool, '--replicas=2');
    const left = new Set(namesOf(await running(2)));
    const gone = before.filter(({ metadata }) => !left.has(metadata.name));
    expect(gone.map(bornAt)).toEqual(before.map(bornAt).slice(place).slice(0, 1));
    await patch(sets, set?.metadata.name ?? '', { spec: { deletePolicy: 'Random' } });
  });

  test('loses the machine that was marked, however young', async () => {
    await run('scale', mds, pool, '--replicas=3');
    const [, chosen, ...others] = await running(3);
    await run('annotate', machineKind, chosen?.metadata.name ?? '', `${goesFirst}=true`);
    await run('scale', mds, pool, '--replicas=2');
    const left = new Set(namesOf(await running(2)));
    expect(left.has(chosen?.metadata.name ?? '')).toBe(false);
    expect(left.has(others[0]?.metadata.name ?? '')).toBe(true);
  });

  test('rolls out another template, back by revision, and forth by the template', async () => {
    const before = namesOf(await running(2));
    await labelNodes('two');
    const second = namesOf(await untilRolledOut('2'));
    expect(second.filter((name) => before.includes(name))).toEqual([]);
    expect((await theirSets()).map(({ spec }) => `${spec.replicas}`).toSorted()).toEqual([
      '0',
      '2',
    ]);

    await run('annotate', mds, pool, `${front.rollbackTo}=1`);
    await untilRolledOut('3');
    const { metadata, spec } = await deployment();
    expect(metadata.annotations).not.toHaveProperty([front.rollbackTo]);
    expect(spec.template.spec.metadata?.labels).toEqual({ 'example.com/pool': pool });
    await run('annotate', mds, pool, `${front.rollbackTo}=17`);
    await eventually('the revision is not known', async () => {
      const { message } = (await conditionOf('RolledBack')) ?? {};
      expect(message).toBe(`${front.rollbackTo}: revision "17" is not known; there are: 1, 2, 3`);
    });

    await labelNodes('two');
    await untilRolledOut('4');
    expect(await conditionOf('RolledBack')).toBeUndefined();
    expect(await theirSets()).toHaveLength(2);
  });

  test('makes nothing of a change while it is paused, and all of it after', async () => {
    const before = namesOf(await running(2));
    await patch(mds, pool, { spec: { paused: true } });
    await labelNodes('three');
    await eventually('our side has it', async () => {
      const { spec, status, metadata } = await cluster.deployment(pool);
      expect(spec).toMatchObject({
        paused: true,
        template: { spec: { nodeTemplate: { metadata: { labels: { version: 'three' } } } } },
      });
      expect(status?.observedGeneration).toBe(metadata.generation);
    });
    await marker();
    expect(namesOf(await running(2))).toEqual(before);
    // Scaling goes on, as with them.
    await run('scale', mds, pool, '--replicas=3');
    expect(namesOf(await running(3))).toEqual(expect.arrayContaining(before));
    await run('scale', mds, pool, '--replicas=2');
    await running(2);
    await patch(mds, pool, { spec: { paused: null } });
    await untilRolledOut('5');
  });

  test('replaces a Machine that is deleted, and its VM and its Node are gone', async () => {
    const [first, second] = await running(2);
    const name = first?.metadata.name ?? '';
    await run('delete', machineKind, name);
    expect((await cluster.nodes()).map(({ metadata }) => metadata.name)).not.toContain(name);
    expect((await cloud.instances()).map((one) => one.name)).not.toContain(name);
    expect(namesOf(await running(2))).toContain(second?.metadata.name);
  });

  test('replaces a MachineSet that is deleted, with its machines', async () => {
    const before = namesOf(await running(2));
    const set = await currentSet();
    await run('delete', sets, set.metadata.name);
    await eventually('the next set has all machines', async () => {
      const after = namesOf(await untilRolledOut());
      expect(after.filter((name) => before.includes(name))).toEqual([]);
    });
  });

  test('keeps the machines of a set that lets them go, until they are deleted', async () => {
    const before = namesOf(await running(2));
    const set = await currentSet();
    await run('delete', sets, set.metadata.name, '--cascade=orphan');
    await eventually('the next set has machines of its own', async () => {
      const ofNext = await running(4);
      expect(namesOf(ofNext)).toEqual(expect.arrayContaining(before));
      expect((await deployment()).status).toMatchObject({ replicas: 2, availableReplicas: 2 });
    });
    await run('delete', machineKind, ...before);
    expect((await cloud.instances()).filter((one) => before.includes(one.name))).toEqual([]);
    await untilRolledOut();
  });

  async function currentSet(): Promise<KubermaticMachineSet> {
    const set = (await theirSets()).find(({ spec }) => spec.replicas === 2);
    if (!set) throw new Error('no set has two machines');
    return set;
  }

  const secretKeyRef = { namespace, name: 'nowhere', key: 'token' };
  test.each([
    [
      { cloudProvider: 'hetzer' },
      'spec.template.spec.providerSpec.value.cloudProvider "hetzer" cannot be translated: did you mean "hetzner"?',
    ],
    [
      { cloudProviderSpec: { passValidaton: true } },
      'cloudProviderSpec.passValidaton is not known: did you mean "passValidation"?',
    ],
    [
      {
        cloudProvider: 'hetzner',
        cloudProviderSpec: {
          token: { secretKeyRef },
          serverType: 'cx22',
          location: 'fsn1',
          passValidation: null,
        },
      },
      `cloudProviderSpec.token.secretKeyRef: Secret ${namespace}/nowhere does not exist`,
    ],
  ])('keeps its machines while a template is faulty: %j', async (value, fault) => {
    const before = namesOf(await running(2));
    const { template } = (await deployment()).spec;
    await patch(mds, pool, { spec: { template: { spec: { providerSpec: { value } } } } });
    await eventually('the fault is said', async () => {
      const condition = await conditionOf('Translated');
      expect(condition).toMatchObject({ status: 'False', reason: 'CannotBeSaid' });
      expect(condition?.message.split('\n')).toContain(fault);
    });
    // What has no fault goes on.
    await run('scale', mds, pool, '--replicas=3');
    expect(namesOf(await running(3))).toEqual(expect.arrayContaining(before));
    const repair = [
      { op: 'replace', path: '/spec/template', value: template },
      { op: 'replace', path: '/spec/replicas', value: 2 },
    ];
    await run('patch', mds, pool, '--type=json', `--patch=${JSON.stringify(repair)}`);
    await eventually('the fault is gone', async () => {
      expect(await conditionOf('Translated')).toMatchObject({ status: 'True', message: '' });
    });
    await untilRolledOut();
  });

  test('writes a changed credential into our Secret, and rolls nothing', async () => {
    const source = namespaced('secrets', namespace);
    await cluster.kube.create(source, {
      metadata: { name: 'cloud' },
      stringData: { token: 'one' },
    });
    const { name } = scenario.named('paid');
    const ref = { secretKeyRef: { namespace, name: 'cloud', key: 'token' } };
    const value = {
      cloudProvider: 'hetzner',
      cloudProviderSpec: { token: ref, serverType: 'cx22', location: 'fsn1' },
    };
    const text = manifest().replaceAll(pool, name).replace('replicas: 2', 'replicas: 0');
    const object: { spec: KubermaticDeploymentSpec } = parse(text);
    Object.assign(object.spec.template.spec.providerSpec.value ?? {}, value);
    await apply(JSON.stringify(object));
    const tokensOf = async () => {
      const query = { labelSelector: `${front.pool}=${name}` };
      const found = await cluster.list<KubeObject & { data: Record<string, string> }>(
        source,
        query,
      );
      return found.map(({ metadata, data }) => ({
        name: metadata.name,
        values: Object.values(data).map((one) => Buffer.from(one, 'base64').toString()),
      }));
    };
    const [before] = await eventually('our Secret has the token', async () => {
      const all = await tokensOf();
      expect(all.map(({ values }) => values.includes('one'))).toEqual([true]);
      return all;
    });
    const token = Buffer.from('two').toString('base64');
    await cluster.kube.patch(`${source}/cloud`, 'merge', { data: { token } });
    // Secrets are not watched: a change of the pool makes it look at once.
    await run('annotate', mds, name, 'example.com/touched=yes');
    await eventually('our Secret has the next token', async () => {
      const all = await tokensOf();
      expect(all.map(({ values }) => values.includes('two'))).toEqual([true]);
      expect(all[0]?.name).toBe(before?.name);
    });
    await run('delete', mds, name);
    await eventually('our Secret is gone', async () => expect(await tokensOf()).toEqual([]));
  });

  test('puts back what a person changes on our side, and says where to change it', async () => {
    const ours = 'machinedeployments.machine.sapcloud.io';
    await patch(ours, pool, { spec: { paused: true, replicas: 5, minReadySeconds: 3_600 } });
    await eventually('it is as theirs is', async () => {
      const { spec } = await cluster.deployment(pool);
      expect(spec).toMatchObject({ replicas: 2 });
      expect(spec).not.toHaveProperty('paused');
      expect(spec).not.toHaveProperty('minReadySeconds');
    });
    expect((await conditionOf('Served'))?.message).toBe(
      `mirrored by MachineDeployment.machine.sapcloud.io ${pool}; change this one, not that`,
    );
    await untilRolledOut();
  });

  test('has nothing happen to it without a front, and takes it up when one comes', async () => {
    await scenario.operator.retire('front');
    await run('scale', mds, pool, '--replicas=3');
    await labelNodes('four');
    const before = await cluster.deployment(pool);
    await marker();
    expect(await cluster.deployment(pool)).toEqual(before);
    scenario.operator.startAgain('front');
    await run('scale', mds, pool, '--replicas=2');
    await eventually('the Nodes have the label', async () => {
      await untilRolledOut();
      const labels = (await cluster.nodes()).map(({ metadata }) => metadata.labels?.['version']);
      expect(labels).toEqual(['four', 'four']);
    });
    const core = ['millwright-watcher', 'millwright-worker'];
    const touched = await requestsBelow('/apis/cluster.k8s.io', core);
    expect(touched).toEqual([]);
  });

  test('is let go with its machines, and taken up again by another of its name', async () => {
    const before = namesOf(await running(2));
    const { template } = (await deployment()).spec;
    await run('delete', mds, pool, '--cascade=orphan');
    expect(namesOf(await theirMachines())).toEqual(before);
    expect(namesOf(await cluster.machines())).toEqual(before);
    const object: { spec: KubermaticDeploymentSpec } = parse(manifest());
    await apply(JSON.stringify({ ...object, spec: { ...object.spec, template } }));
    await eventually('they are served again', async () => {
      expect(namesOf(await running(2))).toEqual(before);
      expect((await deployment()).status).toMatchObject({ replicas: 2, availableReplicas: 2 });
      const held = [...(await theirMachines()), ...(await theirSets())];
      const marks = held.map((one) => one.metadata.finalizers);
      expect(marks).toEqual(held.map(() => [front.finalizer]));
    });
  });

  test('is deleted, and leaves nothing', async () => {
    await run('delete', mds, pool);
    expect(await cloud.instances()).toEqual([]);
    const query = { labelSelector: front.pool };
    const left = [
      ...(await theirMachines()),
      ...(await theirSets()),
      ...(await cluster.machines()),
      ...(await cluster.sets()),
      ...(await cluster.deployments()),
      ...(await cluster.list<KubeObject>(namespaced('configmaps', namespace), query)),
    ];
    expect(namesOf(left)).toEqual([]);
    await eventually('the core has let classes and Secrets go', async () => {
      const kept = [
        ...(await cluster.list<KubeObject>(cluster.pathOf('machineclasses'), query)),
        ...(await cluster.list<KubeObject>(namespaced('secrets', namespace), query)),
      ];
      expect(namesOf(kept)).toEqual([]);
    });
    const { createsPerName } = await cloud.calls();
    expect(Object.values(createsPerName).filter((count) => count !== 1)).toEqual([]);
    await eventually('the workflow of the mirror has ended', async () => {
      expect(await scenario.workflows.running('WorkflowType="front"')).toEqual([]);
    });
  });
});

/** Of one line of a table of kubectl. */
const cells = (line: string): string[] => line.split(/\s+/);

const namesOf = (objects: readonly KubeObject[]) =>
  objects.map(({ metadata }) => metadata.name).toSorted();

const bornAt = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';
