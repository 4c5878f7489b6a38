/** Requests for certificates in any form: read as a kubelet's, or refused in words. */
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

/** Whatever is approved names this Node and this address, byte by byte. */
function expectSound(request: string): void {
  const reading = readRequest(request);
  if ('fault' in reading) {
    expect(reading.fault).toMatch(/\S/);
    expect(reading.fault.length).toBeLessThan(300);
    return;
  }
  const { asked } = reading;
  if (faultOfAddresses(asked, { nodeName, machineName: nodeName, addresses }) !== undefined) return;
  expect(asked.dnsNames.every((name) => name.toLowerCase() === nodeName)).toBe(true);
  expect(asked.ips.every((ip) => canonicalIp(ip) === '10.0.0.1')).toBe(true);
}

test('requests with spoiled bytes are read, or refused', () => {
  const cuts = fc.array(cut, { minLength: 1, maxLength: 4 });
  const check = (some: Cut[]): void => expectSound(base64(pemOf(spoiledBy(der, some))));
  expect(counterexample(cuts, 1_000, check)).toBeUndefined();
});

test('texts that are no request are refused', () => {
  const marker = fc.constantFrom('-----BEGIN ', 'CERTIFICATE REQUEST', '-----', '\n', pem);
  const texts = fc.array(fc.oneof(marker, fc.string({ unit: 'binary' })), { maxLength: 6 });
  const check = (parts: string[]): void => {
    expectSound(base64(parts.join('')));
    expectSound(parts.join(''));
  };
  expect(counterexample(texts, 1_000, check)).toBeUndefined();
});

test('addresses are the same in any form, and no others are', () => {
  const check = ([a, b]: [string, string]): void => {
    const [one, other] = [canonicalIp(a), canonicalIp(b)];
    expect(one).toBeDefined();
    const isSame = new URL(`http://[${a}]`).hostname === new URL(`http://[${b}]`).hostname;
    expect(one === other).toBe(isSame);
  };
  expect(counterexample(fc.tuple(fc.ipV6(), fc.ipV6()), 1_000, check)).toBeUndefined();
});
