import { defined } from '../../workflows/values/defined.ts';
import type { ObjectMeta } from '../../workflows/api/meta.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import { findingData } from '../diagnosis/finding.ts';
import { isoOf } from '../install/times.ts';
import type { Install, LeaseFact } from '../install/install.ts';
import { notesData, notesOf, stopLines } from '../install/notes.ts';
import { nothingStuck, findingTable } from '../diagnosis/table.ts';
import { poolsOf } from '../install/pools.ts';
import type { InstallOptions } from '../command-line/options.ts';
import { readAll } from '../install/read.ts';
import type { RolloutProgress } from '../install/rollout.ts';
import { isAvailable, isFailing, progressOf } from '../install/rollout.ts';
import type { DeploymentStatus } from './deployments.ts';
import { deploymentTable } from './deployments.ts';
import { processLines } from './processes.ts';

/** More are in `millwright stuck`. */
const shownFindings = 10;

export async function status(scope: ClusterScope, options: InstallOptions): Promise<Answer> {
  const install = await readAll(scope, options);
  return statusAnswer(install, { isWide: options.output === 'wide' });
}

interface StatusView {
  isWide: boolean;
  /** Of a live view, which does not ask Temporal. */
  hasNotes?: boolean;
}

export function statusAnswer(install: Install, { isWide, hasNotes = true }: StatusView): Answer {
  const deployments = deploymentsOf(install);
  const findings = diagnose(install);
  const sections = [
    [summaryOf(install), ...stopLines(install), ...processLines(install)],
    findings.length === 0
      ? [nothingStuck(install)]
      : [findingTable(findings, { install, isWide, most: shownFindings })],
    deployments.length === 0 ? [] : [deploymentTable(deployments, { install, isWide })],
  ].filter((lines) => lines.length > 0);
  const text = sections.map((lines) => lines.join('\n')).join('\n\n');
  return {
    text: [text, ...(hasNotes ? notesOf(install) : [])].join('\n'),
    data: {
      namespace: install.namespace ?? null,
      machines: countsOf(install),
      deployments: deployments.map(deploymentData),
      findings: findings.map(findingData),
      ...notesData(install),
      leaders: (install.leases ?? []).map(leaderData),
      processes: install.processes,
    },
    names: deployments.map(({ name }) => `machinedeployment/${name}`),
  };
}

function leaderData({ namespace, holder, renewedAt, mcm }: LeaseFact): object {
  return {
    namespace,
    holder: holder ?? null,
    ...(renewedAt !== undefined && { renewedAt: isoOf(renewedAt) }),
    ...(mcm && { mcm }),
  };
}

function deploymentsOf(install: Install): DeploymentStatus[] {
  return poolsOf(install)
    .pools.map((pool) => ({
      namespace: pool.deployment.metadata.namespace ?? '',
      name: pool.deployment.metadata.name,
      className: pool.deployment.spec.template.spec?.class?.name ?? '',
      createdAt: pool.deployment.metadata.creationTimestamp,
      progress: untilStart(progressOf(pool, install.now), pool.deployment.metadata, install),
    }))
    .toSorted(byUrgency);
}

/** How long a stop lasts is not known. */
function untilStart(
  { leftMs, ...progress }: RolloutProgress,
  { namespace }: ObjectMeta,
  { stops }: Install,
): RolloutProgress {
  const isStopped = stops.some((stop) => stop.namespace === namespace);
  if (!isStopped || progress.awaits === undefined) return { ...progress, leftMs };
  return { ...progress, awaits: `the end of the stop; then ${progress.awaits}` };
}

const urgency = ['Blocked', 'Progressing', 'Paused', 'Complete'];

function byUrgency(a: DeploymentStatus, b: DeploymentStatus): number {
  return (
    urgency.indexOf(a.progress.state) - urgency.indexOf(b.progress.state) ||
    a.namespace.localeCompare(b.namespace) ||
    a.name.localeCompare(b.name)
  );
}

function deploymentData({ namespace, name, className, progress }: DeploymentStatus): object {
  const { state, wanted, ready, updated, updating, failed, old, awaits, joinMs, leftMs } = progress;
  return defined({
    namespace,
    name,
    className,
    state,
    wanted,
    ready,
    updated,
    updating,
    failed,
    old,
    awaits,
    joinSeconds: joinMs === undefined ? undefined : Math.round(joinMs / 1_000),
    leftSeconds: leftMs === undefined ? undefined : Math.round(leftMs / 1_000),
  });
}

function countsOf({ machines }: Install): Record<'total' | 'ready' | 'failing' | 'others', number> {
  const ready = machines.filter(isAvailable).length;
  const failing = machines.filter(isFailing).length;
  return { total: machines.length, ready, failing, others: machines.length - ready - failing };
}

function summaryOf(install: Install): string {
  const { total, ready, failing, others } = countsOf(install);
  const where =
    install.namespace === undefined ? 'All namespaces' : `Namespace ${install.namespace}`;
  const parts = [
    `${ready} ready`,
    ...(others > 0 ? [`${others} being made or deleted`] : []),
    ...(failing > 0 ? [`${failing} failing`] : []),
  ];
  return `${where}: ${total} ${total === 1 ? 'machine' : 'machines'}, ${parts.join(', ')}`;
}
