/** The CRDs on a real API server, as `kubectl apply` meets them. */
import { readdir, readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { accepted, longNamed, refused } from '../workflows/api/manifests.ts';
import { ScratchCrds, refusals } from './scratch-crds.ts';
import type { AnyObject, Schema } from './scratch-crds.ts';

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

  test('is refused: a machine whose name cannot be a label of its Node', async () => {
    expect(await crds.refusalsOf(longNamed.object)).toEqual([longNamed.fault]);
  });

  test('of deploy/examples is stored, with its status', async () => {
    const examples = await examplesOf(new URL('../../deploy/examples/', import.meta.url));
    expect(examples.length).toBeGreaterThan(6);
    for (const object of examples) expect(await crds.refusalsOf(object)).toEqual([]);
    for (const object of examples.filter(({ status }) => status !== undefined)) {
      await expect(crds.create(object)).resolves.toBeUndefined();
    }
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
