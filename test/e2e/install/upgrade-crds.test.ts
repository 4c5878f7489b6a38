/** The CRDs of the release before become the present ones while there are objects. */
import { commitBefore, filesAt } from '../../support/other-revision.ts';
import { accepted } from '../../workflows/api/manifests.ts';
import { ScratchCrds, refusals } from '../support/scratch-crds.ts';
import { testStack } from '../support/test-stack.ts';

describe('CRDs of the release before', () => {
  let crds: ScratchCrds;
  const objects = accepted.map(({ name, object }, index) => ({
    name,
    object: { ...object, metadata: { name: `stored-${index}` } },
  }));
  /** What the release before took. */
  const stored: typeof objects = [];

  beforeAll(async () => {
    const texts = await filesAt(await commitBefore(), 'deploy/crds');
    crds = await ScratchCrds.install(testStack().layout.kubeconfig, undefined, texts);
    for (const one of objects) {
      if ((await refusals(crds.create(one.object))).length === 0) stored.push(one);
    }
  });
  afterAll(async () => await crds.remove());

  test('become the present ones by a server-side apply, and their objects stay writable', async () => {
    expect(stored.length).toBeGreaterThan(objects.length / 2);
    const wanted = await crds.upgrade();
    expect(await crds.schemas()).toEqual(wanted);
    for (const { object } of stored) {
      const metadata = { annotations: { 'example.com/touched': 'yes' } };
      expect(await refusals(crds.patch(object, { metadata }))).toEqual([]);
    }
    for (const { object } of objects) {
      const anew = { ...object, metadata: { name: 'anew' } };
      expect(await crds.refusalsOf(anew)).toEqual([]);
    }
  });
});
