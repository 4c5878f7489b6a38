/**
 * `npm run worker`, `npm run watcher` and `npm run front`: one more of each. Without flags that say
 * where the clusters are, the stack that runs here is meant.
 */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { layoutOf, repository } from './layout.ts';
import { defaultStateDir } from './options.ts';
import { readStack, type Stack } from './stack.ts';
import { stackEnvironment } from './stack-environment.ts';

const [name, ...flags] = process.argv.slice(2);
const component = name === 'watcher' || name === 'front' ? name : 'worker';
const namesCluster = flags.some((flag) => /^--?(control|target)-kubeconfig/.test(flag));
const asksForHelp = flags.some((flag) => /^--?(h|help|version)$/.test(flag));
/** A worker with the watcher in it needs the rights of both. */
const isInOne = /^--?with-watcher(=true)?$/;
const stack = namesCluster || asksForHelp ? undefined : readStack();

if (stack) {
  const hasBoth = component === 'worker' && flags.some((flag) => isInOne.test(flag));
  const user = hasBoth ? 'millwright-controller' : (`millwright-${component}` as const);
  const kubeconfig = layoutOf(defaultStateDir).kubeconfigOf(user);
  const identity = `${component}-${process.pid}`;
  takeEnvironmentOf(stack);
  // Defaults: what the person gives comes later and wins.
  process.argv.splice(
    2,
    Infinity,
    `--control-kubeconfig=${kubeconfig}`,
    `--target-kubeconfig=${kubeconfig}`,
    `--namespace=${stack.namespace}`,
    `--leader-elect-identity=${identity}`,
    '--address=127.0.0.1',
    '--port=0',
    ...flags,
  );
} else {
  process.argv.splice(2, Infinity, ...flags);
}
await import(pathToFileURL(join(repository, 'workers', `${component}.ts`)).href);

function takeEnvironmentOf({ components, environment }: Stack): void {
  const { TEMPORAL_ADDRESS: temporalAddress } = environment;
  const isElsewhere = components['temporal'] === undefined && temporalAddress !== undefined;
  const env = stackEnvironment(isElsewhere ? { temporalAddress } : {}, process.env);
  const unwanted = Object.keys(process.env).filter((variable) => !(variable in env));
  for (const variable of unwanted) delete process.env[variable];
  Object.assign(process.env, env, environment);
}
