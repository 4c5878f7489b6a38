/** A small STS over HTTP: gives credentials for a web identity, or says nothing. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening, type Listening } from '../../support/listening.ts';
import { formOf, type Form } from './form.ts';
import { keptAlive } from '../../../deploy/local/virtual-cloud/http-server.ts';

export interface StsDouble extends Listening {
  /** Of roles, also those that were not answered. */
  readonly requests: readonly Form[];
  /** So many of the next requests get no answer; their connections stay open. */
  silence(times: number): void;
  /** Those that were not answered are, by now. */
  answerAll(): void;
}

/** Its credentials are good for an hour; `stsAccessKey` is their key. */
export const stsAccessKey = 'KEY-OF-STS';

export async function startStsDouble(): Promise<StsDouble> {
  const requests: Form[] = [];
  const unanswered: ServerResponse[] = [];
  let silent = 0;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests.push(formOf(await text(request)));
    if (silent === 0) return answer(response);
    silent -= 1;
    unanswered.push(response);
  };
  const server = createServer(keptAlive, (request, response) => {
    take(request, response).catch((error: unknown) => response.destroy(Object(error)));
  });
  return {
    ...(await listening(server)),
    requests,
    silence: (times) => void (silent = times),
    answerAll: () => unanswered.splice(0).forEach(answer),
  };
}

function answer(response: ServerResponse): void {
  const expiration = new Date(Date.now() + 3_600_000).toISOString();
  const name = 'AssumeRoleWithWebIdentity';
  const keys = `<AccessKeyId>${stsAccessKey}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>`;
  const credentials = `<Credentials>${keys}<Expiration>${expiration}</Expiration></Credentials>`;
  const result = `<${name}Result>${credentials}</${name}Result>`;
  response
    .writeHead(200, { 'content-type': 'text/xml' })
    .end(
      `<${name}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${result}</${name}Response>`,
    );
}
