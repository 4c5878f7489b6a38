import { parseArgs } from 'node:util';

export interface CloudOptions {
  host: string;
  port: number;
  dataDir: string;
  /** Undefined: machines have no Nodes. */
  kubeconfig: string | undefined;
}

export const help = `Usage: node deploy/local/virtual-cloud/main.ts --data DIR [--listen HOST:PORT] [--kubeconfig FILE]

A cloud for tests and for the local stack: virtual machines are records that register a Node.

  --data DIR           folder of the records; what is in it goes on. Required
  --listen HOST:PORT   where the HTTP API listens. Default 127.0.0.1:7080; port 0 takes a free one
  --kubeconfig FILE    cluster that the machines join. Without it no Nodes are registered
  --help               this text

The API, with examples: docs/virtual-cloud.md
`;

/** An error is for a person: it names the flag. */
export function parseOptions(args: string[]): CloudOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string' },
      listen: { type: 'string', default: '127.0.0.1:7080' },
      kubeconfig: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  if (!values.data) throw new Error('--data: missing; name the folder of the records');
  return { ...parseAddress(values.listen), dataDir: values.data, kubeconfig: values.kubeconfig };
}

function parseAddress(text: string): { host: string; port: number } {
  const [, host, digits] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (host !== undefined && port <= 65_535) return { host, port };
  throw new Error(`--listen: "${text}" is not HOST:PORT, e.g. 127.0.0.1:7080`);
}
