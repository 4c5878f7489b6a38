import { defaultOptions, type StackOptions } from './options.ts';
import type { Stack } from './supervision/stack-file.ts';

/** Options of a start that found a running stack, which that stack does not have. */
export function ignoredOptions(options: StackOptions, stack: Stack | undefined): string[] {
  // A stack that is only starting does not have all of its components yet.
  const ofRunning = stack?.state === 'running' ? missingIn(stack, options) : {};
  return Object.entries({ '--fresh': options.fresh, ...ofRunning }).flatMap(
    ([option, isIgnored]) => (isIgnored ? [option] : []),
  );
}

function missingIn(
  { components, ...stack }: Stack,
  { namespace, temporalAddress, ...options }: StackOptions,
): Record<string, boolean> {
  const lacks = (component: string): boolean => components[component] === undefined;
  const namespaces = [defaultOptions.namespace, stack.namespace];
  const addresses = [undefined, stack.environment['TEMPORAL_ADDRESS']];
  return {
    '--no-operator': !options.operator && !lacks('watcher'),
    '--autoscaler': options.autoscaler && lacks('cluster-autoscaler'),
    '--front': options.front && lacks('front'),
    '--monitoring': options.monitoring && lacks('prometheus'),
    '--update-agent': options.updateAgent && lacks('update-agent'),
    '--namespace': !namespaces.includes(namespace),
    '--temporal': options.temporal === 'postgresql' && lacks('postgresql'),
    '--temporal-address': !addresses.includes(temporalAddress),
  };
}
