/**
 * What rounds find, for Prometheus: also of an install in which no run is needed for hours. The
 * worker that had the round shows it, for two periods: until then another one has had one.
 */
import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import { monotonicMs } from '../../activities/system/system.ts';
import type { PolicyFigures } from '../../activities/disruption/status.ts';
import type { Series } from '../metrics/computed.ts';
import { registerComputed } from '../metrics/computed.ts';
import type { CheckOutcome } from '../../workflows/contracts/safety-activities.ts';
import type { OrphanCounts } from '../../workflows/plan/safety/orphan-counts.ts';
import type { Check } from './checks.ts';
import { longestCheckMs } from './checks.ts';

/** State of the API servers. */
export interface Reachability {
  /** One has been out of reach for longer than `--machine-safety-apiserver-statuscheck-timeout`. */
  isFrozen: boolean;
  /** Of `control`, and of `target` if there is one, whether it answered. */
  answers: Readonly<Record<string, boolean>>;
}

interface Findings {
  reachability: Reachability;
  'lost-workflows': { entitiesFailed: number };
  'unmanaged-nodes': { nodes: number };
  orphans: OrphanCounts;
  /** Of each DisruptionPolicy, by each round. */
  policies: readonly PolicyFigures[];
}

export interface CheckMetrics {
  count(check: string, outcome: CheckOutcome['outcome']): void;
  set<C extends keyof Findings>(check: C, found: Findings[C]): void;
}

/** Of all namespaces of the process. */
export interface ProcessCheckMetrics {
  of(namespace: string, checks: readonly Pick<Check, 'name' | 'periodSeconds'>[]): CheckMetrics;
  /** It is served no more. */
  remove(namespace: string): void;
}

export function registerCheckMetrics(registry: Registry): ProcessCheckMetrics {
  const kept = new Map<string, KeptFindings>();
  const seen = new Map<string, Set<string>>();
  const made = new Counter({
    name: 'millwright_safety_probes_total',
    help: 'Checks that rounds of this worker made. found: no run was started for it, because the check is paused or ran just before; triggered: one was.',
    labelNames: ['kube_namespace', 'check', 'outcome'],
    registers: [registry],
  });
  registerComputed(registry, findingSeries, () => kept);
  return {
    of(namespace, checks) {
      const labels = { kube_namespace: namespace };
      const counted = seen.get(namespace) ?? new Set();
      seen.set(namespace, counted);
      const findings = new KeptFindings(checks);
      kept.set(namespace, findings);
      return {
        count(check, outcome) {
          made.inc({ ...labels, check, outcome });
          counted.add(JSON.stringify({ ...labels, check, outcome }));
        },
        set: (check, found) => findings.set(check, found),
      };
    },
    remove(namespace) {
      kept.delete(namespace);
      for (const labels of seen.get(namespace) ?? []) made.remove(JSON.parse(labels));
      seen.delete(namespace);
    },
  };
}

/** Of one namespace, each for two periods of its check. */
class KeptFindings {
  readonly #limits: ReadonlyMap<string, number>;
  readonly #found: { [C in keyof Findings]?: { at: number; found: Findings[C] } } = {};

  constructor(checks: readonly Pick<Check, 'name' | 'periodSeconds'>[]) {
    this.#limits = new Map(
      checks.map(({ name, periodSeconds }) => [name, 2 * periodSeconds * 1_000 + longestCheckMs]),
    );
  }

  set<C extends keyof Findings>(check: C, found: Findings[C]): void {
    const kept: { [Name in C]?: { at: number; found: Findings[Name] } } = this.#found;
    kept[check] = { at: monotonicMs(), found };
  }

  get<C extends keyof Findings>(check: C): Findings[C] | undefined {
    const kept: { at: number; found: Findings[C] } | undefined = this.#found[check];
    if (!kept || monotonicMs() - kept.at > this.#limitOf(check)) return undefined;
    return kept.found;
  }

  /** What is no check comes with each round, as does the check of the shortest period. */
  #limitOf(check: string): number {
    return this.#limits.get(check) ?? Math.min(...this.#limits.values());
  }
}

function findingOfPolicy(
  { name, help }: { name: string; help: string },
  of: (figures: PolicyFigures) => number | undefined,
): Series<Member> {
  return {
    name,
    type: 'gauge',
    help,
    labels: ['kube_namespace', 'policy'],
    *read([namespace, findings]) {
      for (const figures of findings.get('policies') ?? []) {
        const value = of(figures);
        const labels = { kube_namespace: namespace, policy: figures.name };
        if (value !== undefined) yield { labels, value };
      }
    },
  };
}

type Member = [namespace: string, findings: KeptFindings];

/** `of`: undefined where there is nothing to say. */
function findingOf<C extends keyof Findings>(
  check: C,
  { name, help }: { name: string; help: string },
  of: (found: Findings[C]) => number,
): Series<Member> {
  return {
    name,
    type: 'gauge',
    help,
    labels: ['kube_namespace'],
    read([namespace, findings]) {
      const found = findings.get(check);
      return found ? [{ labels: { kube_namespace: namespace }, value: of(found) }] : [];
    },
  };
}

const policySeries: readonly Series<Member>[] = [
  findingOfPolicy(
    {
      name: 'millwright_disruption_policy_open',
      help: '1 while windows and exclusions of the DisruptionPolicy let machines go; 0 also where it cannot be followed.',
    },
    ({ isOpen }) => Number(isOpen),
  ),
  findingOfPolicy(
    {
      name: 'millwright_disruption_policy_going',
      help: 'Machines that are on their way, of all deployments that the DisruptionPolicy selects.',
    },
    ({ going }) => going,
  ),
  findingOfPolicy(
    {
      name: 'millwright_disruption_policy_allowed',
      help: 'Machines that may be on their way at a time: 0 also where the DisruptionPolicy cannot be followed, no series without a limit.',
    },
    ({ allowed }) => allowed,
  ),
  findingOfPolicy(
    {
      name: 'millwright_disruption_policy_waiting',
      help: 'Machines of another template than that of their deployment which wait to be taken.',
    },
    ({ waiting }) => waiting,
  ),
];

const findingSeries: readonly Series<Member>[] = [
  ...policySeries,
  findingOf(
    'reachability',
    {
      name: 'millwright_frozen',
      help: '1 while an API server has been out of reach for longer than --machine-safety-apiserver-statuscheck-timeout.',
    },
    ({ isFrozen }) => Number(isFrozen),
  ),
  {
    name: 'mcm_machine_controller_frozen',
    type: 'gauge',
    help: 'The same as millwright_frozen.',
    labels: ['namespace'],
    read([namespace, findings]) {
      const found = findings.get('reachability');
      return found ? [{ labels: { namespace }, value: Number(found.isFrozen) }] : [];
    },
  },
  {
    name: 'millwright_api_server_reachable',
    type: 'gauge',
    help: '1 when the API server of this cluster answered the last round, else 0.',
    labels: ['kube_namespace', 'cluster'],
    *read([namespace, findings]) {
      const { answers = {} } = findings.get('reachability') ?? {};
      for (const [cluster, hasAnswered] of Object.entries(answers))
        yield { labels: { kube_namespace: namespace, cluster }, value: Number(hasAnswered) };
    },
  },
  findingOf(
    'lost-workflows',
    {
      name: 'millwright_safety_entities_failed',
      help: 'Objects and workflows that did not match in the last two rounds: no run could repair them.',
    },
    ({ entitiesFailed }) => entitiesFailed,
  ),
  findingOf(
    'unmanaged-nodes',
    { name: 'millwright_safety_unmanaged_nodes', help: 'Nodes that no Machine knows of.' },
    ({ nodes }) => nodes,
  ),
  findingOf(
    'orphans',
    {
      name: 'millwright_safety_orphans_suspected',
      help: 'Instances without a Machine in the last run.',
    },
    ({ suspected }) => suspected,
  ),
  findingOf(
    'orphans',
    {
      name: 'millwright_safety_orphans_kept',
      help: 'Instances that were kept in the last run.',
    },
    ({ kept }) => kept,
  ),
  findingOf(
    'orphans',
    {
      name: 'millwright_safety_orphans_errors',
      help: 'Listings and deletions that failed in the last run.',
    },
    ({ errors }) => errors,
  ),
  findingOf(
    'orphans',
    {
      name: 'millwright_safety_orphans_stopped',
      help: '1 when the last run found too many to delete any.',
    },
    ({ isStopped }) => Number(isStopped),
  ),
  findingOf(
    'orphans',
    {
      name: 'millwright_safety_instances_missing',
      help: 'Machines whose instance the cloud did not know in the last run.',
    },
    ({ missing }) => missing,
  ),
];
