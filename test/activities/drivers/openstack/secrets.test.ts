/** What a Secret may hold, what Keystone gets of it, and that nothing of it is ever said. */
import { credentialsOf } from '../../../../activities/drivers/openstack/credentials.ts';
import { DriverError, DriverPending } from '../../../../activities/drivers/driver.ts';
import { startOpenStackDouble } from '../../../doubles/openstack/double.ts';
import { htmlNotFound, startFaultProxy, tooManyCalls } from '../frame/fault-proxy.ts';
import { aDriverFor, aSecret, aSpec, openStackRequest } from './openstack-world.ts';

const authURL = 'https://keystone.example:5000/v3';
const application = { authURL, applicationCredentialSecret: 's' };

test.each([
  [
    'a password, and a project by name',
    { ...aSecret, authURL },
    {
      identity: {
        methods: ['password'],
        password: {
          user: { name: 'machines', domain: { name: 'Default' }, password: 'canary-password' },
        },
      },
      scope: { project: { name: 'machines', domain: { name: 'Default' } } },
    },
  ],
  [
    'ids before names, and a domain of the user',
    { ...aSecret, authURL, domainID: 'd', tenantID: 'p', userDomainName: 'people' },
    {
      identity: {
        methods: ['password'],
        password: {
          user: { name: 'machines', domain: { name: 'people' }, password: 'canary-password' },
        },
      },
      scope: { project: { id: 'p' } },
    },
  ],
  [
    'an application credential by id',
    { ...application, applicationCredentialID: 'i', applicationCredentialName: 'n' },
    {
      identity: {
        methods: ['application_credential'],
        application_credential: { id: 'i', secret: 's' },
      },
    },
  ],
  [
    'an application credential by name',
    { ...application, applicationCredentialName: 'n', username: 'u', userDomainID: 'd' },
    {
      identity: {
        methods: ['application_credential'],
        application_credential: {
          name: 'n',
          user: { name: 'u', domain: { id: 'd' } },
          secret: 's',
        },
      },
    },
  ],
])('%s', (_name, secret, auth) => {
  expect(credentialsOf(secret)).toMatchObject({ auth, url: new URL(authURL) });
});

test.each([
  ['https://k.example', 'https://k.example/v3'],
  ['https://k.example/identity/', 'https://k.example/identity/v3'],
  ['https://k.example:5000/v2.0', 'https://k.example:5000/v3'],
  ['http://k.example/v3/', 'http://k.example/v3'],
])('Keystone at %s is %s', (url, full) => {
  expect(credentialsOf({ ...aSecret, authURL: url }).url.href).toBe(full);
});

test.each([
  [{}, 'authURL is missing'],
  [{ authURL: 'keystone' }, 'authURL is not a URL of the form'],
  [{ authURL }, 'neither password nor applicationCredentialSecret is there'],
  [{ authURL, password: 'p' }, 'username is missing'],
  [{ authURL, password: 'p', username: 'u' }, 'neither domainName nor domainID is there'],
  [
    { authURL, password: 'p', username: 'u', domainID: 'd' },
    'neither tenantName nor tenantID is there',
  ],
  [{ ...application, password: 'p' }, 'exclude each other'],
  [application, 'needs applicationCredentialID, or applicationCredentialName and username'],
  [{ ...aSecret, clientCert: 'c' }, 'clientCert needs clientKey'],
  [{ ...aSecret, insecure: 'yes' }, 'insecure is neither "true" nor "false"'],
])('%j is refused: %s', (secret, words) => {
  expect(() => credentialsOf({ ...secret })).toThrow(words);
});

test('certificates are for all calls', () => {
  const tls = { caCert: 'ca', clientCert: 'cert', clientKey: 'key', insecure: 'true' };
  expect(credentialsOf({ ...aSecret, ...tls }).tls).toEqual({
    ca: 'ca',
    cert: 'cert',
    key: 'key',
    rejectUnauthorized: false,
  });
});

test('a cloud whose certificates are not checked is warned of, and named in each message', async () => {
  await using double = await startOpenStackDouble({ auth: { other: true } });
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', note);
  const secret = { ...aSecret, insecure: 'true' };
  const failure = aDriverFor(double.url).describeInstance(openStackRequest('loud', { secret }));
  await expect(failure).rejects.toThrow('OpenStack (insecure): get a token of Keystone: Error 401');
  process.off('warning', note);
  expect(warnings.join(' ')).toMatch(/certificates of 127\.0\.0\.1:\d+ are NOT checked/);
});

test('nothing secret is in a message, a checkpoint or the console', async () => {
  await using double = await startOpenStackDouble({ slowness: 3 });
  await using proxy = await startFaultProxy(double.url);
  const said: string[] = [];
  const canaries = ['canary-password', 'canary-user-data'];
  const providerSpec = aSpec({ rootDiskSize: 10, rootDiskType: 'fast' });
  const request = openStackRequest('quiet', { providerSpec });
  const faults = [htmlNotFound, tooManyCalls(), { kind: 'loseAnswer' } as const];
  for (const fault of faults) {
    for (let nth = 1; nth < 14; nth += 1) {
      proxy.add({ nth, fault });
      const driver = aDriverFor(proxy.url, { waitSeconds: 0 });
      for (const call of [
        () => driver.createInstance(request),
        () => driver.getConsoleOutput?.(request),
        () => driver.deleteInstance(request),
      ]) {
        const end = await Promise.resolve(call()).catch((error: unknown) => error);
        const cause = end instanceof Error ? String(end.cause) : '';
        const checkpoint = end instanceof DriverPending ? end.checkpoint : '';
        const message = end instanceof Error ? end.message : '';
        const isOfContract = end instanceof DriverError || end instanceof DriverPending;
        expect(isOfContract || !(end instanceof Error)).toBe(true);
        said.push(JSON.stringify([end, message, cause, checkpoint]));
      }
      proxy.clear();
    }
  }
  said.push(...double.world.tokens);
  const texts = said.slice(0, -double.world.tokens.size).join(' ');
  for (const canary of [...canaries, ...double.world.tokens]) expect(texts).not.toContain(canary);
  expect(texts).not.toContain(Buffer.from('canary-user-data').toString('base64').slice(0, 12));
});
