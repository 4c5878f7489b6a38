/** What a server has that an intermediate authority has certified, as those of companies do. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export interface Issued {
  /** PEM, PKCS 8. */
  key: string;
  /** PEM: what the server shows, itself and the intermediate. */
  chain: string;
  intermediate: string;
  root: string;
}

interface Authority {
  name: string;
  keys: webcrypto.CryptoKeyPair;
  certificate: x509.X509Certificate;
}

export async function issued(ip: string): Promise<Issued> {
  x509.cryptoProvider.set(webcrypto);
  const root = await authority('root');
  const intermediate = await authority('intermediate', root);
  const names = new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: ip }]);
  const { keys, certificate } = await signed({ name: 'server', extensions: [names] }, intermediate);
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  const [leaf, middle, top] = [certificate, intermediate.certificate, root.certificate].map(
    (one) => `${one.toString('pem')}\n`,
  );
  return {
    key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
    chain: `${leaf}${middle}`,
    intermediate: middle ?? '',
    root: top ?? '',
  };
}

const authority = async (name: string, issuer?: Authority): Promise<Authority> =>
  await signed(
    { name, extensions: [new x509.BasicConstraintsExtension(true, undefined, true)] },
    issuer,
  );

async function signed(
  { name, extensions }: { name: string; extensions: x509.Extension[] },
  issuer: Authority | undefined,
): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const common = { subject: `CN=${name}`, signingAlgorithm: algorithm, extensions };
  const certificate = await x509.X509CertificateGenerator.create({
    ...common,
    publicKey: keys.publicKey,
    issuer: `CN=${issuer?.name ?? name}`,
    signingKey: (issuer?.keys ?? keys).privateKey,
  });
  return { name, keys, certificate };
}
