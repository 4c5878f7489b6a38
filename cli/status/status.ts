import { defined } from '../../workflows/values/defined.ts';
import type { ObjectMeta } from '../../workflows/api/meta.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import { findingData } from '../diagnosis/finding.ts';
import { isoOf, timeOf } from '../install/times.ts';
import type { Install, LeaseFact, TemporalFacts } from '../install/install.ts';
import { isUnreachableFromHere } from '../install/install.ts';
import { notesData, notesOf, stopLines } from '../install/notes.ts';
import { nothingStuck, findingTable } from '../diagnosis/table.ts';
import { isUpdatingInPlace, updatesInWords } from '../install/in-place.ts';
import { poolsOf } from '../install/pools.ts';
import type { InstallOptions } from '../command-line/options.ts';
import { readAll } from '../install/read.ts';
import type { PolicyStatus } from '../install/policies.ts';
import { changeOf, openingOf, policiesOf, policyData } from '../install/policies.ts';
import type { RolloutProgress } from '../install/rollout.ts';
import {
  isAvailable,
  isFailing,
  inPlaceCountsOf,
  progressOf,
  formatPace,
} from '../install/rollout.ts';
import { formatAge, ageSince } from '../terminal/age.ts';
import { formatColumns } from '../terminal/columns.ts';
import { isUnicode, oneLine } from '../terminal/screen.ts';
import type { Palette } from '../terminal/style.ts';
import { ownPalette } from '../terminal/style.ts';

/** More are in `millwright stuck`. */
const shownFindings = 10;

export async function status(scope: ClusterScope, options: InstallOptions): Promise<Answer> {
  const install = await readAll(scope, options);
  return statusAnswer(install, { isWide: options.output === 'wide' });
}

interface StatusView {
  isWide: boolean;
  /** For a live view, which does not ask Temporal. */
  hasNotes?: boolean;
}

export function statusAnswer(install: Install, { isWide, hasNotes = true }: StatusView): Answer {
  const deployments = deploymentsOf(install);
  const policies = policiesOf(install);
  const findings = diagnose(install);
  const sections = [
    [summaryOf(install), ...stopLines(install), ...processLines(install)],
    findings.length === 0
      ? [nothingStuck(install)]
      : [findingTable(findings, { install, isWide, most: shownFindings })],
    deployments.length === 0 ? [] : [deploymentTable(deployments, { install, isWide })],
    policies.length === 0 ? [] : [policyTable(policies, install)],
  ].filter((lines) => lines.length > 0);
  const text = sections.map((lines) => lines.join('\n')).join('\n\n');
  return {
    text: [text, ...(hasNotes ? notesOf(install) : [])].join('\n'),
    data: {
      namespace: install.namespace ?? null,
      machines: { ...countsOf(install), ...inPlaceData(inPlaceCountsOf(install.machines)) },
      deployments: deployments.map(deploymentData),
      policies: policies.map(policyData),
      findings: findings.map(findingData),
      ...notesData(install),
      leaders: (install.leases ?? []).map(leaderData),
      processes: install.processes,
    },
    names: [
      ...deployments.map(({ name }) => `machinedeployment/${name}`),
      ...policies.map(({ name }) => `disruptionpolicy/${name}`),
    ],
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
  const { state, wanted, ready, updated, updating, failed, inPlace, old, awaits, joinMs, leftMs } =
    progress;
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
    ...inPlaceData(inPlace),
    old,
    awaits,
    joinSeconds: joinMs === undefined ? undefined : Math.round(joinMs / 1_000),
    leftSeconds: leftMs === undefined ? undefined : Math.round(leftMs / 1_000),
  });
}

/** Absent: none. */
function inPlaceData({ updating, failed }: RolloutProgress['inPlace']): object {
  return defined({
    updatingInPlace: updating > 0 ? updating : undefined,
    updatesFailed: failed > 0 ? failed : undefined,
  });
}

type MachineCounts = Record<'total' | 'ready' | 'failing' | 'others', number>;

function countsOf({ machines }: Install): MachineCounts {
  const ready = machines.filter(isAvailable).length;
  const failing = machines.filter(isFailing).length;
  return { total: machines.length, ready, failing, others: machines.length - ready - failing };
}

function summaryOf(install: Install): string {
  const { total, ready, failing, others } = countsOf(install);
  const where =
    install.namespace === undefined ? 'All namespaces' : `Namespace ${install.namespace}`;
  const inPlace = inPlaceCountsOf(install.machines);
  // One that is drained for its update is ready still.
  const unready = install.machines.filter((one) => isUpdatingInPlace(one) && !isAvailable(one));
  const parts = [
    `${ready} ready`,
    ...countOf(others - unready.length, 'being made or deleted'),
    ...updatesInWords(inPlace),
    ...countOf(failing - inPlace.failed, 'failing'),
  ];
  return `${where}: ${total} ${total === 1 ? 'machine' : 'machines'}, ${parts.join(', ')}`;
}

const countOf = (count: number, what: string): string[] => (count > 0 ? [`${count} ${what}`] : []);

/** Watcher, workers and Temporal, in a line each. */
export function processLines(install: Install): string[] {
  return [
    ...leaderLines(install),
    ...install.processes.map(
      ({ namespace, name, component, available, wanted }) =>
        `${component}: ${available} of ${wanted} available (deployment/${name} in ${namespace})`,
    ),
    ...(install.temporal ? [temporalLine(install, install.temporal)] : []),
  ];
}

/** For many namespaces, only how many have one. */
function leaderLines({ leases, now }: Install): string[] {
  if (!leases) return [];
  const [only] = leases;
  if (leases.length === 1 && only) return [`Watcher: ${leaderOf(only, now)}`];
  const led = leases.filter(({ holder }) => holder !== undefined).length;
  return [`Watcher: ${led} of ${leases.length} namespaces have one that leads`];
}

function leaderOf({ holder, renewedAt, mcm }: LeaseFact, now: number): string {
  const time = renewedAt === undefined ? undefined : `${formatAge(now - renewedAt)} ago`;
  if (holder !== undefined) return `${holder} leads${time === undefined ? '' : `, seen ${time}`}`;
  const others = mcm ? `; MCM acts, ${mcm.holder} holds Lease ${mcm.lease}` : '';
  return `none leads${time === undefined ? '' : `; one did until ${time}`}${others}`;
}

function temporalLine(
  install: Install,
  { address, failure, isOther, isRefused, pollers = {}, tookMs = 0 }: TemporalFacts,
): string {
  if (isOther) return `Temporal: ${address} is not that of this install`;
  if (isRefused) return `Temporal: ${address} refuses this command`;
  if (isUnreachableFromHere(install)) return `Temporal: ${address} cannot be reached from here`;
  if (failure !== undefined) return `Temporal: ${address} does not answer`;
  const counts = Object.values(pollers);
  const [workers = 0] = counts;
  const served =
    counts.length === 0 ? '' : `; ${workers} ${workers === 1 ? 'worker polls' : 'workers poll'}`;
  return `Temporal: ${address} answers in ${tookMs} ms${served}`;
}

interface DeploymentStatus {
  namespace: string;
  name: string;
  className: string;
  createdAt: string;
  progress: RolloutProgress;
}

/** Each MachineDeployment in a line, with a bar. */
function deploymentTable(
  deployments: readonly DeploymentStatus[],
  { install, isWide }: { install: Install; isWide: boolean },
): string {
  const hasNamespaces = install.namespace === undefined;
  const palette = ownPalette();
  const hasBlocks = isUnicode(process.env);
  const head = [
    ...(hasNamespaces ? ['NAMESPACE'] : []),
    'DEPLOYMENT',
    'READY',
    'UPDATED',
    'MACHINES',
    'STATE',
    ...(isWide ? ['UPDATING', 'FAILING', 'OLD', 'JOINS IN', 'CLASS', 'AGE'] : []),
    'WAITS FOR',
  ];
  return formatColumns(
    head,
    deployments.map((deployment) => [
      ...(hasNamespaces ? [deployment.namespace] : []),
      deployment.name,
      `${deployment.progress.ready}/${deployment.progress.wanted}`,
      String(deployment.progress.updated),
      { coloured: formatBar(deployment.progress, { palette, hasBlocks }) },
      { coloured: styled(deployment.progress.state, palette) },
      ...(isWide ? wideCells(deployment, install.now) : []),
      awaitedMessage(deployment.progress),
    ]),
  );
}

function wideCells({ progress, className, createdAt }: DeploymentStatus, now: number): string[] {
  const { updating, failed, old, joinMs } = progress;
  return [
    ...[updating, failed, old].map(String),
    joinMs === undefined ? '-' : formatAge(joinMs),
    className,
    ageSince(timeOf(createdAt), now),
  ];
}

function styled(state: RolloutProgress['state'], { bad, busy, good }: Palette): string {
  if (state === 'Complete') return good(state);
  return state === 'Blocked' ? bad(state) : busy(state);
}

function awaitedMessage(progress: RolloutProgress): string {
  const pace = formatPace(progress);
  return [progress.awaits ?? '-', ...(pace === undefined ? [] : [pace])].join('; ');
}

/** Each DisruptionPolicy in a line. */
function policyTable(policies: readonly PolicyStatus[], { namespace: only, now }: Install): string {
  const hasNamespaces = only === undefined;
  const head = [
    ...(hasNamespaces ? ['NAMESPACE'] : []),
    'POLICY',
    'STATE',
    'UNTIL',
    'GOING',
    'WAITING',
    'WHY',
  ];
  return formatColumns(
    head,
    policies.map((policy) => [
      ...(hasNamespaces ? [policy.namespace] : []),
      policy.name,
      openingOf(policy),
      changeOf(policy, now) ?? '-',
      String(policy.going),
      String(policy.waiting),
      oneLine(policy.fault ?? policy.message ?? '-'),
    ]),
  );
}

const barWidth = 20;

interface BarStyle {
  palette: Palette;
  /** The terminal shows blocks; else ASCII. */
  hasBlocks: boolean;
}

/** Draws what is ready, new before old, on its way, failing, and missing, each by its share. */
export function formatBar(progress: RolloutProgress, { palette, hasBlocks }: BarStyle): string {
  const { ready, updated, updating, failed, wanted } = progress;
  const total = Math.max(wanted, ready + updating + failed, 1);
  const cells = sharesOf([updated, ready - updated, updating, failed], total);
  const rest = Math.max(barWidth - cells.reduce((sum, count) => sum + count, 0), 0);
  const { good, busy, bad, faint } = palette;
  const styles = [good, good, busy, bad, faint];
  const signs = hasBlocks ? '█▓▒×·' : '#=+x.';
  return [...cells, rest]
    .map((count, index) => styles[index]?.(signs.charAt(index).repeat(count)) ?? '')
    .join('');
}

/** A part that is there has one cell at least, and a bar that is not complete does not view so. */
function sharesOf(counts: readonly number[], total: number): number[] {
  const cells = counts.map((count) =>
    count === 0 ? 0 : Math.max(Math.floor((count * barWidth) / total), 1),
  );
  const surplus = cells.reduce((sum, count) => sum + count, 0) - barWidth;
  const widest = cells.indexOf(Math.max(...cells));
  return cells.map((count, index) => count - (index === widest ? Math.max(surplus, 0) : 0));
}
