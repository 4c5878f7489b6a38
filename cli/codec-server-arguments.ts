/** The command line of `millwright codec-server` -> what is asked. */
import { isIP } from 'node:net';
import { commandLine } from './command-line.ts';

export interface CodecServerQuestion {
  command: 'codec-server';
  payloadKeys: string;
  /** Default 127.0.0.1. */
  address: string;
  /** Default 8234; 0: any free port. */
  port: number;
  /** Origins of pages that may ask, such as `https://temporal.example`. */
  origins: readonly string[];
  /** Undefined: who reaches the address may ask. */
  tokenFile: string | undefined;
}

const { parse, wrong } = commandLine(
  {
    'payload-keys': { type: 'string', default: '' },
    address: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '8234' },
    'allow-origin': { type: 'string', multiple: true, default: [] },
    'token-file': { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
  'millwright --help',
);

/** Throws a `UsageError`. */
export function readCodecServerArguments(
  argv: readonly string[],
): CodecServerQuestion | { command: 'help' } {
  const { values, positionals } = parse(argv);
  if (values.help) return { command: 'help' };
  if (positionals.length > 0) {
    throw wrong(`"${positionals.join(' ')}" is too much after "codec-server"`);
  }
  const { address, port } = values;
  if (values['payload-keys'] === '') {
    throw wrong('--payload-keys is missing: name the file that watcher and worker have');
  }
  if (isIP(address) === 0) throw wrong(`--address is "${address}"; allowed: an IP address`);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw wrong(`--port is "${port}"; allowed: 0 to 65535`);
  }
  if (values['token-file'] === undefined && !isLoopback(address)) {
    throw wrong(
      `--token-file is missing: at ${address} others reach it, and it reads every payload. Give it a file with a token, or let it listen on 127.0.0.1`,
    );
  }
  return {
    command: 'codec-server',
    payloadKeys: values['payload-keys'],
    address,
    port: Number(port),
    origins: values['allow-origin'].map(readOrigin),
    tokenFile: values['token-file'],
  };
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

/** As browsers send it: scheme, host and port, in small letters. */
function readOrigin(text: string): string {
  const origin = URL.parse(text)?.origin;
  if (origin === text && /^https?:/.test(text)) return text;
  throw wrong(
    `--allow-origin is "${text}"; allowed: the origin of the Temporal UI, such as https://temporal.example`,
  );
}
