/**
 * Machines of a machine-controller-manager that ran before: docs/compatibility.md lets Millwright
 * take over at any moment, also between two steps of a creation.
 */
import { customResource } from '../../../kube/client/paths.ts';
import type { InstanceRequest } from '../../../deploy/local/virtual-cloud/instance.ts';
import { finalizers } from '../../../workflows/api/constants.ts';
import { tagNames } from '../cloud/strangers.ts';
import type { Chance } from '../engine/chance.ts';
import { machineBody } from '../users/objects.ts';
import { classNames } from '../users/set-up.ts';
import { namedChance } from './named-chance.ts';
import type { Install, World } from './world.ts';

/** What MCM had made. */
interface OtherCloud {
  addForeign(wanted: { name: string } & Partial<InstanceRequest>): {
    providerID: string;
    isInitialized: boolean;
  };
}

/** Of worlds. */
const share = 0.6;
const most = 3;

/** In some worlds. To be called after the users have created their objects. */
export function leaveMachines(world: World, cloud: OtherCloud): void {
  const chance = namedChance(world.simulation.seed, 'left by MCM');
  if (!chance.happens(share)) return;
  const count = 1 + chance.below(most);
  for (let index = 1; index <= count; index += 1) {
    leaveMachine(chance.pick(world.installs), { cloud, chance, name: `left-${index}` });
  }
}

interface Left {
  cloud: OtherCloud;
  chance: Chance;
  name: string;
}

/** Its creation was interrupted, or only its Node is missing. */
function leaveMachine(install: Install, { cloud, chance, name }: Left): void {
  const { namespace, control, clusterUid } = install;
  const className = classFor(install, chance);
  const path = customResource('machines', namespace, name);
  const { server } = control;
  const object: { metadata?: { uid?: string } } = server.create(
    customResource('machines', namespace),
    machineBody({ namespace, name, className }, chance),
  );
  const tags = {
    [tagNames.cluster]: clusterUid,
    [tagNames.namespace]: namespace,
    [tagNames.machineUid]: object.metadata?.uid ?? '',
  };
  const made = cloud.addForeign({ name, tags, needsInitialization: isSlow(install, className) });
  const phase = chance.pick(['', 'CrashLoopBackOff', 'CrashLoopBackOff', 'Pending']);
  // MCM waits for a Node only when the instance is initialised.
  if (phase === 'Pending') made.isInitialized = true;
  const metadata = { finalizers: [finalizers.machine], labels: { node: name } };
  const body = { metadata, spec: { providerID: made.providerID } };
  server.patch(path, { type: 'merge', body });
  if (phase === '') return;
  server.patch(`${path}/status`, { type: 'merge', body: { status: statusOf(phase) } });
}

function statusOf(phase: string): object {
  const description = phase === 'Pending' ? 'Created machine on cloud' : 'Initialization failed';
  const state = phase === 'Pending' ? 'Processing' : 'Failed';
  return { currentStatus: { phase }, lastOperation: { description, state, type: 'Create' } };
}

/** Mostly one whose instances have a second step. */
function classFor(install: Install, chance: Chance): string {
  const slow = classNames.filter((name) => isSlow(install, name));
  return chance.pick(slow.length > 0 && chance.happens(0.8) ? slow : classNames);
}

function isSlow({ control, namespace }: Install, className: string): boolean {
  const path = customResource('machineclasses', namespace, className);
  const found: { providerSpec?: { needsInitialization?: boolean } } = control.server.get(path);
  return found.providerSpec?.needsInitialization === true;
}
