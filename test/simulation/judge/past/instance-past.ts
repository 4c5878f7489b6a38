/** Every instance with what Machines had to do with it. */
import type { Simulation } from '../../engine/simulation.ts';
import type { Install, World } from '../../world/world.ts';
import { uidTag } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { JudgedInstance } from '../judged-cloud.ts';
import { claimOn, InstanceLife } from './claims.ts';
import type { Claim } from './claims.ts';
import type { ClusterPast } from './cluster-past.ts';

const clusterTag = 'millwright.dev/cluster';
const namespaceTag = 'millwright.dev/namespace';

/** Undefined for one that no install of this world made. */
export function installOfRecord(
  { installs }: Pick<World, 'installs'>,
  { tags }: Pick<JudgedInstance, 'tags'>,
): Install | undefined {
  return installs.find(
    ({ clusterUid, namespace }) =>
      tags[clusterTag] === clusterUid && tags[namespaceTag] === namespace,
  );
}

const unclaimed: Claim = {
  isKept: false,
  isKeptByName: false,
  isClaimed: false,
  isCondemned: false,
};

export class InstancePast {
  readonly #world: World;
  readonly #simulation: Simulation;
  readonly #pastOf: (install: Install) => ClusterPast;
  readonly #lives = new Map<JudgedInstance, InstanceLife>();
  readonly #byToken = new Map<string, InstanceLife>();
  /** Those that live, by what a Machine has in common with them. */
  readonly #byMark = new Map<string, Set<InstanceLife>>();

  constructor(world: World, pastOf: (install: Install) => ClusterPast) {
    this.#world = world;
    this.#simulation = world.simulation;
    this.#pastOf = pastOf;
  }

  /** Throws for one of which it did not hear. */
  of(record: JudgedInstance): InstanceLife {
    const life = this.#lives.get(record);
    if (!life) throw new Error(`the judge did not hear of instance ${record.id}`);
    return life;
  }

  /** Living ones that were made for the Machine with this UID. */
  madeFor(uid: string): Iterable<InstanceLife> {
    return this.#byMark.get(`uid ${uid}`) ?? [];
  }

  withProviderId(providerID: string): Iterable<InstanceLife> {
    return this.#byMark.get(`id ${providerID}`) ?? [];
  }

  isLiving(providerID: string): boolean {
    return (this.#byMark.get(`id ${providerID}`)?.size ?? 0) > 0;
  }

  withToken(token: string): InstanceLife | undefined {
    return this.#byToken.get(token);
  }

  created(record: JudgedInstance): void {
    const life = new InstanceLife(record, this.#claimOn(record), this.#simulation.now);
    this.#lives.set(record, life);
    if (record.token !== '') this.#byToken.set(record.token, life);
    for (const mark of marksOf(record)) {
      this.#byMark.set(mark, (this.#byMark.get(mark) ?? new Set<InstanceLife>()).add(life));
    }
  }

  /** After its deletion was judged. */
  deleted(record: JudgedInstance): void {
    const life = this.of(record);
    for (const mark of marksOf(record)) this.#byMark.get(mark)?.delete(life);
  }

  machineChanged(machine: JudgedObject, before: JudgedObject | undefined): void {
    const { uid, name } = machine.metadata;
    const named = [machine.spec?.providerID, before?.spec?.providerID];
    const ids = named.filter((id) => id !== undefined);
    const marks = [`uid ${uid}`, `name ${name}`, ...ids.map((id) => `id ${id}`)];
    const { now } = this.#simulation;
    for (const life of new Set(marks.flatMap((mark) => [...(this.#byMark.get(mark) ?? [])]))) {
      life.note(this.#claimOn(life.record), now);
    }
  }

  #claimOn(record: JudgedInstance): Claim {
    const install = installOfRecord(this.#world, record);
    if (!install) return unclaimed;
    const past = this.#pastOf(install);
    const naming = past.naming(record.providerID);
    return claimOn(record, install.namespace, { machines: past.machines, naming });
  }
}

function marksOf({ tags, name, providerID }: JudgedInstance): string[] {
  return [`uid ${tags[uidTag]}`, `name ${name}`, `id ${providerID}`];
}
