/**
 * Stands between one scenario's watcher and worker and Temporal: takes it away, as a broken network
 * does, or sends both to another server.
 */
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { host } from '../../../deploy/local/supervision/ports.ts';
import { testStack } from './test-stack.ts';

export class TemporalOutage {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #upstream: () => string;
  #isOut = false;

  /** `upstream`: asked for each connection; default the server that all scenarios share. */
  constructor(upstream = (): string => testStack().temporalAddress) {
    this.#upstream = upstream;
    this.#server = createServer((client) => this.#relay(client));
  }

  async start(): Promise<void> {
    this.#server.listen(0, host);
    await once(this.#server, 'listening');
  }

  /** For a scenario's options. */
  get options(): { temporalAddress: () => string } {
    return { temporalAddress: () => this.#address() };
  }

  begin(): void {
    this.#isOut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  end(): void {
    this.#isOut = false;
  }

  async stop(): Promise<void> {
    this.begin();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #address(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('it was not started');
    return `${host}:${address.port}`;
  }

  #relay(client: Socket): void {
    if (this.#isOut) {
      client.destroy();
      return;
    }
    const { hostname, port } = new URL(`tcp://${this.#upstream()}`);
    const server = connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      // What broke is closed, and both sides see it.
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
