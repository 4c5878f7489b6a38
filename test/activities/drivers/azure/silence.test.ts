/**
 * An authority that does not answer, or refuses: no call outlives its limit, and no account gets
 * new clients without end.
 */
import { listening, type Listening } from '../../../support/listening.ts';
import { eventually } from '../../../support/eventually.ts';
import { createServer, type Server } from 'node:net';
import { apiVersionsOf } from '../../../../activities/drivers/azure/api-versions.ts';
import { createClientSource } from '../../../../activities/drivers/azure/client.ts';
import { cloudOf } from '../../../../activities/drivers/azure/clouds.ts';
import { createAzureDriver } from '../../../../activities/drivers/azure/driver.ts';
import { failureOf } from '../failure-of.ts';
import { aDriver, aMachine, aSharedSetting, fastTiming, secret } from './a-machine.ts';

const { double } = await aSharedSetting();

const request = () => ({ ...aMachine('m'), namespace: 'shoot' });
const unanswered = {
  code: 'DeadlineExceeded',
  settled: false,
  message: expect.stringMatching(/no answer within 0\.5 s$/),
};
const hasty = () => aDriver(double, { callSeconds: 0.5 });

describe('an authority that accepts connections and says nothing', () => {
  let server: Server;
  let silent: Listening;
  let driver: ReturnType<typeof createAzureDriver>;
  beforeEach(async () => {
    server = createServer();
    silent = await listening(server);
    const env = {
      MILLWRIGHT_AZURE_ENDPOINT: double.url,
      MILLWRIGHT_AZURE_AUTHORITY: `https://127.0.0.1:${silent.port}`,
      MILLWRIGHT_AZURE_CA_FILE: double.caFile,
    };
    driver = createAzureDriver(
      { env, allowsAmbientCredentials: false },
      { ...fastTiming, callSeconds: 0.5 },
    );
  });
  afterEach(() => silent.close());

  test.each([
    { name: 'create', act: () => driver.createInstance(aMachine('m')) },
    { name: 'describe', act: () => driver.describeInstance(aMachine('m')) },
    { name: 'delete', act: () => driver.deleteInstance(aMachine('m')) },
    { name: 'list', act: () => driver.listInstances(request()) },
    {
      name: 'delete listed',
      act: () => driver.deleteListed({ ...request(), providerID: 'azure:///westeurope/m' }),
    },
  ])('$name ends with the limit of a request', async ({ act }) => {
    expect(await failureOf(act())).toMatchObject(unanswered);
  });

  test('ends with the signal of the caller', async () => {
    const patient = createAzureDriver(
      {
        env: {
          MILLWRIGHT_AZURE_AUTHORITY: `https://127.0.0.1:${silent.port}`,
        },
        allowsAmbientCredentials: false,
      },
      fastTiming,
    );
    const abort = new AbortController();
    const asking = patient.describeInstance(aMachine('m', { signal: abort.signal }));
    server.once('connection', () => abort.abort());
    expect(await failureOf(asking)).toMatchObject({ code: 'Canceled', settled: false });
  });
});

/** A busy machine may take longer than the driver waits. */
async function isAnswered(driver: ReturnType<typeof hasty>): Promise<void> {
  const machine = aMachine('m');
  const answer = await eventually('an answer', () => driver.describeInstance(machine));
  expect(answer).toBeUndefined();
}

describe('an answer of the authority that is lost', () => {
  test('fails one call: the next one asks for a token of its own', async () => {
    const driver = hasty();
    double.authority.fallSilent(1);
    expect(await failureOf(driver.describeInstance(aMachine('m')))).toMatchObject(unanswered);
    await isAnswered(driver);
  });

  test('fails those that share it', async () => {
    const driver = hasty();
    double.authority.fallSilent(1);
    const both = [1, 2].map(() => failureOf(driver.describeInstance(aMachine('m'))));
    expect(await Promise.all(both)).toMatchObject([unanswered, unanswered]);
    await isAnswered(driver);
  });

  test('a lost answer is not waited for by the call after one that was cancelled', async () => {
    const driver = aDriver(double);
    double.authority.fallSilent(1);
    const before = double.authority.heard.tokens;
    const abort = new AbortController();
    const asking = driver.describeInstance(aMachine('m', { signal: abort.signal }));
    await eventually('it is asked', () => double.authority.heard.tokens > before);
    abort.abort();
    expect(await failureOf(asking)).toMatchObject({ code: 'Canceled' });
    expect(await driver.describeInstance(aMachine('m'))).toBeUndefined();
  });
});

test('a silent Resource Manager costs no new clients', async () => {
  const driver = hasty();
  await isAnswered(driver);
  const { metadata } = double.authority.heard;
  double.faults.add({ kind: 'hang', times: 2 });
  await failureOf(driver.describeInstance(aMachine('m')));
  await failureOf(driver.describeInstance(aMachine('m')));
  await isAnswered(driver);
  expect(double.authority.heard.metadata).toBe(metadata);
});

/** Each set of clients asks once for what the authority says of itself. */
async function clientSetsIn(act: () => Promise<unknown>): Promise<number> {
  const before = double.authority.heard.metadata;
  for (let call = 0; call < 100; call += 1) await failureOf(act());
  return double.authority.heard.metadata - before;
}

describe('credentials that are refused', () => {
  test('by the authority: a hundred failures have one set of clients', async () => {
    const driver = aDriver(double);
    const wrong = { ...secret, clientSecret: 'wrong' };
    const act = () => driver.describeInstance(aMachine('m', { secret: wrong }));
    expect(await clientSetsIn(act)).toBe(1);
  });

  test('by the Resource Manager: a second set is tried, and no third', async () => {
    const driver = aDriver(double);
    const code = 'InvalidAuthenticationTokenTenant';
    double.faults.add({ kind: 'refuse', status: 401, code, times: 100 });
    expect(await clientSetsIn(() => driver.describeInstance(aMachine('m')))).toBe(2);
  });
});

describe('a set of clients', () => {
  const env = {
    MILLWRIGHT_AZURE_AUTHORITY: 'https://127.0.0.1:1',
    MILLWRIGHT_AZURE_ENDPOINT: 'https://127.0.0.1:1',
  };
  const plan = {
    kind: 'secret',
    subscriptionId: secret.subscriptionID,
    tenantId: secret.tenantID,
    clientId: 'c',
    clientSecret: 'x',
  } as const;
  const access = { cloud: cloudOf(undefined, env), plan };

  test('a set of clients is replaced once, however many calls say that it is refused, and again after a minute', async () => {
    let now = 0;
    const source = createClientSource({ apiVersions: apiVersionsOf({}), now: () => now });
    const first = await source.of(access);
    expect(await source.of(access)).toBe(first);
    first.refuse();
    const second = await source.of(access);
    first.refuse();
    first.abandon();
    second.refuse();
    expect({ isNew: second !== first, kept: await source.of(access) }).toEqual({
      isNew: true,
      kept: second,
    });
    now = 61_000;
    second.refuse();
    const third = await source.of(access);
    expect(third).not.toBe(second);
    third.abandon();
    expect(await source.of(access)).not.toBe(third);
  });
});
