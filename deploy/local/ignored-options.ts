import { defaultOptions, type StackOptions } from './options.ts';
import type { Stack } from './supervision/stack-file.ts';

/** What was asked of a start that only finds a stack which runs, and which that stack has not. */
export function ignoredOptions(options: StackOptions, stack: Stack | undefined): string[] {
  // One that is only starting has not all of its components yet.
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
    '--monitoring': options.monitoring && lacks('prometheus'),
    '--namespace': !namespaces.includes(namespace),
    '--temporal': options.temporal === 'postgresql' && lacks('postgresql'),
    '--temporal-address': !addresses.includes(temporalAddress),
  };
}
