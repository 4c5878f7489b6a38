/** What a world lacks to be as its users asked: when all faults are over, nothing may be left. */
import type { SimulatedCloud } from '../cloud/cloud.ts';
import type { Install, World } from '../world/world.ts';
import { installOfRecord } from './instances.ts';
import type { WriteJudge } from './writes.ts';
import { isDeleting, isOwnedBy, listOf } from './objects.ts';
import type { JudgedObject } from './objects.ts';

/** A line for each thing. */
export function unmetIn(world: World, cloud: SimulatedCloud, writes: WriteJudge): string[] {
  return world.installs.flatMap((install) => unmetOf(world, { cloud, writes }, install));
}

interface Witnesses {
  cloud: SimulatedCloud;
  writes: WriteJudge;
}

function unmetOf(world: World, witnesses: Witnesses, install: Install): string[] {
  const list = (kind: Parameters<typeof listOf>[1]): JudgedObject[] =>
    listOf(install.control, kind, install.namespace);
  const machines = list('machines');
  const sets = list('machinesets');
  const deployments = list('machinedeployments');
  const lone = sets.filter((set) => !deployments.some((one) => isOwnedBy(set, one)));
  const leaving = [...machines, ...sets, ...deployments].filter(isDeleting);
  return [
    ...leaving.map(({ kind, metadata }) => `${kind} ${metadata.name} is still being deleted`),
    ...machines.flatMap(unmetMachine),
    ...lone.flatMap((set) =>
      unmetCount(
        set,
        machines.filter((machine) => isOwnedBy(machine, set)),
      ),
    ),
    ...deployments.flatMap((deployment) => {
      const own = sets.filter((set) => isOwnedBy(set, deployment));
      const theirs = machines.filter((machine) => own.some((set) => isOwnedBy(machine, set)));
      return [...unmetCount(deployment, theirs), ...unmetTemplate(deployment, theirs)];
    }),
    ...unmetInstances(world, witnesses, { install, machines }),
  ];
}

/** A Machine that fails is replaced by its owner; one without an owner stays Failed. */
function unmetMachine({ metadata, status }: JudgedObject): string[] {
  const phase = status?.currentStatus?.phase ?? '';
  const hasOwner = metadata.ownerReferences?.some(({ controller }) => controller);
  if (phase === 'Running' || (phase === 'Failed' && !hasOwner)) return [];
  return [`Machine ${metadata.name} is "${phase}": ${status?.lastOperation?.description ?? ''}`];
}

function unmetCount({ kind, metadata, spec }: JudgedObject, machines: JudgedObject[]): string[] {
  const wanted = spec?.replicas ?? 0;
  const found = machines.length;
  return found === wanted ? [] : [`${kind} ${metadata.name} has ${found} machines of ${wanted}`];
}

function unmetTemplate({ metadata, spec }: JudgedObject, machines: JudgedObject[]): string[] {
  const wanted = spec?.template?.spec?.class?.name;
  const labels = Object.entries(spec?.template?.metadata?.labels ?? {});
  return machines
    .filter(
      (machine) =>
        machine.spec?.class?.name !== wanted ||
        labels.some(([key, value]) => machine.metadata.labels?.[key] !== value),
    )
    .map((machine) => `Machine ${machine.metadata.name} of ${metadata.name} is of an old template`);
}

function unmetInstances(
  world: World,
  { cloud, writes }: Witnesses,
  { install, machines }: { install: Install; machines: JudgedObject[] },
): string[] {
  const ours = [...cloud.living].filter((record) => installOfRecord(world, record) === install);
  const kept = new Set(machines.map(({ spec }) => spec?.providerID));
  const nodes: { items?: JudgedObject[] } = install.target.server.get('/api/v1/nodes');
  // The Node of an instance that nothing but the orphan check deleted is for the cloud's own
  // controller.
  const left = new Set(
    cloud.records
      .filter(({ deletedAt, tags }) => deletedAt !== undefined && writes.hasFinished(tags))
      .map(({ providerID }) => providerID),
  );
  return [
    ...ours
      .filter(({ providerID }) => !kept.has(providerID))
      .map(({ id, name }) => `instance ${id} of ${name} has no Machine`),
    ...(nodes.items ?? [])
      .filter(({ spec }) => left.has(spec?.providerID ?? ''))
      .map(({ metadata }) => `Node ${metadata.name} has no instance`),
  ];
}
