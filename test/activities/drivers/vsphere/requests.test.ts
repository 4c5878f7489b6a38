/** What is sent to the vCenter, in its order. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from '../../../support/listening.ts';
import { createVsphereDriver } from '../../../../activities/drivers/vsphere/driver.ts';
import {
  childOf,
  readAnswer,
  textOf,
  type XmlElement,
} from '../../../../activities/drivers/vsphere/vcenter/xml.ts';
import { createdBy, deletedBy } from '../following.ts';
import { aSpec, aVsphereWorld, vsphereRequest } from './vsphere-world.ts';

const world = await aVsphereWorld();
const sent: XmlElement[] = [];
const recorder = createServer((request, response) => void record(request, response));

async function record(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const element = readAnswer(body);
  if (element) sent.push(element);
  const { cookie = '' } = request.headers;
  const answer = await fetch(world.vcsim.url, { method: 'POST', body, headers: { cookie } });
  const given = answer.headers.get('set-cookie');
  response.writeHead(answer.status, given === null ? {} : { 'set-cookie': given });
  response.end(await answer.text());
}

const { url, close } = await listening(recorder);
const env = { MILLWRIGHT_VSPHERE_ENDPOINT: `${url}/sdk` };
const driver = createVsphereDriver(
  { env, allowsAmbientCredentials: false },
  { waitSeconds: 600, firstPauseSeconds: 0.01 },
);
afterAll(close);

/** Elements as data: text, or what is in them by name, and their types. */
function dataOf({ children, text: inner, attributes }: XmlElement): unknown {
  const { 'xsi:type': type } = attributes;
  if (children.length === 0) return inner;
  const parts = children.map((child) => [child.name, dataOf(child)]);
  return [...(type === undefined ? [] : [`is ${type}`]), ...parts];
}

const option = (key: string, value: string) => [
  'extraConfig',
  ['is OptionValue', ['key', key], ['value', value]],
];

const looks = /^(Retrieve|Find|Login|Continue)/;
const changesIn = (): string[] =>
  sent.map(({ name }) => name).filter((method) => !looks.test(method));

test('a create clones, configures, upgrades, tags and switches on, each once', async () => {
  sent.length = 0;
  const providerSpec = { ...aSpec, numCpus: 2, memory: 4096, extraConfig: { a: 'b' } };
  await createdBy(driver, vsphereRequest('r-1', { providerSpec, userData: 'x' }));
  expect(changesIn()).toEqual([
    'CloneVM_Task',
    'ReconfigVM_Task',
    'UpgradeVM_Task',
    'AddCustomFieldDef',
    'SetField',
    'AddCustomFieldDef',
    'SetField',
    'PowerOnVM_Task',
  ]);
  const clone = sent.find(({ name }) => name === 'CloneVM_Task');
  expect(textOf(clone, 'name')).toBe('r-1');
  expect(childOf(clone, 'spec')?.children.map(({ name }) => name)).toEqual([
    'location',
    'template',
    'config',
    'powerOn',
  ]);
  const config = childOf(clone, 'spec.config');
  expect(config && dataOf(config)).toEqual([
    ['numCPUs', '2'],
    ['memoryMB', '4096'],
    option('millwright.machine', 'r-1'),
    option('millwright.configured', 'false'),
    option('millwright.cluster', 'cluster-1'),
    option('millwright.namespace', 'shoot'),
    option('millwright.token', 'uid-of-r-1-0'),
    option('millwright.machine-uid', 'uid-of-r-1'),
  ]);
  const location = childOf(clone, 'spec.location')?.children.map(({ name }) => name);
  expect(location).toEqual(['datastore', 'pool', 'deviceChange']);
  const configuration = childOf(
    sent.find(({ name }) => name === 'ReconfigVM_Task'),
    'spec',
  );
  const metadata = { 'instance-id': 'uid-of-r-1-0', 'local-hostname': 'r-1' };
  expect(configuration && dataOf(configuration)).toEqual([
    ['flags', [['diskUuidEnabled', 'true']]],
    option('guestinfo.userdata', 'eA=='),
    option('guestinfo.userdata.encoding', 'base64'),
    option('guestinfo.metadata', Buffer.from(JSON.stringify(metadata)).toString('base64')),
    option('guestinfo.metadata.encoding', 'base64'),
    option('a', 'b'),
    option('millwright.configured', 'true'),
  ]);
});

test('a second create and a look change nothing', async () => {
  await createdBy(driver, vsphereRequest('r-2'));
  sent.length = 0;
  await createdBy(driver, vsphereRequest('r-2'));
  await driver.describeInstance(vsphereRequest('r-2'));
  expect(changesIn()).toEqual([]);
});

test('a delete switches off and destroys', async () => {
  await createdBy(driver, vsphereRequest('r-3'));
  sent.length = 0;
  await deletedBy(driver, vsphereRequest('r-3'));
  expect(changesIn()).toEqual(['PowerOffVM_Task', 'Destroy_Task']);
});
