import { PassThroughClient } from 'google-auth-library';
import { TokenSource } from '../../../../activities/drivers/gcp/token-source.ts';

const url = 'https://compute.googleapis.com/';

/** Joins all who ask to one request, as the library's clients do. */
class Client extends PassThroughClient {
  readonly answer = Promise.withResolvers<Headers>();
  asked = 0;

  override async getRequestHeaders(): Promise<Headers> {
    this.asked += 1;
    return await this.answer.promise;
  }
}

function aSource() {
  const clients: Client[] = [];
  const source = new TokenSource(async () => {
    const client = new Client();
    clients.push(client);
    return client;
  });
  return { source, clients };
}

test('who waits in vain leaves the client behind, once for all who waited with it', async () => {
  const { source, clients } = aSource();
  const controller = new AbortController();
  const stuck = [1, 2, 3].map(() => source.headers(url, controller.signal));
  const ends = Promise.allSettled(stuck);
  controller.abort();
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  const next = source.headers(url, new AbortController().signal);
  await Promise.resolve();
  expect(clients).toHaveLength(2);
  clients[1]?.answer.resolve(new Headers({ authorization: 'Bearer x' }));
  expect((await next).get('authorization')).toBe('Bearer x');
  // The one that was left behind answers at last; nobody asks it again.
  clients[0]?.answer.resolve(new Headers());
  await source.headers(url, new AbortController().signal);
  expect(clients.map(({ asked }) => asked)).toEqual([3, 2]);
});

test('a refusal is an answer: no new client for each', async () => {
  const { source, clients } = aSource();
  const call = source.headers(url, new AbortController().signal);
  await Promise.resolve();
  clients[0]?.answer.reject(new Error('invalid_grant'));
  await expect(call).rejects.toThrow('invalid_grant');
  await expect(source.headers(url, new AbortController().signal)).rejects.toThrow('invalid_grant');
  expect(clients).toHaveLength(1);
});

test('a client that could not be made is made anew', async () => {
  let tries = 0;
  const source = new TokenSource(async () => {
    tries += 1;
    if (tries === 1) throw new Error('no metadata server');
    return new PassThroughClient();
  });
  const { signal } = new AbortController();
  await expect(source.headers(url, signal)).rejects.toThrow('no metadata server');
  expect(await source.headers(url, signal)).toBeInstanceOf(Headers);
});
