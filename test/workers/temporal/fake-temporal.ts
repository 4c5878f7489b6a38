/** A server that speaks gRPC on the wire and answers with empty messages, or as a test says. */
import type { IncomingHttpHeaders } from 'node:http2';
import { createSecureServer, createServer } from 'node:http2';
import { listening } from '../../support/listening.ts';

export interface Refusal {
  /** Of gRPC. */
  code: number;
  message: string;
}

export interface Call {
  /** Such as `CountWorkflowExecutions`. */
  method: string;
  /** The bytes of the request, as text: strings in it are readable. */
  text: string;
}

export interface FakeTemporal {
  address: string;
  calls: Call[];
  /** Of each call. */
  headers: IncomingHttpHeaders[];
  close: () => Promise<void>;
}

/**
 * `answer` returns a refusal, the bytes of a message, `silence` for none at all, or undefined for
 * an empty answer. `tls`: default none.
 */
export async function startFakeTemporal(
  answer: (call: Call) => Refusal | Uint8Array | 'silence' | undefined,
  tls?: { key: string; cert: string },
): Promise<FakeTemporal> {
  const calls: Call[] = [];
  const seen: IncomingHttpHeaders[] = [];
  const server = tls ? createSecureServer(tls) : createServer();
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
    stream.on('end', () => {
      const method = String(headers[':path']).split('/').at(-1) ?? '';
      const call = { method, text: Buffer.concat(chunks).toString('latin1') };
      calls.push(call);
      seen.push(headers);
      const given = answer(call);
      if (given === 'silence') return;
      const message = given instanceof Uint8Array ? given : new Uint8Array();
      const refusal = given instanceof Uint8Array ? undefined : given;
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc' },
        { waitForTrailers: true },
      );
      stream.on('wantTrailers', () =>
        stream.sendTrailers({
          'grpc-status': String(refusal?.code ?? 0),
          'grpc-message': refusal?.message ?? '',
        }),
      );
      stream.end(refusal ? undefined : frameOf(message));
    });
  });
  const { port, close } = await listening(server);
  return { address: `127.0.0.1:${port}`, calls, headers: seen, close };
}

/** Of gRPC: not compressed. */
function frameOf(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
