/** What requests come by on their way to a server of a test: TLS, and a proxy. */
import {
  createServer,
  request as send,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { connect } from 'node:net';
import { TLSSocket } from 'node:tls';
import { keptAlive } from '../../deploy/local/virtual-cloud/http-server.ts';
import { listening, type Listening } from './listening.ts';
import { selfSigned } from './self-signed.ts';

export interface TlsFront extends Listening {
  /** That nobody trusts by himself; PEM. */
  certificate: string;
  /** Of each request, the name in the certificate that it came with. */
  callers: unknown[];
}

/** `hosts`: the names of a real endpoint. `url`: where requests go on to, in plain text. */
export async function startTlsFront(
  hosts: readonly string[],
  url: string,
  options: ServerOptions = {},
): Promise<TlsFront> {
  const [name = ''] = hosts;
  const { key, certificate } = await selfSigned({ name, hosts: [...hosts], isAuthority: true });
  const callers: unknown[] = [];
  const tls = { key, cert: certificate, ...keptAlive, ...options };
  const server = createTlsServer(tls, (request, response) => {
    const { socket } = request;
    if (socket instanceof TLSSocket) callers.push(socket.getPeerCertificate().subject?.CN);
    passOn(new URL(request.url ?? '/', url), request, response);
  });
  return { ...(await listening(server)), certificate, callers };
}

export interface Proxy extends Listening {
  /** `POST http://...` or `CONNECT host:port`, in their order. */
  readonly requests: readonly string[];
  /** To this port of this machine, whatever host is asked for. Else they are refused with 502. */
  openTunnels(port: number): void;
}

/** Passes plain requests on to where they are addressed, and opens tunnels to one place. */
export async function startProxy(): Promise<Proxy> {
  const requests: string[] = [];
  let tunnelPort: number | undefined;
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    requests.push(`${method} ${url}`);
    passOn(new URL(url), request, response);
  });
  server.on('connect', ({ url = '' }, socket, head) => {
    requests.push(`CONNECT ${url}`);
    if (tunnelPort === undefined) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const onward = connect(tunnelPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward]) end.on('error', () => end.destroy());
  });
  const open = await listening(server);
  return { ...open, requests, openTunnels: (port) => void (tunnelPort = port) };
}

function passOn(to: URL, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = request;
  const onward = send(to, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}
