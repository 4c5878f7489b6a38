import { relative } from 'node:path';
import { defaultStateDir } from './options.ts';
import { host } from './supervision/ports.ts';
import type { Stack } from './supervision/stack-file.ts';

/** Text for a person when the stack is ready: addresses, and three commands to try. */
export function summaryOf(
  stack: Stack,
  { title, detached }: { title: string; detached: boolean },
): string {
  const { ports } = stack;
  const rows = [
    ['Kubernetes API', `https://${host}:${ports.kubeApiserver}`],
    ['Temporal', stack.environment['TEMPORAL_ADDRESS']],
    ['Temporal UI', stack.components['temporal'] && `http://${host}:${ports.temporalUi}`],
    ['Virtual cloud', stack.components['virtual-cloud']?.address],
    ['Prometheus', stack.components['prometheus']?.address],
    ['State and logs', relativePath(stack.stateDir)],
  ];
  const lines = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name?.padEnd(16)}${value}`],
  );
  const inOtherFolder = stack.stateDir !== defaultStateDir;
  const folder = shellWord(relativePath(stack.stateDir));
  const stop = `npm stop${inOtherFolder ? ` -- --state-dir ${folder}` : ''}`;
  return `
${title}

${lines.join('\n')}

Try
  export KUBECONFIG=${shellWord(relativePath(stack.kubeconfig))}
  kubectl apply -f ${exampleFor(stack)}
  kubectl get ${stack.components['front'] ? 'machines.cluster.k8s.io' : 'machines'},nodes

${detached ? `It runs in the background; ${stop} ends it.` : 'Ctrl-C stops everything; the state is kept.'}
`;
}

function exampleFor({ components }: Stack): string {
  if (components['front']) return 'deploy/examples/kubermatic/fake.yaml';
  if (components['cluster-autoscaler'] === undefined)
    return 'deploy/examples/machinedeployment.yaml';
  const folder = 'deploy/examples/cluster-autoscaler';
  return `${folder}/pool.yaml -f ${folder}/workload.yaml`;
}

function relativePath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}

/** As it is pasted into a shell: a path may have spaces. */
function shellWord(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
