/** The example of docs/writing-a-driver.md does what it says, on a double of its cloud. */
import { createAcmeDriver } from '../../../deploy/examples/driver-typescript/driver.ts';
import { aRequest } from '../../activities/drivers/a-request.ts';
import { describeDriverContract } from '../../activities/drivers/contract.ts';
import { failureOf } from '../../activities/drivers/failure-of.ts';
import { createdBy, deletedBy } from '../../activities/drivers/following.ts';
import { startFaultProxy, tooManyCalls } from '../../activities/drivers/frame/fault-proxy.ts';
import { describeKills } from '../../activities/drivers/frame/kills.ts';
import { complaintsOf, findingsOf } from '../../support/in-process-kit.ts';
import { Acme, acmeToken } from './acme.ts';

const acme = await new Acme().start();
const proxy = await startFaultProxy(acme.url);
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await acme[Symbol.asyncDispose]();
});

const providerSpec = { plan: 's' };
const secret = { token: acmeToken };
const subject = { provider: 'acme', providerSpec, badSpecs: [{ plan: 'xl' }] };
const quick = { waitSeconds: 600, orphanWaitSeconds: 600, firstPauseSeconds: 0.001 };
const driver = createAcmeDriver({ url: proxy.url }, quick);
const request = (name: string, more = {}) => aRequest(name, { providerSpec, secret, ...more });

describeDriverContract({
  driver: () => driver,
  request,
  create: (asked) => createdBy(driver, asked),
  remove: (asked) => deletedBy(driver, asked),
  countMade: (name) => acme.made.filter((made) => made === name).length,
  countLiving: (name) => acme.living(name).length,
  hasConsole: false,
  absentProviderID: 'acme:///s-none',
  badSpec: {
    providerSpec: { plan: 'xl' },
    message: 'Invalid value: providerSpec.plan: "xl" is not one of s, m',
  },
  brokenSpec: { plan: 3 },
  volumes: {
    specs: [{ csi: { driver: 'csi.acme.example', volumeHandle: 'v-1' } }],
    ids: ['v-1'],
  },
  spentMessage: /key_spent/,
  requestId: /^acme-\d+$/,
});

describeKills({
  proxy: () => proxy,
  aDriver: () => createAcmeDriver({ url: proxy.url }, quick),
  request,
  countLiving: (name) => acme.living(name).length,
  left: (name) => acme.living(name).map(({ id }) => id),
});

test('the kit passes, and nothing is left', async () => {
  const before = [...acme.servers.keys()];
  expect(await complaintsOf({ ...subject, driver, secret })).toEqual([]);
  expect([...acme.servers.keys()]).toEqual(before);
});

test('a wrong password is Unauthenticated, without the password', async () => {
  const findings = await findingsOf({ ...subject, driver, secret: { token: 'mallory-1' } });
  const creates = findings.find(({ check }) => check.startsWith('creates an instance'));
  expect(creates?.came).toContain('"code":"Unauthenticated"');
  expect(JSON.stringify(findings)).not.toContain('mallory-1');
});

test('a pause that Acme asks for is kept', async () => {
  proxy.add({ fault: tooManyCalls({ 'retry-after': '7' }) });
  const failure = await failureOf(driver.describeInstance(request('busy')));
  proxy.clear();
  expect(failure).toMatchObject({ code: 'Unavailable', retryAfterSeconds: 7, settled: false });
});
