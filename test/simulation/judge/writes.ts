/** What our processes may write. */
import type { SimulatedCloud } from '../cloud/cloud.ts';
import { secretMarker } from '../users/objects.ts';
import type { Write } from '../world/kube-client.ts';
import type { Install, World } from '../world/world.ts';
import { isDeleting, listOf, uidTag } from './objects.ts';

export class WriteJudge {
  readonly #world: World;
  readonly #cloud: SimulatedCloud;
  #count = 0;
  readonly #finished = new Set<string>();

  constructor(world: World, cloud: SimulatedCloud) {
    this.#world = world;
    this.#cloud = cloud;
  }

  /** Of our processes so far, without Leases. */
  get count(): number {
    return this.#count;
  }

  /** Whether the teardown of the Machine that an instance was made for came to its end. */
  hasFinished(tags: Record<string, string>): boolean {
    return this.#finished.has(tags[uidTag] ?? '');
  }

  hear(write: Write): void {
    if (!write.path.includes('/leases')) this.#count += 1;
    const { before, after } = write;
    if (before?.kind === 'Machine' && !after) this.#finished.add(before.metadata.uid ?? '');
    this.#judgeSecrets(write);
    const install = this.#installOf(write.process.name);
    if (!install) return;
    this.#judgePlace(write, install);
    const isNode = /^\/api\/v1\/nodes\/[^/]+$/.test(write.path);
    if (write.method === 'DELETE' && isNode) this.#judgeNodeDeletion(write, install);
  }

  #installOf(name: string): Install | undefined {
    return this.#world.installs.find(({ replicas }) =>
      replicas.some((replica) => replica.name === name),
    );
  }

  #judgeSecrets({ path, body, process }: Write): void {
    if (path.includes('/secrets') || !JSON.stringify(body ?? '').includes(secretMarker)) return;
    this.#world.simulation.violate('no secret leaves', `${process.name} wrote one to ${path}`);
  }

  #judgePlace({ path, process }: Write, { namespace }: Install): void {
    const [, group, found] = /^(.*)\/namespaces\/([^/]+)\//.exec(path) ?? [];
    const isOurs = group?.includes('machine.sapcloud.io') || group?.includes('coordination');
    if (!isOurs || found === namespace) return;
    const text = `${process.name} of namespace ${namespace} wrote ${path}`;
    this.#world.simulation.violate('nothing of another install is touched', text);
  }

  /** A Node goes with its Machine; a Machine that is not being deleted keeps it. */
  #judgeNodeDeletion({ before, process }: Write, install: Install): void {
    const node: { metadata?: { name: string }; spec?: { providerID?: string } } = { ...before };
    const providerID = node.spec?.providerID;
    if (providerID === undefined) return;
    const isLiving = [...this.#cloud.living].some((record) => record.providerID === providerID);
    const keeper = listOf(install.control, 'machines', install.namespace).find(
      (machine) => machine.spec?.providerID === providerID && !isDeleting(machine),
    );
    if (!keeper || !isLiving) return;
    const text = `${process.name} deleted Node ${node.metadata?.name} of Machine ${keeper.metadata.name}, which is not being deleted`;
    this.#world.simulation.violate('a living Machine keeps its Node', text);
  }
}
