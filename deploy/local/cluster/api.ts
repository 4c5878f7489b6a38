import { request } from 'node:https';
import { host } from '../supervision/ports.ts';

/** Requests of the stack itself to its API server, as the administrator. */
export interface AdminApi {
  /** The status code and the body; rejects when no answer came. */
  call: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: string }>;
}

const answerWithinMs = 5_000;

export function adminApi(port: number, authority: string, token: string): AdminApi {
  return {
    call: (method, path, body) =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? undefined : JSON.stringify(body);
        // A merge patch is the only patch that the stack sends.
        const headers = {
          authorization: `Bearer ${token}`,
          'content-type': method === 'PATCH' ? mergePatch : 'application/json',
        };
        const signal = AbortSignal.timeout(answerWithinMs);
        const call = request(
          { host, port, path, method, headers, signal, ca: authority },
          (response) => {
            const parts: Buffer[] = [];
            response.on('data', (part: Buffer) => parts.push(part));
            response.on('error', reject);
            response.on('end', () =>
              resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }),
            );
          },
        );
        call.on('error', reject);
        call.end(text);
      }),
  };
}

const mergePatch = 'application/merge-patch+json';
