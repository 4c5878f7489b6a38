import {
  type Component,
  defaultOf,
  type Flag,
  groups,
  type Started,
  withoutEffectIn,
} from './flag.ts';
import { type FlagName, flagNames, flagOf } from './table.ts';

const purpose: Record<Component, string> = {
  watcher: 'Turns changes in the clusters into signals to the workflows.',
  worker: 'Runs the workflows and does what they ask of Kubernetes and the cloud.',
  front: 'Mirrors the machines of cluster.k8s.io/v1alpha1, the API of Kubermatic.',
};

/** Text of `--help`: every flag with its default and one sentence, then two examples. */
export function helpText(started: Started): string {
  const { component } = started;
  const sections = groups.map((group) => {
    const names = flagNames.filter((name) => flagOf(name).group === group);
    return [`${group}:`, ...names.map((name) => helpOfFlag(name, started))].join('\n');
  });
  return [
    `millwright ${component}: ${purpose[component]}`,
    'Flags are written --flag=value or --flag value. Those of both binaries of Machine Controller Manager are accepted.',
    ...sections,
    environment,
    examples(component),
  ].join('\n\n');
}

function helpOfFlag(name: FlagName, started: Started): string {
  const { component } = started;
  const flag = flagOf(name);
  const { kind, says } = flag;
  const value = kind.placeholder === '' ? '' : ` ${kind.placeholder}`;
  const text = defaultOf(flag, started);
  const byDefault = text === '' ? '' : ` (default ${text})`;
  return `  --${name}${value}${byDefault}\n      ${says}${effectOf(flag, component)}`;
}

function effectOf(flag: Flag<unknown>, component: Component): string {
  if (flag.noop !== undefined) return ` No effect: ${flag.noop}`;
  const reason = withoutEffectIn(flag, component);
  if (reason === undefined) return '';
  const isOfWatcher = component === 'worker' && withoutEffectIn(flag, 'watcher') === undefined;
  return isOfWatcher ? ' No effect without --with-watcher.' : ` No effect here: ${reason}`;
}

const environment = `Environment:
  TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS*, TEMPORAL_CONFIG_FILE, TEMPORAL_PROFILE
      The same as for the command "temporal".
  TEMPORAL_API_KEY_PATH
      A file with the API key. The process ends in order when a file with credentials of Temporal changes.
  MILLWRIGHT_FLAGS
      Flags, separated by blanks, that come before those of the command line.
  KUBECONFIG
      Used where neither --target-kubeconfig nor --control-kubeconfig is given, outside a cluster.
  MILLWRIGHT_VIRTUAL_CLOUD (default http://127.0.0.1:7080)
      The virtual cloud of the local stack, for machines of the provider "virtual".
  MILLWRIGHT_VIRTUAL_CLOUD_AS_LOCAL (default false)
      "true": the virtual cloud serves the provider "local" as well. The local stack sets it; elsewhere Gardener's own
      local provider has this name.
  Endpoints of clouds, and where token files are: docs/clouds.`;

const examples = (component: Component): string => `Examples:
  npm run ${component} -- --namespace=shoot--dev --control-kubeconfig=control.yaml --target-kubeconfig=target.yaml
  npm run ${component} -- --namespaces=labels:fleet=one --install=fleet-one --control-kubeconfig=control.yaml --target-kubeconfig-secret=kubeconfig
  npm run ${component} -- --target-kubeconfig=none --control-kubeconfig=inClusterConfig --temporal-address=temporal:7233`;
