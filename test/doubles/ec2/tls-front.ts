/**
 * TLS before a double, with the name of a real endpoint and a certificate that nobody trusts by
 * himself.
 */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { request as send } from 'node:http';
import { createServer } from 'node:https';
import * as x509 from '@peculiar/x509';

export interface TlsFront {
  port: number;
  /** To be trusted by who asks. */
  certificate: string;
  close(): Promise<void>;
}

/** `url`: where requests go on to, in plain text. */
export async function startTlsFront(host: string, url: string): Promise<TlsFront> {
  const { key, certificate } = await selfSigned(host);
  const server = createServer({ key, cert: certificate }, (request, response) => {
    const { method = '', url: path = '/', headers } = request;
    const onward = send(new URL(path, url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    certificate,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function selfSigned(host: string): Promise<{ key: string; certificate: string }> {
  x509.cryptoProvider.set(webcrypto);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${host}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
  });
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  const key = ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----'].join('\n');
  return { key, certificate: certificate.toString('pem') };
}
