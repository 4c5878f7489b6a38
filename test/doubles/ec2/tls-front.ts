/**
 * TLS before a double, with the name of a real endpoint and a certificate that nobody trusts by
 * himself.
 */
import { request as send } from 'node:http';
import { createServer } from 'node:https';
import { listening, type Listening } from '../../support/listening.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { keptAlive } from '../../../deploy/local/virtual-cloud/http-server.ts';

export interface TlsFront extends Listening {
  /** To be trusted by who asks. */
  certificate: string;
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
  return { ...(await listening(server)), certificate };
}
