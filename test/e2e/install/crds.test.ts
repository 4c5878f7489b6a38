/** The CRDs on a real API server, as `kubectl apply` meets them. */
import { readdir, readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { accepted, longNamed, refused } from '../../workflows/api/manifests.ts';
import { acceptedPolicies, refusedPolicies } from '../../workflows/api/policy-manifests.ts';
import { ScratchCrds, refusals } from '../support/scratch-crds.ts';
import type { AnyObject, Schema } from '../support/scratch-crds.ts';

const kubeConfigFile = process.env['MILLWRIGHT_TEST_KUBECONFIG'] ?? '';
if (kubeConfigFile === '') {
  throw new Error(
    'MILLWRIGHT_TEST_KUBECONFIG is not set: name the kubeconfig of a Kubernetes administrator, e.g. .millwright/kubeconfig.',
  );
}

describe('a new object', () => {
  let crds: ScratchCrds;

  beforeAll(async () => {
    crds = await ScratchCrds.install(kubeConfigFile);
  });
  afterAll(async () => await crds.remove());

  test.each(accepted)('is stored: $name', async ({ object }) => {
    expect(await crds.refusalsOf(object)).toEqual([]);
  });

  test.each(refused)('is refused: $name', async ({ object, faults }) => {
    expect(await crds.refusalsOf(object)).toEqual(faults.toSorted());
  });

  test.each(acceptedPolicies)('is stored: $name', async ({ object }) => {
    expect(await crds.refusalsOf(object)).toEqual([]);
  });

  test.each(refusedPolicies)('is refused: $name', async ({ object, faults }) => {
    expect(await crds.refusalsOf(object)).toEqual(faults);
  });

  test('is refused: a machine whose name cannot be a label of its Node', async () => {
    expect(await crds.refusalsOf(longNamed.object)).toEqual([longNamed.fault]);
  });

  test('of deploy/examples is stored, with its status', async () => {
    const examples = await examplesOf(new URL('../../../deploy/examples/', import.meta.url));
    expect(examples.length).toBeGreaterThan(6);
    for (const object of examples) expect(await crds.refusalsOf(object)).toEqual([]);
    for (const object of examples.filter(({ status }) => status !== undefined)) {
      await expect(crds.create(object)).resolves.toBeUndefined();
    }
  });
});

describe('kubectl', () => {
  let crds: ScratchCrds;
  let binary: string;

  beforeAll(async () => {
    crds = await ScratchCrds.install(kubeConfigFile);
    binary = await preparedBinary('kubectl');
    for (const object of shown) await crds.create(object);
  });
  afterAll(async () => await crds.remove());

  const kubectl = async (...args: string[]): Promise<string> =>
    await runProgram(binary, [`--kubeconfig=${kubeConfigFile}`, '--namespace=default', ...args]);
  const get = async (plural: string, ...args: string[]): Promise<string> =>
    await kubectl('get', `${plural}.${crds.group}`, ...args);

  test.each([
    [
      'machineclasses',
      /^NAME +PROVIDER +AGE +SECRET +INVALID\nlarge +AWS +\S+ +keys +no machineType/,
    ],
    [
      'machines',
      /^NAME .*NODE +PROVIDERID +CLASS +OPERATION +STATE +REASON\nbroken .* aws:\/\/\/a\/i-1 +large +Create +Failed +no quota/,
    ],
    ['machinesets', / CLASS +RECONCILING +STALLED\nbroken .* large +ScalingUp/],
    ['machinedeployments', / CLASS +RECONCILING +STALLED\nbroken .* large +no quota/],
    [
      'disruptionpolicies',
      /^NAME +OPEN +UNTIL +GOING +WAITING +AGE +ACCEPTED +MESSAGE\nweekend +false +2026-12-05T01:00:00Z +1 +3 +\S+ +True +waits for its window/,
    ],
  ])('shows with -o wide what %s are made of and what holds them up', async (plural, expected) => {
    expect(await get(plural, '-o', 'wide')).toMatch(expected);
  });

  test.each([
    ['machines', 'status.currentStatus.phase=Failed'],
    ['machines', 'status.lastOperation.state=Failed'],
    ['machines', 'spec.class.name=large'],
    ['machines', 'spec.providerID=aws:///a/i-1'],
    ['machinesets', 'spec.template.spec.class.name=large'],
    ['machinedeployments', 'spec.template.spec.class.name=large'],
    ['machineclasses', 'provider=AWS'],
  ])('finds %s by %s', async (plural, selector) => {
    const all = await get(plural, '-o', 'name');
    const found = await get(plural, '-o', 'name', '--field-selector', selector);
    const others = await get(plural, '-o', 'name', '--field-selector', selector.replace('=', '!='));
    expect(found.trim().split('\n')).toHaveLength(1);
    expect(`${found}${others}`.trim().split('\n').toSorted()).toEqual(
      all.trim().split('\n').toSorted(),
    );
  });

  test('finds all kinds under one name', async () => {
    const named = await kubectl('api-resources', '--categories=millwright', '-o', 'name');
    const ofTest = named.split('\n').filter((name) => name.endsWith(crds.group));
    expect(ofTest.toSorted()).toEqual(
      ['disruptionpolicies', 'machineclasses', 'machinedeployments', 'machines', 'machinesets'].map(
        (plural) => `${plural}.${crds.group}`,
      ),
    );
  });
});

describe('an object that is older than the rules', () => {
  let crds: ScratchCrds;
  // What the plain schema and the scale subresource refuse was never stored, not with MCM's CRDs
  // either.
  const stored = refused
    .filter(({ faults }) => !faults.some((fault) => /Required value$|spec.replicas/.test(fault)))
    .map(({ name, object, faults }, index) => ({
      name,
      faults,
      object: { ...object, metadata: { name: `stored-${index}` } },
    }));

  beforeAll(async () => {
    crds = await ScratchCrds.install(kubeConfigFile, withoutRules);
    for (const { object } of stored) await crds.create(object);
    await crds.restore();
  });
  afterAll(async () => await crds.remove());

  test.each(stored)('stays writable: $name', async ({ object }) => {
    const metadata = { annotations: { 'example.com/touched': 'yes' } };
    expect(await refusals(crds.patch(object, { metadata }))).toEqual([]);
    expect(await refusals(crds.patch(object, { metadata, ...otherFieldOf(object) }))).toEqual([]);
  });

  test.each(stored)('cannot be made anew: $name', async ({ object, faults }) => {
    expect(await crds.refusalsOf({ ...object, metadata: { name: 'anew' } })).toEqual(
      faults.toSorted(),
    );
  });

  test('cannot get a fault that it did not have', async () => {
    const object = stored.find(({ name }) => name === 'a template without spec')?.object;
    if (!object) throw new Error('no such manifest');
    const worse = { spec: { selector: { matchLabels: { name: 'other' } } } };
    expect(await refusals(crds.patch(object, worse))).toEqual([
      'spec.selector.matchLabels: Invalid value: must all be labels in spec.template.metadata.labels, with the same values',
    ]);
  });
});

const ofLarge = { spec: { class: { kind: 'MachineClass', name: 'large' } } };
const ofPool = {
  replicas: 1,
  selector: { matchLabels: { name: 'pool' } },
  template: { metadata: { labels: { name: 'pool' } }, ...ofLarge },
};

function condition(type: string, reason: string, message: string): object {
  const now = new Date().toISOString();
  return { type, status: 'True', reason, message, lastTransitionTime: now };
}

/** One of each kind with something to see, and one beside each that a selector leaves out. */
const shown: readonly (AnyObject & Schema)[] = [
  ...accepted.flatMap(({ object }, index) =>
    accepted.findIndex(({ object: { kind } }) => kind === object.kind) === index
      ? [{ ...object, metadata: { name: 'other' } }]
      : [],
  ),
  {
    kind: 'MachineClass',
    metadata: { name: 'large', annotations: { 'millwright.dev/invalid': 'no machineType' } },
    provider: 'AWS',
    providerSpec: {},
    secretRef: { name: 'keys' },
  },
  {
    kind: 'Machine',
    metadata: { name: 'broken' },
    spec: { ...ofLarge.spec, providerID: 'aws:///a/i-1' },
    status: {
      currentStatus: { phase: 'Failed' },
      lastOperation: { type: 'Create', state: 'Failed', description: 'no quota' },
    },
  },
  {
    kind: 'MachineSet',
    metadata: { name: 'broken' },
    spec: ofPool,
    status: { conditions: [condition('Reconciling', 'ScalingUp', '1 of 2')] },
  },
  {
    kind: 'MachineDeployment',
    metadata: { name: 'broken' },
    spec: { ...ofPool, strategy: { type: 'Recreate' } },
    status: { conditions: [condition('Stalled', 'QuotaExceeded', 'no quota')] },
  },
  {
    kind: 'DisruptionPolicy',
    metadata: { name: 'weekend' },
    spec: {},
    status: {
      conditions: [condition('Accepted', 'Accepted', 'the policy is followed')],
      open: false,
      until: '2026-12-05T01:00:00Z',
      message: 'waits for its window, Sat 2026-12-05 02:00 CET',
      going: 1,
      waiting: 3,
    },
  },
];

/**
 * A change that has nothing to do with any fault, so that rules of whole objects are asked again.
 */
function otherFieldOf({ kind, ...object }: AnyObject & Schema): object {
  if (kind === 'MachineClass') return { nodeTemplate: { architecture: 'arm64' } };
  if (object['spec'] === undefined) return {};
  const machine = { maxEvictRetries: 7 };
  if (kind === 'Machine') return { spec: machine };
  return { spec: { minReadySeconds: 7 } };
}

/** As MCM has it: nothing of ours that refuses. */
function withoutRules(schema: Schema): Schema {
  const without = ['x-kubernetes-validations', 'maxLength', 'maxProperties'];
  const text = JSON.stringify(schema, (key, value: unknown) =>
    without.includes(key) ? undefined : value,
  );
  const plain: Schema = JSON.parse(text);
  return plain;
}

async function examplesOf(folder: URL): Promise<AnyObject[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml'));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  return texts.flatMap((text) =>
    parseAllDocuments(text).map((document): AnyObject => document.toJS()),
  );
}
