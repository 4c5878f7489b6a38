import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import type { SentOptions, RequestOptions } from '../../support/certificate-requests.ts';
import { aRequest, aSigningRequest, rsa } from '../../support/certificate-requests.ts';
import type {
  ReviewOutcome,
  ServedMachines,
} from '../../../activities/serving-certificates/review.ts';
import { review } from '../../../activities/serving-certificates/review.ts';
import { listsOf } from '../../../activities/machine-set/machine-lists.ts';
import { DriverError } from '../../../activities/drivers/driver.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, aNode, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests/csr-1';

const providerID = 'local:///a/i-1';
const reported = [
  { type: 'InternalIP', address: '10.0.0.1' },
  { type: 'InternalIP', address: '2001:DB8::00:1' },
  { type: 'ExternalIP', address: '203.0.113.1' },
  { type: 'ExternalDNS', address: 'Host-1.example.com' },
  { type: 'Hostname', address: 'pool-a' },
];

function ours(changes: Partial<Machine['metadata']> = {}, addresses = reported): Machine {
  return aMachine({
    metadata: { labels: { node: 'pool-a' }, ...changes },
    spec: { class: { kind: 'MachineClass', name: 'small' }, providerID },
    status: { addresses },
  });
}

interface World extends RequestOptions, SentOptions {
  pem?: string;
  machines?: object[];
  /** Undefined: there is none. */
  node?: object | undefined;
  more?: Partial<ServedMachines>;
}

const ownNode = aNode({ metadata: { name: 'pool-a' }, spec: { providerID } });

async function reviewed({ pem, machines = [ours()], more, ...world }: World = {}) {
  const node = 'node' in world ? world.node : ownNode;
  const sent = aSigningRequest(pem ?? (await aRequest(world)), world);
  const target = new InMemoryClient(sent, ...(node ? [node] : []));
  const control = new InMemoryClient(...machines);
  const found = await target.get<{ metadata: { uid: string } }>(path);
  const served: ServedMachines = {
    namespace,
    control,
    machines: listsOf(control),
    mayAct: () => true,
    askCloud: async () => undefined,
    ...more,
  };
  const seen = await review(
    { target, served: [served] },
    { name: 'csr-1', uid: found.metadata.uid },
  );
  const after = await target.get<{ status?: { conditions?: object[] } }>(path);
  const isApproved = (after.status?.conditions ?? []).length > 0;
  expect(isApproved).toBe(seen.result === 'approved');
  return seen;
}

function reasonOf(seen: ReviewOutcome): string {
  return seen.result === 'leftAlone' ? seen.reason : seen.result;
}

const dns = (value: string): { type: 'dns'; value: string } => ({ type: 'dns', value });
const ip = (value: string): { type: 'ip'; value: string } => ({ type: 'ip', value });

test.each<[string, World]>([
  ['its name and address', {}],
  ['its name alone', { names: [dns('pool-a')] }],
  [
    'all that the cloud reported',
    { names: reported.map(({ type, address }) => (/IP/.test(type) ? ip(address) : dns(address))) },
  ],
  ['IPv6 in another form', { names: [ip('2001:db8:0:0:0:0:0:1')] }],
  ['a name in other letters', { names: [dns('HOST-1.example.COM'), dns('Pool-A')] }],
  ['IPv4 in IPv6, which Go signs as IPv4', { names: [ip('0:0:0:0:0:ffff:0a00:0001')] }],
  [
    'a key of RSA',
    { key: rsa(2048), spec: { usages: ['key encipherment', 'server auth', 'digital signature'] } },
  ],
  [
    'a Node whose providerID has the zone',
    { node: aNode({ metadata: { name: 'pool-a' }, spec: { providerID: 'local:///a-1/I-1' } }) },
  ],
  ['an end of its own', { spec: { expirationSeconds: 600 } }],
])('a kubelet that asks for %s is approved', async (_what, world) => {
  expect(reasonOf(await reviewed(world))).toBe('approved');
});

const nodesAnd = (...more: x509.JsonName): x509.JsonName => [
  { O: ['system:nodes'] },
  { CN: ['system:node:pool-a'] },
  ...more,
];
const sanOf = (names: x509.JsonGeneralNames): x509.Extension =>
  new x509.SubjectAlternativeNameExtension(names);
const pemOf = (der: Buffer | string, label = 'CERTIFICATE REQUEST'): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64')}\n-----END ${label}-----\n`;

test.each<[string, World, RegExp]>([
  ['another user', { spec: { username: 'alice' } }, /^username: "alice": must be system:node:NODE/],
  ['a selector for a name', { spec: { username: 'system:node:a,b=c' } }, /^username/],
  [
    'a name that no label takes',
    { spec: { username: `system:node:${'a'.repeat(64)}` } },
    /^username/,
  ],
  [
    'a service account in the group',
    { spec: { groups: ['system:authenticated'] } },
    /^groups: must have system:nodes$/,
  ],
  [
    'an anonymous Node',
    { spec: { groups: ['system:nodes'] } },
    /^groups: must have system:authenticated$/,
  ],
  [
    'another signer',
    { spec: { signerName: 'kubernetes.io/kube-apiserver-client' } },
    /^signerName/,
  ],
  ['a client certificate', { spec: { usages: ['digital signature', 'client auth'] } }, /^usages/],
  [
    'a client certificate beside',
    { spec: { usages: ['digital signature', 'server auth', 'client auth'] } },
    /^usages: "digital signature, server auth, client auth"/,
  ],
  ['no usage', { spec: { usages: [] } }, /^usages/],
  [
    'an authority',
    { spec: { usages: ['digital signature', 'server auth', 'cert sign'] } },
    /^usages/,
  ],
  [
    'another CN',
    { subject: [{ O: ['system:nodes'] }, { CN: ['system:node:pool-b'] }] },
    /^CN: "system:node:pool-b"/,
  ],
  ['a second CN', { subject: nodesAnd({ CN: ['kubernetes'] }) }, /^subject/],
  ['a second O', { subject: nodesAnd({ O: ['system:masters'] }) }, /^subject/],
  [
    'another O',
    { subject: [{ O: ['system:masters'] }, { CN: ['system:node:pool-a'] }] },
    /^subject/,
  ],
  ['no O', { subject: [{ CN: ['system:node:pool-a'] }] }, /^subject/],
  ['a part of a subject more', { subject: nodesAnd({ OU: ['x'] }) }, /^subject/],
  ['no subject', { subject: [] }, /^subject/],
  ['no name at all', { names: [] }, /^(attributes|extensions)/],
  [
    'a mail address',
    { names: [dns('pool-a'), { type: 'email', value: 'a@b.c' }] },
    /^subjectAltName: must be DNS/,
  ],
  [
    'a URI',
    { names: [dns('pool-a'), { type: 'url', value: 'https://pool-a' }] },
    /^subjectAltName: must be DNS/,
  ],
  [
    'a directory name',
    { names: [dns('pool-a'), { type: 'dn', value: 'CN=x' }] },
    /^subjectAltName: must be DNS/,
  ],
  [
    'a registered id',
    { names: [dns('pool-a'), { type: 'id', value: '1.2.3' }] },
    /^subjectAltName: must be DNS/,
  ],
  [
    '101 names',
    { names: Array.from({ length: 101 }, () => dns('pool-a')) },
    /^subjectAltName: 101 names/,
  ],
  ['a second list of names', { extensions: [sanOf([dns('kubernetes')])] }, /^extensions/],
  ['another extension', { extensions: [new x509.BasicConstraintsExtension(true)] }, /^extensions/],
  [
    'a password for revoking',
    { attributes: [new x509.ChallengePasswordAttribute('x')] },
    /^attributes/,
  ],
  ['a weak key', { key: rsa(1024) }, /^key rsa 1024: must be/],
  ['nothing', { pem: '' }, /^the request is not one PEM block/],
  ['a certificate', { pem: pemOf('x', 'CERTIFICATE') }, /^the request is not one PEM block/],
  ['garbage', { pem: pemOf('garbage') }, /^the request is no PKCS #10/],
  ['megabytes', { pem: pemOf(Buffer.alloc(20_000)) }, /^the request has \d+ characters/],
])('%s is left alone for good', async (_what, world, reason) => {
  const seen = await reviewed(world);
  expect(reasonOf(seen)).toMatch(reason);
  expect(seen).toMatchObject({ isFinal: true });
});

/** Go reads no names here, and signs none; the parser would. */
test('lengths that do not fit together are left alone', async () => {
  const der = Buffer.from(new x509.Pkcs10CertificateRequest(await aRequest()).rawData);
  const oid = der.indexOf(Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x11]));
  const list = oid - 3;
  der.writeUInt8(der.readUInt8(list) - 1, list);
  expect(reasonOf(await reviewed({ pem: pemOf(der) }))).toBe('the request is not in DER');
});

test('two requests in one are left alone', async () => {
  const pem = `${await aRequest()}${await aRequest({ names: [dns('kubernetes')] })}`;
  expect(reasonOf(await reviewed({ pem }))).toMatch(/^the request is not one PEM block/);
});

test.each<[string, World, string]>([
  [
    'the name of another Node',
    { names: [dns('pool-a'), dns('pool-b')] },
    'DNS name "pool-b": the cloud reported no such name for Machine pool-a',
  ],
  [
    'a wildcard',
    { names: [dns('*.example.com')] },
    'DNS name "*.example.com": the cloud reported no such name for Machine pool-a',
  ],
  [
    'an address as a name',
    { names: [dns('10.0.0.1')] },
    'DNS name "10.0.0.1": the cloud reported no such name for Machine pool-a',
  ],
  [
    'another address',
    { names: [dns('pool-a'), ip('10.0.0.2')] },
    'IP address "10.0.0.2": the cloud reported 10.0.0.1, 2001:db8::1, 203.0.113.1 for Machine pool-a',
  ],
  [
    'another address in IPv6',
    { names: [ip('::ffff:0a00:0002')] },
    'IP address "::ffff:a00:2": the cloud reported 10.0.0.1, 2001:db8::1, 203.0.113.1 for Machine pool-a',
  ],
  [
    'a network',
    { names: [ip('10.0.0.0/8')] },
    'IP address "10.0.0.0/8": the cloud reported 10.0.0.1, 2001:db8::1, 203.0.113.1 for Machine pool-a',
  ],
  [
    'an address that no cloud reported',
    { machines: [ours({}, [])] },
    'the cloud reported no address for Machine pool-a',
  ],
  ['a Node of nobody', { machines: [] }, 'no Machine of ours names Node pool-a'],
  [
    'a Node of two',
    { machines: [ours(), ours({ name: 'pool-b' })] },
    'Machines shoot/pool-a, shoot/pool-b name Node pool-a: one must',
  ],
  [
    'the Node of a deleted Machine',
    { machines: [ours({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b'] })] },
    'Machine pool-a is being deleted',
  ],
  ['a Node that is not there', { node: undefined }, 'Node pool-a does not exist yet'],
  [
    'a Node without providerID',
    { node: aNode({ metadata: { name: 'pool-a' }, spec: {} }) },
    'Node pool-a has no spec.providerID yet',
  ],
  [
    'a Node of another instance',
    { node: aNode({ metadata: { name: 'pool-a' }, spec: { providerID: 'local:///a/i-2' } }) },
    'Node pool-a is of instance "local:///a/i-2", and Machine pool-a of "local:///a/i-1"',
  ],
])('%s is left alone for now', async (_what, world, reason) => {
  const seen = await reviewed(world);
  expect(reasonOf(seen)).toBe(reason);
  expect(seen).toMatchObject({ isFinal: false });
});

test('what a Node says of its addresses counts for nothing', async () => {
  const status = { addresses: [{ type: 'InternalIP', address: '10.0.0.2' }] };
  const node = { ...ownNode, status };
  expect(reasonOf(await reviewed({ node, names: [ip('10.0.0.2')] }))).toMatch(/^IP address/);
});

const askCloud = async () => [{ type: 'ExternalIP', address: '198.51.100.7' }];
const mute = async () => {
  throw new DriverError({ code: 'Unavailable', message: 'no answer', settled: true });
};

test('the cloud is asked where what it reported does not suffice', async () => {
  const names = [ip('198.51.100.7')];
  expect(reasonOf(await reviewed({ names, more: { askCloud } }))).toBe('approved');
  expect(reasonOf(await reviewed({ more: { askCloud: mute } }))).toBe('approved');
  expect(reasonOf(await reviewed({ names, more: { askCloud: mute } }))).toBe(
    'the cloud was asked for the addresses of Machine pool-a: Unavailable: no answer',
  );
});

test('nothing is approved while nothing may be done', async () => {
  expect(reasonOf(await reviewed({ more: { mayAct: () => false } }))).toBe('held');
});
