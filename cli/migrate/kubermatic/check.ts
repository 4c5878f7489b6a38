/** `millwright migrate check --from kubermatic`. */
import type { Answer } from '../../command-line/answer.ts';
import type { ClusterScope } from '../../connection/cluster.ts';
import type { MigrateOptions } from '../options.ts';
import { reportOf } from '../result.ts';
import { readFacts } from './facts.ts';
import { findingsOf } from './findings.ts';

export async function check(scope: ClusterScope, options: MigrateOptions): Promise<Answer> {
  const facts = await readFacts(scope, options);
  const { namespace, flags, controller } = facts;
  const { values, leftOut } = flags;
  const whose = controller && 'machine-controller';
  return reportOf({ namespace, findings: findingsOf(facts), values, leftOut, whose });
}
