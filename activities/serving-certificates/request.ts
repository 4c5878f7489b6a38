/**
 * Reads the PKCS #10 request of a kubelet. Kubernetes' signer signs what Go's parser reads, so a
 * request that two parsers may read differently (a second list of extensions, a name of another
 * kind) is refused, and so is everything that a kubelet never sends.
 */
import { createPublicKey } from 'node:crypto';
import { CertificationRequest } from '@peculiar/asn1-csr';
import { AsnConvert } from '@peculiar/asn1-schema';
import type { GeneralName, Name } from '@peculiar/asn1-x509';
import { Extensions, SubjectAlternativeName } from '@peculiar/asn1-x509';

export interface AskedNames {
  commonName: string;
  dnsNames: string[];
  /** As text, IPv6 in any of its forms. */
  ips: string[];
}

/** The first sentence says what is wrong with it. */
export type Reading = { asked: AskedNames } | { fault: string };

/** A kubelet's has some 600 characters, with a key of RSA and a dozen of names some 2,000. */
const longestPem = 16 * 1024;
const mostNames = 100;

const commonNameOid = '2.5.4.3';
const organizationOid = '2.5.4.10';
const extensionRequestOid = '1.2.840.113549.1.9.14';
const subjectAlternativeNameOid = '2.5.29.17';

const form =
  /^\s*-----BEGIN CERTIFICATE REQUEST-----\s+([A-Za-z0-9+/=\s]+)-----END CERTIFICATE REQUEST-----\s*$/;

/**
 * `request`: PEM in base64, as in `spec.request`. The API server has checked its signature, so who
 * sent it has the key.
 */
export function readRequest(request: string): Reading {
  if (request.length > longestPem) {
    return { fault: `the request has ${request.length} characters, more than ${longestPem}` };
  }
  const [, body] = form.exec(Buffer.from(request, 'base64').toString('latin1')) ?? [];
  if (body === undefined) return { fault: 'the request is not one PEM block of a request alone' };
  try {
    const { certificationRequestInfo } = exactly(Buffer.from(body, 'base64'), CertificationRequest);
    const { subject, subjectPKInfo, attributes } = certificationRequestInfo;
    requireKey(Buffer.from(AsnConvert.serialize(subjectPKInfo)));
    return { asked: { commonName: commonNameOf(subject), ...sorted(namesIn(attributes)) } };
  } catch (error) {
    // The parser's own words quote its input.
    const unreadable = 'the request is no PKCS #10 request that can be read';
    return { fault: error instanceof Fault ? error.message : unreadable };
  }
}

class Fault extends Error {}

/**
 * As Go reads it: the parser here takes lengths that do not fit together, and what it makes of them
 * has other bytes then. Throws what it cannot read.
 */
function exactly<T>(bytes: Buffer, type: new () => T): T {
  const parsed = AsnConvert.parse(bytes, type);
  if (Buffer.from(AsnConvert.serialize(parsed)).equals(bytes)) return parsed;
  throw new Fault('the request is not in DER');
}

/** Curves and sizes that Go's TLS takes of a server, as a kubelet makes them. */
function requireKey(spki: Buffer): void {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = createPublicKey({
    key: spki,
    format: 'der',
    type: 'spki',
  });
  const { namedCurve = '', modulusLength = 0 } = details;
  const isStrong =
    type === 'ed25519' ||
    (type === 'ec' && ['prime256v1', 'secp384r1', 'secp521r1'].includes(namedCurve)) ||
    (type === 'rsa' && modulusLength >= 2048 && modulusLength <= 8192);
  if (!isStrong) {
    const kind = [type, namedCurve || modulusLength || ''].join(' ').trim();
    throw new Fault(
      `key ${kind}: must be ECDSA of P-256, P-384 or P-521, RSA of 2048 to 8192 bits, or Ed25519`,
    );
  }
}

function commonNameOf(subject: Name): string {
  const parts = subject.flatMap((set) => [...set]);
  const text = ({ value }: (typeof parts)[number]): string | undefined =>
    value.printableString ?? value.utf8String;
  const of = (oid: string) => parts.filter(({ type }) => type === oid).map(text);
  const [commonName, ...others] = of(commonNameOid);
  const organizations = of(organizationOid);
  const isOnly = organizations.length === 1 && organizations[0] === 'system:nodes';
  if (commonName === undefined || others.length > 0 || !isOnly || parts.length !== 2) {
    throw new Fault(
      'subject: must be one CN and the one O "system:nodes", as printable text or UTF-8',
    );
  }
  return commonName;
}

function namesIn(attributes: CertificationRequest['certificationRequestInfo']['attributes']) {
  const [attribute, ...others] = attributes;
  const [value, ...more] = attribute?.values ?? [];
  const isList = attribute?.type === extensionRequestOid && others.length + more.length === 0;
  if (!isList || value === undefined) {
    throw new Fault('attributes: must be one list of extensions and nothing else');
  }
  const [extension, ...rest] = exactly(Buffer.from(value), Extensions);
  if (extension?.extnID !== subjectAlternativeNameOid || rest.length > 0) {
    throw new Fault('extensions: must be subjectAltName alone');
  }
  return exactly(Buffer.from(extension.extnValue.buffer), SubjectAlternativeName);
}

function sorted(names: readonly GeneralName[]): Pick<AskedNames, 'dnsNames' | 'ips'> {
  if (names.length === 0 || names.length > mostNames) {
    throw new Fault(`subjectAltName: ${names.length} names: must be 1 to ${mostNames}`);
  }
  const dnsNames = names.flatMap(({ dNSName }) => dNSName ?? []);
  const ips = names.flatMap(({ iPAddress }) => iPAddress ?? []);
  if (dnsNames.length + ips.length === names.length) return { dnsNames, ips };
  throw new Fault('subjectAltName: must be DNS names and IP addresses only');
}
