/** The wire of a double of a REST cloud: requests go to one function, and are kept. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { listening, type Listening } from '../../support/listening.ts';

export interface RestRequest {
  method: string;
  /** Without its query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Undefined where there is none; a text that is no JSON is `null`. */
  body: unknown;
}

export interface RestReply {
  status: number;
  headers?: Record<string, string>;
  /** Default: an empty answer. */
  body?: unknown;
}

export interface RestDouble extends Listening {
  /** In the order in which they came. */
  requests: RestRequest[];
}

/** `port`: default any that is free. */
export async function startRestDouble(
  answer: (request: RestRequest) => RestReply,
  port = 0,
): Promise<RestDouble> {
  const requests: RestRequest[] = [];
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = incoming;
    const { pathname: path, searchParams: query } = new URL(url, 'http://double');
    const request = { method, path, query, headers, body: parsed(await text(incoming)) };
    requests.push(request);
    const reply = replyTo(answer, request);
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(reply.body === undefined ? '' : JSON.stringify(reply.body));
  };
  const server = createServer((incoming, response) => {
    void serve(incoming, response).catch(() => response.destroy());
  });
  return { ...(await listening(server, port)), requests };
}

function parsed(content: string): unknown {
  if (content === '') return undefined;
  try {
    return JSON.parse(content);
  } catch {
    return null;
  }
}

/** A bug of the double is to be seen in the test, as an answer that no cloud gives. */
function replyTo(answer: (request: RestRequest) => RestReply, request: RestRequest): RestReply {
  try {
    return answer(request);
  } catch (error) {
    return { status: 599, body: { double: String(error) } };
  }
}
