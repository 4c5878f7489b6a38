/** A server on a port of this machine, until a test is over. */
import type { AddressInfo, Server, Socket } from 'node:net';

export interface Listening extends AsyncDisposable {
  port: number;
  /** With `http:`. */
  url: string;
  /** Ends its connections too. */
  close: () => Promise<void>;
}

/** `port`: default any that is free. */
export async function listening(server: Server, port = 0): Promise<Listening> {
  // A server does not know its tunnels any more.
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address: AddressInfo = Object(server.address());
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const url = `http://127.0.0.1:${address.port}`;
  return { port: address.port, url, close, [Symbol.asyncDispose]: close };
}
