import type { KubeObject } from '../../../kube/client/client.ts';
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import { protectFromDeletion } from '../../../activities/machine-class/protection.ts';
import { finalizers } from '../../../workflows/api/constants.ts';
import type { ObjectMeta } from '../../../workflows/api/meta.ts';
import { aMachine, aMachineClass, aSecret, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const other = 'example.com/other';
const deletionTimestamp = '2026-01-01T01:00:00Z';
const unrelated = aMachine({ metadata: { name: 'b' }, spec: { class: { name: 'large' } } });

const worldOf = (control: InMemoryClient, hasDriver = true) => ({
  control,
  hasDriver: async () => hasDriver,
});

interface Row {
  resource: 'machineclasses' | 'secrets';
  name: string;
  path: string;
  finalizer: string;
  make(metadata: Partial<ObjectMeta>): object;
  user: object;
  nonUser: object;
}

describe.each<Row>([
  {
    resource: 'machineclasses',
    name: 'small',
    path: customResource('machineclasses', namespace, 'small'),
    finalizer: finalizers.machine,
    make: (metadata) => aMachineClass({ metadata }),
    user: aMachine(),
    nonUser: unrelated,
  },
  {
    resource: 'secrets',
    name: 'small-secret',
    path: namespaced('secrets', namespace, 'small-secret'),
    finalizer: finalizers.secret,
    make: (metadata) => aSecret({ userData: '' }, metadata),
    user: aMachineClass(),
    nonUser: aMachineClass({ metadata: { name: 'large' }, secretRef: { name: 'another' } }),
  },
])('one of $resource', ({ resource, name, path, finalizer, make, user, nonUser }) => {
  const protect = async (control: InMemoryClient): Promise<void> => {
    const ref = { namespace, name };
    await protectFromDeletion(worldOf(control), { resource, ref, finalCheck: {} });
  };

  async function finalizersIn(control: InMemoryClient): Promise<string[] | undefined> {
    return (await control.read<KubeObject>(path)).metadata.finalizers;
  }

  test('gets our finalizer beside those of others while it is used', async () => {
    const control = new InMemoryClient(make({ finalizers: [other] }), user, nonUser);
    await protect(control);
    expect(await finalizersIn(control)).toEqual([other, finalizer]);
  });

  test('loses ours, and only ours, when nothing uses it', async () => {
    const control = new InMemoryClient(make({ finalizers: [finalizer, other] }), nonUser);
    await protect(control);
    expect(await finalizersIn(control)).toEqual([other]);
  });

  test('goes with its last use when it is being deleted', async () => {
    const control = new InMemoryClient(make({ finalizers: [finalizer], deletionTimestamp }), user);
    await protect(control);
    expect(control.has(path)).toBe(true);
    const unused = new InMemoryClient(make({ finalizers: [finalizer], deletionTimestamp }));
    await protect(unused);
    expect(unused.has(path)).toBe(false);
  });

  test('says by an Event what its deletion waits for', async () => {
    const waiting = make({ finalizers: [finalizer], deletionTimestamp });
    const control = new InMemoryClient(waiting, user);
    await protect(control);
    const { metadata } = Object(user);
    expect(control.bodies.at(-1)).toMatchObject({
      involvedObject: { name },
      type: 'Warning',
      reason: 'DeletionWaits',
      message: expect.stringMatching(`stays while it is used by the Machine\\w+ ${metadata.name};`),
    });
  });

  test('gets no finalizer any more once it is being deleted', async () => {
    const control = new InMemoryClient(make({ finalizers: [other], deletionTimestamp }), user);
    await protect(control);
    expect(await finalizersIn(control)).toEqual([other]);
    expect(control.writes()).toEqual([]);
  });

  test.each([
    { when: 'used and protected', objects: [make({ finalizers: [finalizer] }), user] },
    { when: 'neither', objects: [make({ finalizers: [] })] },
    { when: 'not there', objects: [user] },
  ])('costs no write: $when', async ({ objects }) => {
    const control = new InMemoryClient(...objects);
    await protect(control);
    expect(control.writes()).toEqual([]);
  });

  test('the write holds only for the finalizers that were read', async () => {
    const control = new InMemoryClient(make({ finalizers: [] }), user);
    control.fault = ({ method }) => {
      if (method === 'PATCH') control.put(make({ finalizers: [other] }));
      return undefined;
    };
    await expect(protect(control)).rejects.toThrow('Conflict');
    expect(await finalizersIn(control)).toEqual([other]);
  });
});

test('a Secret that a class names in another namespace by mistake stays protected', async () => {
  const path = namespaced('secrets', namespace, 'small-secret');
  const secretRef = { name: 'small-secret', namespace: 'kube-system' };
  const control = new InMemoryClient(
    aSecret({}, { finalizers: [finalizers.secret] }),
    aMachineClass({ secretRef }),
  );
  const ref = { namespace, name: 'small-secret' };
  await protectFromDeletion(worldOf(control), { resource: 'secrets', ref });
  expect((await control.read<KubeObject>(path)).metadata.finalizers).toEqual([finalizers.secret]);
});

test('a Secret with cloud credentials only is used too', async () => {
  const path = namespaced('secrets', namespace, 'cloud');
  const credentialsSecretRef = { name: 'cloud' };
  const control = new InMemoryClient(
    aSecret({}, { name: 'cloud' }),
    aMachineClass({ credentialsSecretRef }),
  );
  const ref = { namespace, name: 'cloud' };
  await protectFromDeletion(worldOf(control), { resource: 'secrets', ref });
  expect((await control.read<KubeObject>(path)).metadata.finalizers).toEqual([finalizers.secret]);
});

describe('a class that no Machine uses any more', () => {
  const ref = { namespace, name: 'small' };
  const input = { resource: 'machineclasses', ref } as const;
  const path = customResource('machineclasses', namespace, 'small');
  const ours = [finalizers.machine];
  const going = aMachineClass({ metadata: { finalizers: ours, deletionTimestamp } });

  test.each([
    { machineClass: aMachineClass({ metadata: { finalizers: ours } }), isDeleting: false },
    { machineClass: going, isDeleting: true },
  ])('keeps its finalizer until a last look: deleting $isDeleting', async (row) => {
    const control = new InMemoryClient(row.machineClass, aSecret());
    expect(await protectFromDeletion(worldOf(control), input)).toEqual({
      checkFirst: { provider: 'virtual', isDeleting: row.isDeleting },
    });
    expect(control.writes()).toEqual([]);
  });

  test.each([
    { when: 'its Secret is gone', hasDriver: true, secrets: [] },
    { when: 'nobody serves its provider', hasDriver: false, secrets: [aSecret()] },
  ])('is let go at once when $when', async ({ hasDriver, secrets }) => {
    const control = new InMemoryClient(going, ...secrets);
    expect(await protectFromDeletion(worldOf(control, hasDriver), input)).toEqual({});
    expect(control.has(path)).toBe(false);
  });

  test('is let go with an Event when the look left something open', async () => {
    const control = new InMemoryClient(going, aSecret());
    await protectFromDeletion(worldOf(control), {
      ...input,
      finalCheck: { problem: 'two are left' },
    });
    expect(control.has(path)).toBe(false);
    expect(control.bodies.at(-1)).toMatchObject({
      reason: 'InstancesMayBeLeft',
      message: 'two are left',
    });
  });
});
