/** deploy/crds-kubermatic and the front's rules of admission, on a real API server. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { manifests } from '../../../deploy/helm/render.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { front, kubermaticAnnotations } from '../../../workflows/api/kubermatic-names.ts';
import { eventually } from '../../support/eventually.ts';
import { ScratchCrds, refusals, type AnyObject, type Schema } from '../support/scratch-crds.ts';
import {
  deploymentOf,
  leastOf,
  machineOf,
  refusedByRule,
  written,
  type Manifest,
} from './kubermatic-objects.ts';

const kubeConfigFile = process.env['MILLWRIGHT_TEST_KUBECONFIG'] ?? '';
if (kubeConfigFile === '') {
  throw new Error('MILLWRIGHT_TEST_KUBECONFIG is not set: see test/e2e/install/crds.test.ts.');
}

function textsIn(folder: string): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return files.map((file) => readFileSync(join(folder, file), 'utf8'));
}

const texts = textsIn(join(repository, 'deploy/crds-kubermatic'));
const install = (change?: (schema: Schema) => Schema) =>
  ScratchCrds.install(kubeConfigFile, change, texts);

function documentsOf<T>(text: string): T[] {
  return parseAllDocuments(text).map((document): T => document.toJS());
}

/** As Kubermatic has it. */
const withoutSchema = (): Schema => ({
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
});

const touch = { metadata: { annotations: { 'example.com/touched': 'yes' } } };
const merge = 'application/merge-patch+json';

class Objects {
  readonly #crds: ScratchCrds;

  constructor(crds: ScratchCrds) {
    this.#crds = crds;
  }

  pathOf({ kind, metadata }: AnyObject): string {
    return `${this.#crds.pathOf(kind)}/${metadata.name}`;
  }

  /** All that is said against a change; empty when it would be stored. */
  async refusalsOf(object: AnyObject, body: object, operation: 'PATCH' | 'PUT' = 'PATCH') {
    const call = { method: operation, path: this.pathOf(object), query: { dryRun: 'All' }, body };
    const contentType = operation === 'PATCH' ? { contentType: merge } : {};
    const lines = await refusals(this.#crds.send({ ...call, ...contentType }));
    return lines.map(withoutPolicy);
  }

  async read(object: AnyObject): Promise<Manifest> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return (await this.#crds.send({ method: 'GET', path: this.pathOf(object) })) as Manifest;
  }

  /** It stays, being deleted. */
  async startDeletion(object: AnyObject): Promise<void> {
    await this.#crds.patch(object, { metadata: { finalizers: ['example.com/held'] } });
    await this.#crds.send({ method: 'DELETE', path: this.pathOf(object) });
  }
}

/** What is said against a new object, without the names of policies. */
async function said(crds: ScratchCrds, object: Manifest): Promise<string[]> {
  return (await crds.refusalsOf(object)).map(withoutPolicy);
}

const withoutPolicy = (line: string) => line.replace(/^.*denied request: /, '');

describe('the CRDs of cluster.k8s.io', () => {
  let crds: ScratchCrds;
  let objects: Objects;
  beforeAll(async () => {
    crds = await install();
    objects = new Objects(crds);
  });
  afterAll(async () => await crds.remove());

  test.each(written)('keep all that is written of a $kind', async (object) => {
    expect(await crds.refusalsOf(object)).toEqual([]);
    await crds.send({
      method: 'POST',
      path: crds.pathOf(object.kind),
      body: { ...object, apiVersion: `${crds.group}/v1alpha1` },
    });
    if (object.kind !== 'Machine') await crds.patch(object, { status: object.status }, 'status');
    const { spec, status } = await objects.read(object);
    expect({ spec, status }).toEqual({ spec: object.spec, status: object.status });
  });

  test('set the defaults of their webhooks, and give no set a machine', async () => {
    const deployment = leastOf('MachineDeployment');
    const set = leastOf('MachineSet');
    for (const object of [deployment, set]) await crds.create(object);
    expect((await objects.read(deployment)).spec).toEqual({
      ...deployment.spec,
      replicas: 1,
      minReadySeconds: 0,
      revisionHistoryLimit: 1,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    expect((await objects.read(set)).spec).toEqual({ ...set.spec, deletePolicy: 'Random' });
  });

  test('scale by the selector of the status', async () => {
    const object = { ...leastOf('MachineDeployment'), metadata: { name: 'scaled' } };
    await crds.create({ ...object, status: { replicas: 1, selector: 'pool=a' } });
    const path = `${objects.pathOf(object)}/scale`;
    const scale = await crds.send({ method: 'GET', path });
    expect(scale).toMatchObject({ spec: { replicas: 1 }, status: { selector: 'pool=a' } });
  });

  test.each(refusedByRule)('refuse $name', async ({ object, fault }) => {
    expect(await crds.refusalsOf(object)).toEqual([fault]);
  });

  test('take the examples, and refuse a misspelt field', async () => {
    const examples = textsIn(join(repository, 'deploy/examples/kubermatic')).flatMap((text) =>
      documentsOf<AnyObject>(text),
    );
    expect(examples.filter(({ kind }) => kind === 'MachineDeployment')).toHaveLength(10);
    for (const object of examples) expect(await crds.refusalsOf(object)).toEqual([]);
    const misspelt = leastOf('MachineDeployment', { replica: 2 });
    await expect(crds.refusalsOf(misspelt)).rejects.toThrow('unknown field "spec.replica"');
  });
});

describe('an object that was stored without a schema', () => {
  let crds: ScratchCrds;
  let objects: Objects;
  const stored = refusedByRule.map((one, index) => ({
    ...one,
    object: { ...one.object, metadata: { name: `stored-${index}` } },
  }));

  beforeAll(async () => {
    crds = await install(withoutSchema);
    objects = new Objects(crds);
    for (const { object } of stored) await crds.create(object);
    await crds.restore();
  });
  afterAll(async () => await crds.remove());

  test.each(stored)('stays writable, also when it is deleted: $name', async ({ object, fault }) => {
    expect(await objects.refusalsOf(object, { ...touch, spec: { minReadySeconds: 7 } })).toEqual(
      [],
    );
    expect(await objects.refusalsOf(object, { spec: { selector: null } })).not.toEqual([]);
    await objects.startDeletion(object);
    await crds.patch(object, touch);
    expect(await crds.refusalsOf({ ...object, metadata: { name: 'anew' } })).toEqual([fault]);
    await crds.patch(object, { metadata: { finalizers: null } });
    await expect(objects.read(object)).rejects.toThrow('not found');
  });
});

interface Policy {
  kind: string;
  metadata: { name: string };
  spec: { matchConstraints?: { namespaceSelector: object }; policyName?: string };
}

/** The policies of deploy/manifests, for the objects of a test. */
class ScratchPolicies {
  readonly #crds: ScratchCrds;

  constructor(crds: ScratchCrds) {
    this.#crds = crds;
  }

  /** `change` is made to their text. */
  async apply(change: (text: string) => string = (text) => text): Promise<void> {
    for (const policy of this.#policies(change)) {
      await this.#crds.send({
        method: 'PATCH',
        path: this.#pathOf(policy),
        query: { fieldManager: 'test', force: 'true' },
        contentType: 'application/apply-patch+yaml',
        body: policy,
      });
    }
  }

  async remove(): Promise<void> {
    for (const policy of this.#policies((text) => text))
      await this.#crds.send({ method: 'DELETE', path: this.#pathOf(policy) });
  }

  #pathOf({ kind, metadata: { name } }: Policy): string {
    const plural = kind.endsWith('Binding')
      ? 'validatingadmissionpolicybindings'
      : 'validatingadmissionpolicies';
    return `/apis/admissionregistration.k8s.io/v1/${plural}/${name}`;
  }

  #policies(change: (text: string) => string): Policy[] {
    const { group } = this.#crds;
    const text = change(readFileSync(join(manifests, 'front.yaml'), 'utf8'))
      .replaceAll('cluster.k8s.io', group)
      .replaceAll('machines.millwright-front', group)
      .replaceAll(
        'kubernetes.io/metadata.name: "machines"',
        'kubernetes.io/metadata.name: default',
      );
    return documentsOf<Policy>(text).filter(
      ({ kind, metadata: { name } }) =>
        kind.startsWith('ValidatingAdmissionPolicy') && !name.endsWith('-secrets'),
    );
  }
}

const user = 'system:serviceaccount:machines:millwright-front';
const bypass = { [kubermaticAnnotations.bypassImmutability]: 'true' };
const value = { cloudProvider: 'hetzner', operatingSystem: 'ubuntu' };
/** Of what a machine is: nothing of it is good. */
const faulty = { versions: { kubelet: 'latest' }, providerSpec: { value: {} } };

const refusedSpecs: readonly { name: string; spec: Schema; fault: string }[] = [
  {
    name: 'no version',
    spec: { versions: {} },
    fault: 'versions.kubelet "" is not allowed; allowed: a version such as 1.34.2',
  },
  {
    name: 'a version that is none',
    spec: { versions: { kubelet: 'latest' } },
    fault: 'versions.kubelet "latest" is not allowed; allowed: a version such as 1.34.2',
  },
  {
    name: 'an unknown system',
    spec: { providerSpec: { value: { ...value, operatingSystem: 'centos' } } },
    fault:
      'providerSpec.value.operatingSystem "centos" is not allowed; allowed: ubuntu, amzn2, rhel, flatcar, rockylinux',
  },
  {
    name: 'no provider',
    spec: { providerSpec: { value: { operatingSystem: 'rhel' } } },
    fault:
      'providerSpec.value.cloudProvider is missing; it names the provider, such as aws or hetzner',
  },
  {
    name: 'a config source',
    spec: { configSource: { configMap: {} } },
    fault:
      'configSource is not allowed, since kubelets take no configuration from the API server any more; remove it',
  },
];

const taints = [{ key: 'a', effect: 'NoSchedule' }];
const providerID = 'hcloud://1';
const labels = { role: 'node' };

/** A change of a Machine that has all of it. */
const immutable: readonly { name: string; spec: Schema }[] = [
  { name: 'the kubelet', spec: { versions: { kubelet: '1.35.0' } } },
  { name: 'what the provider is told', spec: { providerSpec: { value: { caPublicKey: 'x' } } } },
  { name: 'taints', spec: { taints: [] } },
  { name: 'labels of the Node', spec: { metadata: { labels: null } } },
  { name: 'annotations of the Node', spec: { metadata: { annotations: { a: 'b' } } } },
  { name: 'the name, to another', spec: { metadata: { name: 'other' } } },
  { name: 'the providerID, to none', spec: { providerID: null } },
];

const immutableFault = expect.stringMatching(/^spec is immutable; allowed: spec.providerID once, /);

describe('the rules of admission', () => {
  let crds: ScratchCrds;
  let objects: Objects;
  let policies: ScratchPolicies;
  const finalizers = [front.finalizer];
  const fresh = { ...machineOf('fresh'), metadata: { name: 'fresh', finalizers } };
  const full = { providerID, taints, metadata: { name: 'made', labels } };
  const made = { ...machineOf('made', full), metadata: { name: 'made', finalizers } };
  /** Of machine-controller, whose webhook says what may change. */
  const other = machineOf('other', full);
  const bypassed = { ...fresh, metadata: { name: 'bypassed', finalizers, annotations: bypass } };
  const pool = deploymentOf('pool');
  const old = [machineOf('old-machine', faulty), deploymentOf('old-pool', faulty)] as const;

  const isRefused = async (object: Manifest) => (await said(crds, object)).length > 0;

  beforeAll(async () => {
    crds = await install();
    objects = new Objects(crds);
    policies = new ScratchPolicies(crds);
    for (const object of [fresh, made, other, bypassed, pool, ...old]) await crds.create(object);
    await policies.apply();
    for (const newOf of [machineOf, deploymentOf])
      await eventually('the policies are asked', () => isRefused(newOf('never-stored', faulty)));
  });
  afterAll(async () => {
    await policies.remove();
    for (const object of [fresh, made, bypassed])
      await crds.patch(object, { metadata: { finalizers: null } });
    await crds.remove();
  });

  test.each(refusedSpecs)('refuse $name', async ({ spec, fault }) => {
    expect(await said(crds, machineOf('new', spec))).toEqual([`spec.${fault}`]);
    expect(await said(crds, deploymentOf('new', spec))).toEqual([`spec.template.spec.${fault}`]);
  });

  test('refuse a fault that a deployment did not have', async () => {
    const template = { spec: { versions: { kubelet: 'latest' } } };
    expect(await objects.refusalsOf(pool, { spec: { template } })).toEqual([
      `spec.template.spec.${refusedSpecs[1]?.fault}`,
    ]);
    expect(await objects.refusalsOf(pool, { spec: { replicas: 3 } })).toEqual([]);
  });

  test.each(['1.34.2', 'v1.34.2', '1.34', '1.34.2-rc.1+abc'])(
    'take version %s',
    async (kubelet) => {
      expect(await said(crds, machineOf('new', { versions: { kubelet } }))).toEqual([]);
    },
  );

  test.each(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Equals'])(
    'take of a selector what the labels of the template meet: %s',
    async (operator) => {
      const refusalsOf = async (key: string, ...values: string[]) => {
        const selector = { matchExpressions: [{ key, operator, values }] };
        const object = deploymentOf('new');
        return await said(crds, { ...object, spec: { ...object.spec, selector } });
      };
      const isMet = operator === 'In' || operator === 'Exists';
      const fault =
        'spec.selector.matchExpressions must all be met by spec.template.metadata.labels; allowed operators: In, NotIn, Exists, DoesNotExist';
      expect(await refusalsOf('pool', 'b', 'a')).toEqual(isMet ? [] : [fault]);
      const isMetWithout = operator === 'NotIn' || operator === 'DoesNotExist';
      expect(await refusalsOf('other', 'a')).toEqual(isMetWithout ? [] : [fault]);
    },
  );

  test.each(immutable)('keep of a Machine $name', async ({ spec }) => {
    expect(await objects.refusalsOf(made, { spec })).toEqual([immutableFault]);
    const lifted = { spec, metadata: { annotations: bypass } };
    expect(await objects.refusalsOf(made, lifted)).toEqual([]);
    expect(await objects.refusalsOf(other, { spec })).toEqual([]);
  });

  test('let the annotation through that comes with the change, and no later one', async () => {
    const spec = { versions: { kubelet: '1.35.0' } };
    expect(await objects.refusalsOf(bypassed, { spec })).toEqual([immutableFault]);
    const twice = { spec: { providerID: 'hcloud://2' }, metadata: { annotations: bypass } };
    expect(await objects.refusalsOf(made, twice)).toEqual([
      `spec.providerID "hcloud://2" is not allowed; allowed: "${providerID}", for it is written once`,
    ]);
  });

  // As of Go: what is absent comes as an empty value, and the other way round.
  test('let machine-controller write what it writes', async () => {
    const status = { phase: 'Running', addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] };
    for (const [object, change] of [
      [fresh, { metadata: { name: 'fresh', creationTimestamp: null }, providerID, taints: [] }],
      [made, { taints: taints.map((taint) => ({ ...taint, value: '' })) }],
    ] as const) {
      const { spec, ...rest } = await objects.read(object);
      const versions = { controlPlane: '', ...Object(spec?.['versions']) };
      const body = { ...rest, spec: { ...spec, versions, ...change }, status };
      expect(await objects.refusalsOf(object, body, 'PUT')).toEqual([]);
    }
  });

  test.each([0, 1] as const)(
    'leave alone what was stored before, and is deleted: %#',
    async (index) => {
      const object = old[index];
      const paused = object.kind === 'Machine' ? {} : { spec: { paused: true } };
      expect(await objects.refusalsOf(object, { ...touch, ...paused })).toEqual([]);
      await objects.startDeletion(object);
      const spec = { versions: { kubelet: 'newest' } };
      const worse = object.kind === 'Machine' ? { spec } : { spec: { template: { spec } } };
      expect(await objects.refusalsOf(object, worse)).toEqual([]);
      await crds.patch(object, { metadata: { finalizers: null } });
    },
  );

  test('let the front write everything', async () => {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const me = await crds.send({ method: 'POST', path, body: review });
    const own: string = Object(me).status.userInfo.username;
    await policies.apply((text) => text.replaceAll(user, own));
    for (const newOf of [machineOf, deploymentOf])
      await eventually('it may', async () => !(await isRefused(newOf('new', faulty))));
    expect(await objects.refusalsOf(made, { spec: { versions: { kubelet: '1.35.0' } } })).toEqual(
      [],
    );
  });
});
