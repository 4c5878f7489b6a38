import { isIP } from 'node:net';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Printed, Run } from '../command-line/answer.ts';
import { collected, wholeNumber } from '../command-line/options.ts';

export interface CodecServerQuestion extends Printed {
  payloadKeys: string;
  address: string;
  /** 0: any free port. */
  port: number;
  /** Origins of pages that may ask, such as `https://temporal.example`. */
  origins: readonly string[];
  /** Undefined: everybody who reaches the address may ask. */
  tokenFile?: string | undefined;
}

interface Options {
  payloadKeys: string;
  address: string;
  port: number;
  allowOrigin: readonly string[];
  tokenFile?: string;
}

const examples = `
Examples:
  millwright codec-server --payload-keys keys --allow-origin https://temporal.example`;

export function addCodecServer(parent: Command, run: Run): void {
  const command = parent
    .command('codec-server')
    .summary('decrypt payloads for the Temporal UI and the command temporal')
    .description('Decrypt payloads for the Temporal UI and the command temporal.')
    .requiredOption('--payload-keys <file>', 'that of watcher and worker')
    .option(
      '--allow-origin <url>',
      'the Temporal UI, such as https://temporal.example; may be given more than once',
      collected(readOrigin),
      [],
    )
    .option('--address <ip>', 'where it listens', readAddress, '127.0.0.1')
    .option('--port <n>', '0: any free one', wholeNumber([0, 65_535]), 8234)
    .option(
      '--token-file <file>',
      'a token that every request has to bring, as "Authorization: Bearer TOKEN"; needed where it listens on another address than that of this host alone',
    )
    .addHelpText('after', examples)
    .action((options: Options) =>
      run(questionOf(options, command), async (asked) => {
        const { serveCodec } = await import('./server.ts');
        return await serveCodec(asked);
      }),
    );
}

function questionOf(options: Options, command: Command): CodecServerQuestion {
  const { allowOrigin, ...others } = options;
  const { address, tokenFile } = others;
  if (tokenFile === undefined && !isLoopback(address)) {
    command.error(
      `--token-file is missing: at ${address} others reach it, and it reads every payload. Give it a file with a token, or let it listen on 127.0.0.1`,
    );
  }
  return { ...others, origins: allowOrigin };
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

function readAddress(text: string): string {
  if (isIP(text) > 0) return text;
  throw new InvalidArgumentError('Allowed: an IP address.');
}

/** As browsers send it: scheme, host and port, in small letters. */
function readOrigin(text: string): string {
  const origin = URL.parse(text)?.origin;
  if (origin === text && /^https?:/.test(text)) return text;
  throw new InvalidArgumentError(
    'Allowed: the origin of the Temporal UI, such as https://temporal.example.',
  );
}
