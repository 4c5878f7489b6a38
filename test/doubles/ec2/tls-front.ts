/**
 * TLS before a double, with the name of a real endpoint and a certificate that nobody trusts by
 * himself.
 */
import { request as send } from 'node:http';
import { createServer } from 'node:https';
import { selfSigned } from '../../support/self-signed.ts';
import { keptAlive } from '../../../deploy/local/virtual-cloud/http-server.ts';

export interface TlsFront {
  port: number;
  /** To be trusted by who asks. */
  certificate: string;
  close(): Promise<void>;
}

/** `url`: where requests go on to, in plain text. */
export async function startTlsFront(host: string, url: string): Promise<TlsFront> {
  const { key, certificate } = await selfSigned({ name: host, hosts: [host] });
  const server = createServer({ key, cert: certificate, ...keptAlive }, (request, response) => {
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
