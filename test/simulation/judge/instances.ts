/** Which instances may be deleted, and how many there may be of a Machine. */
import type { Happening, SimulatedCloud } from '../cloud/cloud.ts';
import type { InstanceRecord } from '../cloud/records.ts';
import type { Install, World } from '../world/world.ts';
import { isDeleting, listOf, uidTag } from './objects.ts';

const clusterTag = 'millwright.dev/cluster';
const namespaceTag = 'millwright.dev/namespace';

export function installOfRecord(world: World, record: InstanceRecord): Install | undefined {
  return world.installs.find(
    ({ clusterUid, namespace }) =>
      record.tags[clusterTag] === clusterUid && record.tags[namespaceTag] === namespace,
  );
}

export function judgeInstances(world: World, cloud: SimulatedCloud): void {
  cloud.listen((happening) => {
    if (happening.by === 'cloud') return;
    if (happening.kind === 'created') judgeCreated(world, cloud, happening);
    else judgeDeleted(world, happening);
  });
}

function judgeCreated(world: World, cloud: SimulatedCloud, { record, by }: Happening): void {
  const uid = record.tags[uidTag];
  const others = [...cloud.living].filter(
    (other) => other !== record && other.tags[uidTag] === uid,
  );
  for (const other of others) {
    world.simulation.violate(
      'one instance for a Machine',
      `${by} made ${record.id} for ${record.name}, which has ${other.id}`,
    );
  }
}

/**
 * A Machine that is not being deleted keeps its instance (MCM v0.62.1; DESIGN rule 1 of our
 * decisions 10): it names it, or it is the one that the instance was made for and names none.
 */
function judgeDeleted(world: World, { record, by }: Happening): void {
  const install = installOfRecord(world, record);
  const isOwn = install?.replicas.some(({ name }) => name === by);
  if (!install || !isOwn) {
    const text = `${by} deleted ${record.id} of ${record.name}, which is not of its install`;
    world.simulation.violate('nothing of another install is touched', text);
    return;
  }
  const machines = listOf(install.control, 'machines', install.namespace);
  const keeper = machines.find((machine) => !isDeleting(machine) && keeps(machine, record));
  if (keeper) {
    const text = `${by} deleted ${record.id}, the instance of Machine ${keeper.metadata.name}, which is not being deleted`;
    world.simulation.violate('a living Machine keeps its instance', text);
  }
}

function keeps(
  { spec, metadata }: ReturnType<typeof listOf>[number],
  { providerID, tags }: InstanceRecord,
): boolean {
  if (spec?.providerID !== undefined) return spec.providerID === providerID;
  return metadata.uid === tags[uidTag];
}
