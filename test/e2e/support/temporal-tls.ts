/**
 * Temporal behind mTLS, as people run it: a server in front of the one of the local stack that asks
 * for a certificate of its own authority.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { host } from '../../../deploy/local/supervision/ports.ts';
import { testStack } from './test-stack.ts';

export class TemporalTls {
  /** Has `ca.crt`, `ca.key` and the certificate of the server. */
  readonly folder = mkdtempSync(join(tmpdir(), 'millwright-tls-'));
  /** Why certificates were refused, such as `CERT_HAS_EXPIRED`. */
  readonly refusals = new Set<string>();
  readonly #sockets = new Set<TLSSocket>();
  #server: Server | undefined;

  async start(): Promise<void> {
    await this.#openssl(
      'req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=temporal -keyout ca.key -out ca.crt',
    );
    await this.issue('server', { days: 2, subject: '/CN=localhost', names: `IP:${host}` });
    this.#server = createServer(
      {
        cert: this.#file('server.crt'),
        key: this.#file('server.key'),
        ca: this.#file('ca.crt'),
        requestCert: true,
        // Refused below, so that the reason is known.
        rejectUnauthorized: false,
        ALPNProtocols: ['h2'],
      },
      (client) => {
        if (client.authorized) this.#relay(client);
        else this.#refuse(client);
      },
    );
    this.#server.listen(0, host);
    await once(this.#server, 'listening');
  }

  /** `NAME.crt` and `NAME.key` in the folder; with 0 days it has ended when it is made. */
  async issue(
    name: string,
    { days, subject, names }: { days: number; subject: string; names?: string },
  ): Promise<void> {
    // Without any extension it would be of X.509 version 1, which Temporal's core refuses.
    const extensions =
      ' -addext extendedKeyUsage=clientAuth,serverAuth' +
      (names === undefined ? '' : ` -addext subjectAltName=${names}`);
    await this.#openssl(
      `req -newkey rsa:2048 -nodes -subj ${subject}${extensions} -keyout ${name}.key -out ${name}.csr`,
    );
    await this.#openssl(
      `x509 -req -in ${name}.csr -copy_extensions copy -CA ca.crt -CAkey ca.key -CAcreateserial ` +
        `-days ${days} -out ${name}.crt`,
    );
  }

  get address(): string {
    const address = this.#server?.address();
    if (!address || typeof address === 'string') throw new Error('it was not started');
    return `${host}:${address.port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const server = this.#server;
    if (!server) return;
    server.close();
    await once(server, 'close');
  }

  #refuse(client: TLSSocket): void {
    this.refusals.add(String(client.authorizationError));
    client.destroy();
  }

  #relay(client: TLSSocket): void {
    const { hostname, port } = new URL(`tcp://${testStack().temporalAddress}`);
    const server = connect(Number(port), hostname);
    this.#sockets.add(client);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      // What broke is closed, and both sides see it.
      socket.on('error', () => socket.destroy());
      socket.on('close', () => other.destroy());
      socket.pipe(other);
    }
    client.on('close', () => this.#sockets.delete(client));
  }

  #file(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  async #openssl(line: string): Promise<void> {
    await runProgram('openssl', line.split(' '), { cwd: this.folder });
  }
}
