/**
 * What moto lacks and EC2 has: a second RunInstances with one ClientToken is answered as the first,
 * and refused when it asks for something else. Stands in front of moto and hands on the rest.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from './listening.ts';

interface Answer {
  status: number;
  body: string;
}

interface Remembered {
  /** What was asked for. */
  form: string;
  answer: Promise<Answer>;
}

export interface TokenMemory {
  url: string;
  stop: () => Promise<void>;
}

export async function rememberTokens(moto: string): Promise<TokenMemory> {
  const memory = new Map<string, Remembered>();
  const server = createServer(
    (request, response) => void serve({ moto, memory }, request, response),
  );
  const { url, close } = await listening(server);
  return { url, stop: close };
}

interface World {
  moto: string;
  memory: Map<string, Remembered>;
}

async function serve(world: World, request: IncomingMessage, response: ServerResponse) {
  const { status, body } = await answerOrRefusal(world, request);
  response.writeHead(status, { 'content-type': 'text/xml' });
  response.end(body);
}

/** What cannot be answered is the client's to hear of: thrown here, it would end the test run. */
async function answerOrRefusal(world: World, request: IncomingMessage): Promise<Answer> {
  const { method = '', url = '' } = request;
  // EC2 is asked with POST alone; whatever else comes here is meant for another server.
  if (method !== 'POST') return { status: 405, body: `${method} ${url}: EC2 is asked with POST` };
  try {
    return await answerOf(world, request, await text(request));
  } catch (error) {
    return { status: 502, body: `${method} ${url}: ${String(error)}` };
  }
}

async function answerOf(world: World, request: IncomingMessage, form: string): Promise<Answer> {
  const fields = new URLSearchParams(form);
  const token = fields.get('ClientToken');
  if (fields.get('Action') !== 'RunInstances' || token === null)
    return await ask(world, request, form);
  const known = world.memory.get(token);
  if (known && known.form !== form) return mismatch;
  const answer = known?.answer ?? ask(world, request, form);
  world.memory.set(token, { form, answer });
  const { status, body } = await answer;
  // EC2 remembers what it did, not what it refused.
  if (status !== 200) world.memory.delete(token);
  return { status, body };
}

async function ask({ moto }: World, request: IncomingMessage, form: string): Promise<Answer> {
  const { authorization = '', 'content-type': type = '' } = request.headers;
  const answer = await fetch(new URL(request.url ?? '/', moto), {
    method: 'POST',
    headers: { authorization, 'content-type': type },
    body: form,
  });
  return { status: answer.status, body: await answer.text() };
}

const mismatch: Answer = {
  status: 400,
  body:
    '<?xml version="1.0" encoding="UTF-8"?><Response><Errors><Error><Code>IdempotentParameterMismatch</Code>' +
    '<Message>The token was used with other parameters</Message></Error></Errors><RequestID>r</RequestID></Response>',
};
