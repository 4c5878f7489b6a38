/** The wire of a double of a REST cloud: requests go to one function, and are kept. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface RestRequest {
  method: string;
  /** Without its query. */
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined when there is none. */
  body: unknown;
}

export interface RestReply {
  status: number;
  headers?: Record<string, string>;
  /** Default: an empty answer. */
  body?: unknown;
}

export interface RestDouble {
  url: string;
  /** In the order in which they came. */
  requests: RestRequest[];
  close: () => Promise<void>;
}

export async function startRestDouble(
  answer: (request: RestRequest) => RestReply,
): Promise<RestDouble> {
  const requests: RestRequest[] = [];
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = incoming;
    const { pathname: path, searchParams: query } = new URL(url, 'http://double');
    const content = await text(incoming);
    const body: unknown = content === '' ? undefined : JSON.parse(content);
    const request = { method, path, query, headers, body };
    requests.push(request);
    const reply = replyTo(answer, request);
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(reply.body === undefined ? '' : JSON.stringify(reply.body));
  };
  const server = createServer((incoming, response) => {
    void serve(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the double has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((settle) => server.close(settle));
    },
  };
}

/** A bug of the double is to be seen in the test, as an answer that no cloud gives. */
function replyTo(answer: (request: RestRequest) => RestReply, request: RestRequest): RestReply {
  try {
    return answer(request);
  } catch (error) {
    return { status: 599, body: { double: String(error) } };
  }
}
