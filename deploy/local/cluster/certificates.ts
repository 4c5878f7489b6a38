import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
// Its container of dependencies refuses to load without this.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** A stack is thrown away long before. */
const validDays = 3650;
const dayMs = 24 * 60 * 60 * 1000;

/** Certificate and private key as PEM. */
export interface KeyPair {
  certificate: string;
  key: string;
}

interface Authority {
  certificate: x509.X509Certificate;
  key: webcrypto.CryptoKey;
}

export interface ServerNames {
  name: string;
  /** Names and addresses that clients call it by. */
  hosts: readonly string[];
}

/**
 * The stack's certificate authority. It is made once and kept, so that kubeconfigs copied elsewhere
 * go on to work; what it signs is made anew at each start.
 */
export class CertificateAuthority {
  readonly #authority: Authority;
  readonly certificate: string;

  private constructor(authority: Authority) {
    this.#authority = authority;
    this.certificate = authority.certificate.toString('pem');
  }

  static async loadOrCreate(folder: string): Promise<CertificateAuthority> {
    if (!existsSync(folder)) await createFolder(folder);
    const certificate = new x509.X509Certificate(readFileSync(join(folder, 'ca.crt'), 'utf8'));
    const der = createPrivateKey(readFileSync(join(folder, 'ca.key'))).export({
      type: 'pkcs8',
      format: 'der',
    });
    const key = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
    return new CertificateAuthority({ certificate, key });
  }

  async issue({ name, hosts }: ServerNames): Promise<KeyPair> {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity(),
      subject: [{ CN: [name] }],
      issuer: this.#authority.certificate.subject,
      publicKey: keys.publicKey,
      signingKey: this.#authority.key,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(hosts.map(nameOf)),
      ],
    });
    return { certificate: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
  }
}

/** Written beside and renamed, so that a kill in the middle never leaves half an authority. */
async function createFolder(folder: string): Promise<void> {
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const authority = await newAuthority();
  const files = { ...authority, ...(await newServiceAccountKeys()) };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(partial, name), content, { mode: 0o600 });
  }
  renameSync(partial, folder);
}

async function newAuthority(): Promise<Record<'ca.crt' | 'ca.key', string>> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    name: 'CN=millwright-local-stack',
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
    ],
  });
  return { 'ca.crt': certificate.toString('pem'), 'ca.key': await pemOf(keys.privateKey) };
}

/** The pair that signs and checks the tokens of service accounts. */
async function newServiceAccountKeys(): Promise<Record<'sa.key' | 'sa.pub', string>> {
  const key = await pemOf((await newKeys()).privateKey);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  return { 'sa.key': key, 'sa.pub': publicKey };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

/** In SEC 1 ("EC PRIVATE KEY"), which every reader of Go's crypto takes. */
async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const parsed = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return parsed.export({ type: 'sec1', format: 'pem' }).toString();
}

function nameOf(value: string): x509.JsonGeneralName {
  return { type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value };
}

/** From a day ago: clocks of virtual machines jump. */
function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - dayMs), notAfter: new Date(now + validDays * dayMs) };
}
