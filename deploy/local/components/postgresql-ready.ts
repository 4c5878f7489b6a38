import { connect } from 'node:net';

/** Version of the protocol, which all versions since 7.4 speak. */
const protocolVersion = 0x0003_0000;
/** First byte of the answer: how to authenticate. Another one is an error: it starts or ends. */
const authentication = 'R'.charCodeAt(0);

/**
 * Begins to log in and leaves again. False while the server does not listen, recovers after a kill,
 * or ends: it answers with an error then.
 */
export function acceptsClients(
  address: { host: string; port: number },
  user: string,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(address);
  socket.setTimeout(2_000);
  socket.once('connect', () => socket.write(startupMessage(user)));
  socket.once('data', (answer) => {
    resolve(answer[0] === authentication);
    socket.destroy();
  });
  socket.once('timeout', () => socket.destroy());
  // 'close' follows, and so no answer is an answer too.
  socket.once('error', () => undefined);
  socket.once('close', () => resolve(false));
  return promise;
}

function startupMessage(user: string): Buffer {
  const parameters = Buffer.from(`user\0${user}\0database\0postgres\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + parameters.length, 0);
  head.writeInt32BE(protocolVersion, 4);
  return Buffer.concat([head, parameters]);
}
