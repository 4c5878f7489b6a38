/**
 * An egress proxy that speaks CONNECT, and behind it Google's own host names, which lead to the
 * double.
 */
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { listening } from '../../../support/listening.ts';
import { selfSigned } from '../../../support/self-signed.ts';

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
  const { key, certificate } = await selfSigned({
    name: 'behind the proxy',
    hosts: names,
    isAuthority: true,
  });
  const hosts = createTlsServer({ key, cert: certificate }, (incoming, outgoing) =>
    forward(upstream, incoming, outgoing),
  );
  const behind = await listening(hosts);
  const tunnels: string[] = [];
  const proxy = createServer();
  proxy.on('connect', ({ url = '' }: IncomingMessage, client: Socket) => {
    tunnels.push(url);
    const inner = connect(behind.port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      inner.pipe(client).pipe(inner);
    });
    for (const socket of [inner, client]) socket.on('error', () => socket.destroy());
  });
  const open = await listening(proxy);
  return {
    url: open.url,
    certificate,
    tunnels,
    async close() {
      await open.close();
      await behind.close();
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
