/** How sets and deployments may not stay (MCM 6.5, 7.4, 7.9; docs/rollouts.md, docs/safety.md). */
import { customResource } from '../../../../activities/kube/client/paths.ts';
import type { Install } from '../../world/world.ts';
import type { Evidence } from '../evidence.ts';
import { isDeleting, matches, ownerOf, phaseOf } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { ClusterPast } from '../past/cluster-past.ts';
import type { Life } from '../past/lives.ts';
import type { Overdue, Passing } from './overdue.ts';

const minuteMs = 60_000;

export const ownerStates: readonly Passing[] = [
  { rule: 'a deployment gets its machines', patienceMs: 10 * minuteMs, find: smallDeployments },
  { rule: 'a set gets its machines', patienceMs: 10 * minuteMs, find: wrongSets },
  { rule: 'a Failed Machine is replaced', patienceMs: 12 * minuteMs, find: keptFailures },
  {
    rule: 'a status follows its spec',
    patienceMs: 4 * minuteMs,
    despite: 'stop',
    find: oldStatuses,
  },
  {
    rule: 'a deployment says what its sets say',
    patienceMs: 5 * minuteMs,
    find: silentDeployments,
  },
];

const of = ({ namespace }: Install, lives: Iterable<Life>): Life[] =>
  Array.from(lives).filter(
    ({ object }) => object?.metadata.namespace === namespace && !isDeleting(object),
  );

/** Whether an API server takes no such writes, as its webhooks say. */
function isRefused(
  { world }: Evidence,
  { control, namespace }: Install,
  ...calls: Call[]
): boolean {
  return calls.some(([method, kind]) => {
    const path = customResource(kind, namespace);
    return [path, `${path}/`].some(
      (one) => world.weather.refusalOf(`${method} ${one}`, control.name) !== undefined,
    );
  });
}

type Call = ['POST' | 'PATCH' | 'DELETE', Parameters<typeof customResource>[0]];

function machinesOf({ machines }: ClusterPast, { uid }: Life): JudgedObject[] {
  return Array.from(machines.ownedBy(uid)).flatMap(({ object }) => object ?? []);
}

/** Also while it is paused or held; a machine that goes takes the room of another one. */
function smallDeployments(evidence: Evidence, install: Install): Overdue[] {
  const past = evidence.controlOf(install);
  if (
    isRefused(
      evidence,
      install,
      ['POST', 'machines'],
      ['POST', 'machinesets'],
      ['PATCH', 'machinesets'],
    )
  )
    return [];
  return of(install, past.deployments.present()).flatMap((life) => {
    const { spec = {}, metadata } = life.last;
    const sets = Array.from(past.sets.ownedBy(life.uid));
    const isWide = Object.keys(spec.selector?.matchLabels ?? {}).length === 0;
    const isHeld = sets.some(({ last }) => isFrozen(last)) || sets.length === 0;
    if (isWide || isHeld || spec.strategy?.type !== 'RollingUpdate') return [];
    const there = sets.reduce((sum, set) => sum + machinesOf(past, set).length, 0);
    const { replicas = 0 } = spec;
    if (there >= replicas) return [];
    return [
      {
        subject: life.uid,
        text: `MachineDeployment ${metadata.name} has ${there} machines of ${replicas}`,
      },
    ];
  });
}

function isFrozen({ metadata: { labels = {} } }: JudgedObject): boolean {
  return labels['freeze'] === 'True';
}

function isClosed({ metadata: { labels = {} } }: JudgedObject): boolean {
  return labels['node.machine.sapcloud.io/scale-up-disabled'] !== undefined;
}

function wrongSets(evidence: Evidence, install: Install): Overdue[] {
  const past = evidence.controlOf(install);
  if (isRefused(evidence, install, ['POST', 'machines'], ['PATCH', 'machines'])) return [];
  return of(install, past.sets.present()).flatMap((life) => {
    const set = life.last;
    const own = machinesOf(past, life).filter(
      (machine) => !isDeleting(machine) && matches(machine, set),
    );
    const { replicas = 0 } = set.spec ?? {};
    const canGrow = !isFrozen(set) && !isClosed(set);
    const canGo = own.filter((machine) => !isKept(evidence, install, machine)).length;
    const isWrong = own.length < replicas ? canGrow : canGo > replicas;
    if (!isWrong) return [];
    return [
      {
        subject: life.uid,
        text: `MachineSet ${set.metadata.name} has ${own.length} machines of ${replicas}`,
      },
    ];
  });
}

/** A policy refuses its deletion. */
function isKept(
  { world }: Evidence,
  { control, namespace }: Install,
  { metadata }: JudgedObject,
): boolean {
  const path = customResource('machines', namespace, metadata.name);
  return world.weather.refusalOf(`DELETE ${path}`, control.name) !== undefined;
}

/** By a set that belongs to nobody: no rollout makes it wait. */
function keptFailures(evidence: Evidence, install: Install): Overdue[] {
  const past = evidence.controlOf(install);
  if (isRefused(evidence, install, ['POST', 'machines'], ['PATCH', 'machines'])) return [];
  return of(install, past.sets.present()).flatMap((set) => {
    if (ownerOf(set.last) !== undefined || isFrozen(set.last) || isClosed(set.last)) return [];
    return machinesOf(past, set)
      .filter((machine) => phaseOf(machine) === 'Failed' && !isDeleting(machine))
      .filter((machine) => !isPreserved(machine) && matches(machine, set.last))
      .filter((machine) => !isKept(evidence, install, machine))
      .map(({ metadata: { uid, name } }) => ({
        subject: uid,
        text: `Machine ${name} of MachineSet ${set.last.metadata.name} is Failed`,
      }));
  });
}

function isPreserved({ metadata, status }: JudgedObject): boolean {
  const asks = metadata.annotations?.['node.machine.sapcloud.io/preserve'] !== undefined;
  return asks || Boolean(status?.currentStatus?.preserveExpiryTime);
}

function oldStatuses(evidence: Evidence, install: Install): Overdue[] {
  const past = evidence.controlOf(install);
  if (isRefused(evidence, install, ['PATCH', 'machinesets'], ['PATCH', 'machinedeployments']))
    return [];
  return [...of(install, past.sets.present()), ...of(install, past.deployments.present())].flatMap(
    ({ uid, last }) => {
      const { metadata, status, kind } = last;
      const { generation = 0 } = metadata;
      const observed = status?.observedGeneration ?? 0;
      if (observed === generation) return [];
      return [
        {
          subject: uid,
          text: `${kind} ${metadata.name} has the status of generation ${observed} instead of ${generation}`,
        },
      ];
    },
  );
}

/** A set that cannot make or delete machines is a deployment that cannot. */
function silentDeployments(evidence: Evidence, install: Install): Overdue[] {
  const past = evidence.controlOf(install);
  if (isRefused(evidence, install, ['PATCH', 'machinesets'], ['PATCH', 'machinedeployments']))
    return [];
  return of(install, past.deployments.present()).flatMap(({ uid, last }) => {
    const failing = Array.from(past.sets.ownedBy(uid)).find(
      ({ last: set }) => !isDeleting(set) && fails(set.status?.machineSetCondition),
    );
    if (!failing || fails(last.status?.conditions)) return [];
    return [
      {
        subject: uid,
        text: `MachineDeployment ${last.metadata.name} has no ReplicaFailure, and its set ${failing.last.metadata.name} has`,
      },
    ];
  });
}

function fails(conditions: readonly { type: string; status: string }[] = []): boolean {
  return conditions.some(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
}
