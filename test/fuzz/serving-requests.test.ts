/** Spoiled requests for certificates: each is read as a kubelet's, or refused with a sentence. */
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import fc from 'fast-check';
import { readRequest } from '../../activities/serving-certificates/request.ts';
import { canonicalIp, faultOfAddresses } from '../../activities/serving-certificates/decision.ts';
import { aRequest } from '../support/certificate-requests.ts';
import { counterexample } from '../support/fuzz/runs.ts';

const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64');
const pemOf = (der: Uint8Array): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${base64(der)}\n-----END CERTIFICATE REQUEST-----\n`;

const pem = await aRequest();
const der = Buffer.from(new x509.Pkcs10CertificateRequest(pem).rawData);

interface Cut {
  at: number;
  removed: number;
  inserted: Uint8Array;
}

const cut = fc.record<Cut>({
  at: fc.nat(der.length),
  removed: fc.nat(4),
  inserted: fc.uint8Array({ maxLength: 4 }),
});

function spoiledBy(bytes: Uint8Array, cuts: readonly Cut[]): Buffer {
  return cuts.reduce(
    (now, { at, removed, inserted }) =>
      Buffer.concat([now.subarray(0, at), inserted, now.subarray(at + removed)]),
    Buffer.from(bytes),
  );
}

const nodeName = 'pool-a';
const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];

/** The request is refused with a sentence, or names this Node and this address alone. */
function isSound(request: string): boolean {
  const reading = readRequest(request);
  if ('fault' in reading) return /\S/.test(reading.fault) && reading.fault.length < 300;
  const { asked } = reading;
  const known = { nodeName, machineName: nodeName, addresses };
  const isOwn =
    asked.dnsNames.every((name) => name.toLowerCase() === nodeName) &&
    asked.ips.every((ip) => canonicalIp(ip) === '10.0.0.1');
  return isOwn || faultOfAddresses(asked, known) !== undefined;
}

function expectSound(request: string): void {
  expect(isSound(request)).toBe(true);
}

const cuts = fc.array(cut, { minLength: 1, maxLength: 4 });

test('requests with spoiled bytes are read, or refused', () => {
  const found = counterexample(cuts, 1_000, (some) =>
    expectSound(base64(pemOf(spoiledBy(der, some)))),
  );
  expect(found).toBeUndefined();
});

const marker = fc.constantFrom('-----BEGIN ', 'CERTIFICATE REQUEST', '-----', '\n', pem);
const texts = fc.array(fc.oneof(marker, fc.string({ unit: 'binary' })), { maxLength: 6 });

test('texts that are no request are refused', () => {
  const found = counterexample(texts, 1_000, (parts) => {
    expectSound(base64(parts.join('')));
    expectSound(parts.join(''));
  });
  expect(found).toBeUndefined();
});

const hostOf = (ip: string): string => new URL(`http://[${ip}]`).hostname;

test('addresses are the same in any form, and no others are', () => {
  const found = counterexample(fc.tuple(fc.ipV6(), fc.ipV6()), 1_000, ([one, other]) => {
    expect(canonicalIp(one) === canonicalIp(other)).toBe(hostOf(one) === hostOf(other));
  });
  expect(found).toBeUndefined();
});
