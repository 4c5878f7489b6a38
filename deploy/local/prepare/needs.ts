/** Programs that each command needs beside npm packages; test/run/needs.ts adds those for tests. */
import { tools, type ToolName } from '../binaries/tools.ts';
import { temporalOf, type StackOptions } from '../options.ts';
import { debianNames, type DebianName } from './debian.ts';
import { pythonNames, type PythonName } from './python.ts';

/** A program, the Python packages of a test, or what it takes from Debian. */
export type Need = ToolName | PythonName | DebianName;

const ofCluster: readonly ToolName[] = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'etcd',
];

const ofTemporal: Record<ReturnType<typeof temporalOf>, readonly ToolName[]> = {
  development: ['temporal'],
  postgresql: ['temporal', 'temporal-server', 'temporal-sql-tool', 'temporal-ui-server'],
  elsewhere: ['temporal'],
};

type OptionsThatNeed = Pick<
  StackOptions,
  'autoscaler' | 'monitoring' | 'temporal' | 'temporalAddress'
>;

/** Programs that the stack needs: for `npm start`, and for tests that start one. */
export function needsOfStack(options: OptionsThatNeed): ToolName[] {
  return [
    ...ofCluster,
    ...ofTemporal[temporalOf({ options })],
    ...(options.autoscaler ? (['cluster-autoscaler'] as const) : []),
    ...(options.monitoring ? (['prometheus'] as const) : []),
  ];
}

/** `npm run test:all`, and `npm run prepare:all`. */
export const everything: readonly Need[] = [
  ...Object.values(tools).map(({ name }) => name),
  ...pythonNames,
  ...debianNames,
];
