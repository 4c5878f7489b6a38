/** The process that plays the agents of all Nodes of a cluster. */
import { parseArgs } from 'node:util';
import { createClusterClient } from '../virtual-cloud/kube-client.ts';
import { playAgents } from './agents.ts';

const help = `Usage: node deploy/local/update-agent/main.ts --kubeconfig FILE [--nodes PATTERN]

Stands for the agent on each Node that updates it in place: waits for the reason ReadyForUpdate, takes
a second, and labels the Node with update-result. An annotation of a Node has it do otherwise:
docs/local-stack.md.

  --kubeconfig FILE  cluster of the Nodes. Required
  --nodes PATTERN    of names: plays the agents of these Nodes only, such as "pool-a-*". Default "*"
  --help             this text
`;

function log(message: string): void {
  process.stdout.write(`${new Date().toISOString()} ${message}\n`);
}

function run(): void {
  const { values } = parseArgs({
    options: {
      kubeconfig: { type: 'string' },
      nodes: { type: 'string', default: '*' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(help);
  if (!values.kubeconfig) throw new Error('--kubeconfig: missing; name the cluster of the Nodes');
  const client = createClusterClient(values.kubeconfig, log, 'update-agent');
  const stop = playAgents(client, { log, nodes: values.nodes });
  const end = (): void => {
    stop();
    void client.close();
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}

try {
  run();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
