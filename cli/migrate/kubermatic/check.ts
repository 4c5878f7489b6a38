/** `millwright migrate check --from kubermatic`. */
import type { Answer } from '../../command-line/answer.ts';
import type { ClusterScope } from '../../connection/cluster.ts';
import { yamlOf } from '../flags.ts';
import type { MigrateOptions } from '../options.ts';
import { lineOf } from '../result.ts';
import { readFacts } from './facts.ts';
import { findingsOf } from './findings.ts';

/** Exit code 1: something hinders a take-over. */
export async function check(scope: ClusterScope, options: MigrateOptions): Promise<Answer> {
  const facts = await readFacts(scope, options);
  const findings = findingsOf(facts);
  const { namespace, flags, controller } = facts;
  const isFree = findings.every(({ state }) => state !== 'hinders');
  const translation = [
    '',
    "machine-controller's flags as values of the chart:",
    ...yamlOf(flags.values, '  '),
    ...flags.leftOut.map((text) => `  # ${text}`),
  ];
  return {
    data: { namespace, isFree, findings, values: flags.values, leftOut: flags.leftOut },
    exitCode: isFree ? 0 : 1,
    text: [
      ...findings.map(lineOf),
      ...(controller ? translation : []),
      '',
      isFree
        ? `Nothing hinders a take-over of ${namespace}.`
        : `${namespace} cannot be taken over yet.`,
    ].join('\n'),
  };
}
