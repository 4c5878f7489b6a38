import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import {
  KubeError,
  isAlreadyExists,
  isConflict,
  isGone,
  isNotFound,
  isTooLarge,
  isTooManyRequests,
  isUnreachable,
} from '../../../kube/client/errors.ts';
import { customResource, node } from '../../../kube/client/paths.ts';
import { createKubeClient } from '../../../kube/client/http-client.ts';
import { PageSize, pagesOf } from '../../../kube/client/paging.ts';
import { HttpApiServer, status } from '../../support/api-server/http-api-server.ts';
import { aThing, thing, things } from '../things.ts';
import { eventually } from '../../support/eventually.ts';
import { failureOf } from '../failure-of.ts';

let server: HttpApiServer;
let client: KubeClient;

beforeEach(async () => {
  server = await HttpApiServer.start();
  client = createKubeClient({
    kubeConfig: server.kubeConfig,
    userAgent: 'test',
    callTimeoutMs: 1_500,
    silenceMs: 1_000,
  });
});

afterEach(async () => {
  await client.close();
  await server.stop();
});

describe('calls', () => {
  test.each([
    '..',
    '.',
    '',
    'a/../b',
    'a b',
    'a?watch=true',
    '%2e%2e',
    'ä',
    'a\n',
    '../../secrets/x',
  ])('no object is called %j: nobody is asked for it', async (name) => {
    const error = await failureOf(client.get(`${things}/${name}`));
    expect(isNotFound(error)).toBe(true);
    expect(server.requests).toEqual([]);
  });

  test('an object of ours without a spec, as the CRDs of MCM let pass, gets an empty one', async () => {
    const machine = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'Machine' };
    const deployment = { ...machine, kind: 'MachineDeployment' };
    const machines = customResource('machines', 'default');
    const deployments = customResource('machinedeployments', 'default');
    const created = await client.create(machines, { ...machine, metadata: { name: 'a' } });
    expect(created).toMatchObject({ spec: {} });
    await client.create(deployments, { ...deployment, metadata: { name: 'b' } });
    await client.create(node(), { kind: 'Node', metadata: { name: 'c' } });
    const specs = await Promise.all(
      [machines, deployments, node()].map(async (path) => {
        const { items } = await client.list<{ spec?: object }>(path);
        return items.map(({ spec }) => spec);
      }),
    );
    expect(specs).toEqual([[{}], [{ template: {} }], [undefined]]);
  });

  test('a taken name and a stale resourceVersion are told apart', async () => {
    await client.create(things, { metadata: { name: 'a' } });
    const taken = await failureOf(client.create(things, { metadata: { name: 'a' } }));
    const stale = { metadata: { resourceVersion: '1' } };
    const conflict = await failureOf(client.patch(`${things}/a`, 'merge', stale));
    expect([isAlreadyExists(taken), isConflict(taken)]).toEqual([true, false]);
    expect([isAlreadyExists(conflict), isConflict(conflict)]).toEqual([false, true]);
  });

  test('a patch with the UID of an object that had the name before is a conflict', async () => {
    server.put(aThing('a', { kept: true }));
    const patch = { metadata: { uid: 'uid-before' }, kept: false };
    const error = await failureOf(client.patch(`${things}/a`, 'merge', patch));
    expect(error).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(isConflict(error)).toBe(true);
    expect(server.object(thing('a'))).toMatchObject({ kept: true });
  });

  test('writes name their field manager and the type of the patch', async () => {
    server.put(aThing('a'));
    await client.patch(`${things}/a`, 'merge', { spec: { size: 1 } });
    const request = server.requests.at(-1);
    expect(request?.query.get('fieldManager')).toBe('millwright');
    expect(request?.headers).toMatchObject({
      'content-type': 'application/merge-patch+json',
      'user-agent': 'test',
    });
  });

  test('a connection is kept open after a deletion with preconditions', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const { uid } = server.put(aThing(name)).metadata;
      await client.delete(`${things}/${name}`, { preconditions: { uid } });
    }
    // A request that comes while the answer to the one before is read opens a second one.
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  test('metadata only is asked for by the Accept header, under a name of its own for lists', async () => {
    server.put(aThing('a'));
    await client.list(things, { as: 'PartialObjectMetadata' });
    await client.get(`${things}/a`, { as: 'PartialObjectMetadata' });
    expect(server.requests.map(({ headers }) => headers.accept)).toEqual([
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    ]);
    expect(server.requests[0]?.query.has('as')).toBe(false);
  });

  test('a hanging server ends the call after its time', async () => {
    server.respond = () => 'hang';
    const error = await failureOf(client.get(`${things}/a`));
    expect(isUnreachable(error)).toBe(true);
    expect(error).toMatchObject({ reason: 'Timeout' });
    expect(server.requests).toHaveLength(1);
  });

  test('a proxy that answers in HTML is a KubeError with its text', async () => {
    server.respond = () => ({ code: 502, body: '<h1>Bad gateway</h1>' });
    const error = await failureOf(client.create(things, {}));
    expect(error).toMatchObject({ code: 502, reason: 'HTTP502' });
    expect(isUnreachable(error)).toBe(true);
  });

  test('an answer that is not JSON is a KubeError', async () => {
    server.respond = () => ({ code: 200, body: 'hello' });
    expect(await failureOf(client.get(`${things}/a`))).toBeInstanceOf(KubeError);
  });
});

describe('retries', () => {
  test.each([
    { name: 'after 429', fault: status(429, 'TooManyRequests') },
    { name: 'after 503', fault: status(503, 'ServiceUnavailable') },
    { name: 'after a reset', fault: 'reset' as const },
  ])('a read succeeds $name', async ({ fault }) => {
    server.put(aThing('a'));
    server.respond = () => (server.requests.length < 3 ? fault : undefined);
    await expect(client.get(`${things}/a`)).resolves.toMatchObject({ metadata: { name: 'a' } });
    expect(server.requests).toHaveLength(3);
  });

  test('a create is not repeated after a reset: it may have happened', async () => {
    server.respond = () => 'reset';
    expect(isUnreachable(await failureOf(client.create(things, {})))).toBe(true);
    expect(server.requests).toHaveLength(1);
  });

  test('a create is repeated when the filter of the server turned it away', async () => {
    server.respond = () =>
      server.requests.length < 2 ? { code: 429, body: 'Too many requests' } : undefined;
    await client.create(things, { metadata: { name: 'a' } });
    expect(server.requests).toHaveLength(2);
  });

  test('an eviction that a budget refuses is an answer, not a reason to repeat', async () => {
    const causes = [{ reason: 'DisruptionBudget', message: 'web needs 2' }];
    server.respond = () => status(429, 'TooManyRequests', { causes });
    const error = await failureOf(client.create(`${things}/a/eviction`, {}));
    expect(isTooManyRequests(error)).toBe(true);
    expect(error).toMatchObject({ details: { causes } });
    expect(server.requests).toHaveLength(1);
  });

  test('nor is one that a webhook refuses without a reason, as that of KubeVirt', async () => {
    const denial = { kind: 'Status', status: 'Failure', message: 'VM a is moved', code: 429 };
    server.respond = () => ({ code: 429, body: JSON.stringify(denial) });
    const error = await failureOf(client.create(`${things}/a/eviction`, {}));
    expect(error).toMatchObject({ code: 429, reason: 'HTTP429' });
    expect(server.requests).toHaveLength(1);
  });

  test('a Retry-After that is too far away is an error at once', async () => {
    server.respond = () => ({
      ...status(429, 'TooManyRequests'),
      headers: { 'retry-after': '60' },
    });
    expect(await failureOf(client.get(`${things}/a`))).toMatchObject({ retryAfterMs: 60_000 });
    expect(server.requests).toHaveLength(1);
  });

  test('a 401 is answered with fresh credentials once', async () => {
    server.put(aThing('a'));
    server.respond = () => (server.requests.length < 2 ? status(401, 'Unauthorized') : undefined);
    await client.get(`${things}/a`);
    expect(server.requests).toHaveLength(2);
  });
});

function fill(count: number): void {
  for (let index = 0; index < count; index += 1) server.put(aThing(`thing-${index}`));
}

/** After which object a page begins. */
function startOf(token: string | null): unknown {
  return token === null ? undefined : JSON.parse(Buffer.from(token, 'base64url').toString()).start;
}

describe('a plugin for credentials that hangs', () => {
  beforeEach(async () => {
    await client.close();
    const { kubeConfig } = server;
    const exec = { command: 'sleep', args: ['4'] };
    client = createKubeClient({
      kubeConfig: { ...kubeConfig, user: { name: 'plugged', exec } },
      userAgent: 'test',
      callTimeoutMs: 200,
      silenceMs: 200,
    });
  });

  test('ends a call after its time', async () => {
    expect(await failureOf(client.get(things))).toMatchObject({ reason: 'Timeout' });
  });

  test('ends a watch that says nothing', async () => {
    const watch = client.watch(things, {}, new AbortController().signal);
    const failure = await failureOf(watch[Symbol.asyncIterator]().next());
    expect(failure).toMatchObject({ reason: 'Timeout' });
  });

  test('does not keep a watch from being ended', async () => {
    const stopping = new AbortController();
    const watch = client.watch(things, {}, stopping.signal);
    const failure = failureOf(watch[Symbol.asyncIterator]().next());
    stopping.abort();
    expect(await failure).toMatchObject({ reason: 'Aborted' });
  });
});

describe('credentials that change', () => {
  test('into a certificate that cannot be used fail calls until they are mended, and no more', async () => {
    const { kubeConfig } = server;
    const { user } = kubeConfig;
    const own = createKubeClient({ kubeConfig, userAgent: 'test', callTimeoutMs: 1_500 });
    await own.list(things);
    kubeConfig.user = { ...user, certData: btoa('half of a file'), keyData: btoa('a key') };
    // So the client asks for its credentials again.
    server.respond = () => (server.requests.length < 3 ? status(401, 'Unauthorized') : undefined);
    for (let call = 1; call <= 2; call += 1) {
      expect(isUnreachable(await failureOf(own.list(things)))).toBe(true);
    }
    kubeConfig.user = user;
    await expect(own.list(things)).resolves.toMatchObject({ items: [] });
    await own.close();
  });
});

/** Of a server that a tenant names: there is always one more page. */
const endless = (items: object[]) => () => ({
  code: 200,
  body: { metadata: { resourceVersion: '7', continue: 'more' }, items },
});

describe('lists', () => {
  test('all pages are joined', async () => {
    fill(1_001);
    const { items, metadata } = await client.list<KubeObject>(things);
    expect(items).toHaveLength(1_001);
    expect(metadata).toEqual({ resourceVersion: server.version });
    const tokens = server.requests.map(({ query }) => query.get('continue'));
    const names = items.map(({ metadata: { name } }) => name);
    expect(tokens.map(startOf)).toEqual([undefined, `/${names[499]}\0`, `/${names[999]}\0`]);
  });

  test('a continue token that expired begins the list again', async () => {
    fill(600);
    server.respond = () => (server.requests.length === 2 ? status(410, 'Expired') : undefined);
    expect((await client.list(things)).items).toHaveLength(600);
    expect(server.requests).toHaveLength(4);
  });

  test('a list that never gets through is an error', async () => {
    server.respond = () => status(410, 'Expired');
    expect(isGone(await failureOf(client.list(things)))).toBe(true);
    expect(server.requests).toHaveLength(3);
  });

  test('a list without an end is given up once it has more than fits', async () => {
    const { kubeConfig } = server;
    const careful = createKubeClient({ kubeConfig, userAgent: 'test', longestListBytes: 10_000 });
    server.respond = endless([{ metadata: { name: 'x'.repeat(1_000) } }]);
    const error = await failureOf(careful.list(things));
    await careful.close();
    expect(String(error)).toBe(
      `KubeError: LIST ${things}: 413 TooLarge: it has more than 10000 bytes`,
    );
    expect(server.requests).toHaveLength(10);
  });

  test('so is one whose pages are empty', async () => {
    const pages = pagesOf<never>(
      async () => ({ metadata: { resourceVersion: '7', continue: 'more' }, items: [] }),
      new PageSize(things),
    );
    const all = async (): Promise<void> => {
      for await (const { items } of pages) expect(items).toEqual([]);
    };
    expect(isTooLarge(await failureOf(all()))).toBe(true);
  });

  test('an empty list of metadata has null for its items', async () => {
    const body = { metadata: { resourceVersion: '7' }, items: null };
    server.respond = () => ({ code: 200, body });
    expect(await client.list(things)).toEqual({ metadata: { resourceVersion: '7' }, items: [] });
  });
});

const untilWatched = () => eventually('a watch', () => server.watchCount > 0);

describe('watches', () => {
  interface Thing {
    metadata: { name?: string; resourceVersion: string };
  }

  async function collect(count: number, abort = new AbortController()): Promise<string[]> {
    const seen: string[] = [];
    const events = client.watch<Thing>(things, { resourceVersion: '100' }, abort.signal);
    for await (const { type, object } of events) {
      seen.push(`${type} ${'name' in object.metadata ? object.metadata.name : ''}`);
      if (seen.length === count) return seen;
    }
    return seen;
  }

  test('events come in order, bookmarks among them', async () => {
    server.put(aThing('ä'));
    server.put(aThing('ä', { spec: '… \u{1F600}' }));
    server.remove(thing('ä'));
    const events = collect(4);
    await untilWatched();
    server.bookmark();
    expect(await events).toEqual(['ADDED ä', 'MODIFIED ä', 'DELETED ä', 'BOOKMARK ']);
    expect(server.requests[0]?.query.get('allowWatchBookmarks')).toBe('true');
  });

  test('a line may come in pieces, also in the middle of a character', async () => {
    const events = collect(1);
    await untilWatched();
    const line = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'ä' } } })}\n`;
    for (const byte of Buffer.from(line)) server.raw(Uint8Array.of(byte));
    expect(await events).toEqual(['ADDED ä']);
  });

  test('neither a line nor a refusal without an end fills the memory', async () => {
    const { kubeConfig } = server;
    const careful = createKubeClient({ kubeConfig, userAgent: 'test', longestAnswerBytes: 1_000 });
    const first = async (): Promise<unknown> =>
      await careful.watch(things, {}, new AbortController().signal)[Symbol.asyncIterator]().next();
    try {
      const line = failureOf(first());
      await untilWatched();
      for (let part = 0; part < 3; part += 1) server.raw('x'.repeat(500));
      expect(await line).toMatchObject({ code: 413, reason: 'AnswerTooLarge' });
      server.respond = () => ({ code: 403, body: 'x'.repeat(5_000) });
      expect(await failureOf(first())).toMatchObject({ code: 403, reason: 'HTTP403' });
      expect(String(await failureOf(first()))).not.toContain('x'.repeat(10));
    } finally {
      await careful.close();
    }
  });

  test('an ERROR event is thrown', async () => {
    server.forget(1_000);
    expect(isGone(await failureOf(collect(1)))).toBe(true);
  });

  test('silence is an error', async () => {
    expect(await failureOf(collect(1))).toMatchObject({ code: 0, reason: 'Timeout' });
  });

  test('an orderly end is no error', async () => {
    const ended = collect(1);
    await untilWatched();
    server.endWatches('end');
    expect(await ended).toEqual([]);
  });

  test('an abort ends it', async () => {
    const abort = new AbortController();
    const ended = failureOf(collect(1, abort));
    await untilWatched();
    abort.abort();
    expect(await ended).toMatchObject({ reason: 'Aborted' });
  });
});
