/** A person, or a program, has the Node of a Machine updated in place next. */
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { selectionFor } from '../../workflows/plan/machine-deployment/plan.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { readSameMachine } from '../machine/object.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { commandRefusal } from '../runtime/written-commands.ts';
import { nowMs } from '../system/system.ts';
import { selectForPerson } from './in-place-steps.ts';
import { readLiving } from './lifecycle.ts';
import type { ObserveDependencies } from './observe.ts';
import { readFacts } from './observe.ts';

type Dependencies = ObserveDependencies & Pick<ActivityDependencies, 'target'>;

/**
 * By the same bounds as where Millwright selects. Throws a `commandRefusal` with the one that
 * forbids it. A Node that is selected stays so: an earlier attempt may have done it.
 */
export async function selectForUpdate(
  dependencies: Dependencies,
  machine: ObjectReference,
): Promise<void> {
  const { target } = dependencies;
  const deployment = await deploymentOf(dependencies, machine);
  if (!deployment || !target) throw commandRefusal('no MachineDeployment updates it in place');
  const now = nowMs();
  const { name } = machine;
  const facts = await readFacts(dependencies, deployment, { now, named: name });
  if (facts.sets.some(({ inPlace }) => inPlace?.selected.includes(name))) return;
  const {
    obstacle = 'its Node is no candidate',
    isLimited: _isLimited,
    ...step
  } = selectionFor(facts, now, [name]);
  if (step.machines.length === 0) throw commandRefusal(`not selected: ${obstacle}`);
  const { namespace, uid } = deployment.metadata;
  const ref = { namespace: namespace ?? '', name: deployment.metadata.name, uid };
  const selected = await selectForPerson({ ...dependencies, target }, ref, {
    action: 'selectForUpdate',
    ...step,
    reason: 'a person asks for it',
  });
  if (selected.length > 0) return;
  throw commandRefusal(
    'not selected: others were selected meanwhile, or its Node has changed: ask again',
  );
}

/** By its owners; undefined where it has none of these kinds. */
async function deploymentOf(
  { control, machineSets }: Dependencies,
  ref: ObjectReference,
): Promise<MachineDeployment | undefined> {
  const machine = await readSameMachine(control, ref);
  const owner = machine && controllerOf(machine)?.uid;
  const sets = owner === undefined ? [] : await machineSets.list(ref.namespace);
  const set = sets.find(({ metadata }) => metadata.uid === owner);
  const { name, uid } = (set && controllerOf(set)) ?? {};
  if (name === undefined || uid === undefined) return undefined;
  return await readLiving(control, { namespace: ref.namespace, name, uid });
}
