/**
 * An egress proxy that speaks CONNECT, and behind it Google's own host names, which lead to the
 * double.
 */
import { webcrypto } from 'node:crypto';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect } from 'node:net';
// The library of certificates refuses to load without this.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

export interface ConnectProxy {
  /** For HTTPS_PROXY. */
  url: string;
  /** For NODE_EXTRA_CA_CERTS, PEM. */
  certificate: string;
  /** `HOST:PORT` of each CONNECT. */
  tunnels: string[];
  close(): Promise<void>;
}

/** `names`: the hosts that there are. All requests to them go to `upstream`. */
export async function startConnectProxy(names: string[], upstream: string): Promise<ConnectProxy> {
  const { key, certificate } = await newCertificate(names);
  const hosts = createTlsServer({ key, cert: certificate }, (incoming, outgoing) =>
    forward(upstream, incoming, outgoing),
  );
  const tunnels: string[] = [];
  // A server does not know its tunnels any more.
  const sockets = new Set<Socket>();
  const proxy = createServer();
  proxy.on('connect', ({ url = '' }: IncomingMessage, client: Socket) => {
    tunnels.push(url);
    const inner = connect(portOf(hosts), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      inner.pipe(client).pipe(inner);
    });
    for (const socket of [inner, client]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
  });
  await Promise.all([hosts, proxy].map(listen));
  return {
    url: `http://127.0.0.1:${portOf(proxy)}`,
    certificate,
    tunnels,
    async close() {
      for (const socket of sockets) socket.destroy();
      for (const server of [proxy, hosts]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

function forward(upstream: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers, url = '/' } = incoming;
  const onward = httpRequest(new URL(url, upstream), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

function portOf(server: Server): number {
  const address: AddressInfo = Object(server.address());
  return address.port;
}

async function newCertificate(names: string[]): Promise<{ key: string; certificate: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=behind the proxy',
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const lines = key.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----'].join('\n'),
    certificate: `${certificate.toString('pem')}\n`,
  };
}
