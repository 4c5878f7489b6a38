/** Each MachineDeployment in a line, with a bar. */
import type { Install } from '../install/install.ts';
import { timeOf } from '../install/times.ts';
import type { RolloutProgress } from '../install/rollout.ts';
import { formatPace } from '../install/rollout.ts';
import { ageSince, formatAge } from '../terminal/age.ts';
import { formatColumns } from '../terminal/columns.ts';
import { isUnicode } from '../terminal/screen.ts';
import type { Palette } from '../terminal/style.ts';
import { ownPalette } from '../terminal/style.ts';

export interface DeploymentStatus {
  namespace: string;
  name: string;
  className: string;
  createdAt: string;
  progress: RolloutProgress;
}

export function deploymentTable(
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

const barWidth = 20;

interface BarStyle {
  palette: Palette;
  /** The terminal shows blocks; else ASCII. */
  hasBlocks: boolean;
}

/** What is ready, new before old, on its way, failing, and missing, each by its share. */
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

/** What there is at all has one cell at least, and what is not complete does not view so. */
function sharesOf(counts: readonly number[], total: number): number[] {
  const cells = counts.map((count) =>
    count === 0 ? 0 : Math.max(Math.floor((count * barWidth) / total), 1),
  );
  const surplus = cells.reduce((sum, count) => sum + count, 0) - barWidth;
  const widest = cells.indexOf(Math.max(...cells));
  return cells.map((count, index) => count - (index === widest ? Math.max(surplus, 0) : 0));
}
