/**
 * A proxy on the wire: passes plain requests on to where they are addressed, and opens tunnels to
 * one place or to none.
 */
import { createServer, request as send } from 'node:http';
import { connect } from 'node:net';
import { listening, type Listening } from '../../support/listening.ts';

export interface ProxyDouble extends Listening {
  /** `POST http://...` or `CONNECT host:port`, in their order. */
  readonly requests: readonly string[];
  /** To this port of this machine, whatever host is asked for. Else they are refused with 502. */
  openTunnels(port: number): void;
}

export async function startProxyDouble(): Promise<ProxyDouble> {
  const requests: string[] = [];
  let tunnelPort: number | undefined;
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push(`${method} ${url}`);
    const onward = send(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  server.on('connect', ({ url = '' }, socket) => {
    requests.push(`CONNECT ${url}`);
    if (tunnelPort === undefined) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const onward = connect(tunnelPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward]) end.on('error', () => end.destroy());
  });
  const open = await listening(server);
  return { ...open, requests, openTunnels: (port) => void (tunnelPort = port) };
}
