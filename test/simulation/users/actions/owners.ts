/** Machines that leave their set, and those that a set adopts. */
import { customResource } from '../../../../activities/kube/client/paths.ts';
import type { Found } from '../kubectl.ts';
import { poolLabel } from '../objects.ts';
import { isDeleting, isLone, minuteMs, secondMs } from '../user.ts';
import type { User } from '../user.ts';

/** By a label that the selector does not match, or by taking the owner off. */
export async function releaseMachine(user: User): Promise<void> {
  const picked = user.pick('machines', (object) => !isLone(object) && !isDeleting(object));
  if (!picked) return;
  const { chance } = user;
  const pool = picked.object.metadata.labels?.[poolLabel] ?? '';
  if (chance.happens(0.3)) {
    await user.change(picked, { metadata: { ownerReferences: null } });
    return;
  }
  await user.change(picked, { metadata: { labels: { [poolLabel]: 'none' } } });
  if (chance.happens(0.4) || !(await user.wait(secondMs, 10 * minuteMs))) return;
  if (user.control.has(picked.path)) {
    user.control.patch(picked.path, { metadata: { labels: { [poolLabel]: pool } } });
  }
}

/** A Machine as a set makes them: it takes it in, and gives up another one. */
export function createMachineForSet(user: User): void {
  const { chance, namespace } = user;
  const picked = user.pick('machinesets', (object) => !isDeleting(object));
  if (!picked) return;
  const { template }: { template?: { metadata?: object; spec?: object } } = {
    ...picked.object.spec,
  };
  const name = `${picked.name}-hand-made-${chance.below(100)}`;
  const { apiVersion = '' } = picked.object;
  const body = { apiVersion, kind: 'Machine', spec: template?.spec };
  const metadata = { ...template?.metadata, name, namespace };
  user.control.create(customResource('machines', namespace), { ...body, metadata });
}

/** From a write to the one that takes it back: by a controller, or as promptly as by a webhook. */
const longestReactionMs = { usual: 50, prompt: 2 };

/**
 * Another controller keeps the annotations and the labels of a set as they are, and a prompt one
 * also how long its machines have to be ready: what anyone writes there is taken back at once, each
 * time, for many minutes. What its deployment passes on to it changes meanwhile.
 */
export async function revertSet(user: User): Promise<void> {
  const { chance, install } = user;
  const picked = user.pick('machinesets', (set) => !isLone(set) && !isDeleting(set));
  if (!picked) return;
  const { path, name } = picked;
  const isPrompt = chance.happens(0.5);
  const mostMs = longestReactionMs[isPrompt ? 'prompt' : 'usual'];
  user.control.patch(path, { metadata: { labels: { 'example.com/kept-by': 'a-controller' } } });
  const kept = user.control.get(path) ?? picked.object;
  let isOver = false;
  const react = async (): Promise<void> => {
    await user.wait(1, mostMs);
    if (!isOver) revert(user, path, { kept, isOfSpec: isPrompt });
  };
  const close = install.control.server.store.listen(({ after }) => {
    if (after?.object.kind !== 'MachineSet' || after.object.metadata.name !== name) return;
    void react();
  });
  if (await user.wait(secondMs, minuteMs)) changeOwner(user, kept, isPrompt);
  await user.wait(5 * minuteMs, 20 * minuteMs);
  isOver = true;
  close();
}

function changeOwner({ chance, control, namespace }: User, { metadata }: Found, isOfSpec: boolean) {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'MachineDeployment');
  if (!owner) return;
  const path = customResource('machinedeployments', namespace, owner.name);
  const annotations = { 'example.com/build': String(chance.below(1_000)) };
  const minReadySeconds = 1 + chance.below(30);
  control.patch(path, isOfSpec ? { spec: { minReadySeconds } } : { metadata: { annotations } });
}

interface Keeping {
  kept: Found;
  isOfSpec: boolean;
}

function revert({ control }: User, path: string, { kept, isOfSpec }: Keeping): void {
  const { metadata, spec } = control.get(path) ?? kept;
  const change = {
    ...differences('annotations', metadata.annotations, kept.metadata.annotations),
    ...differences('labels', metadata.labels, kept.metadata.labels),
  };
  const seconds = kept.spec?.['minReadySeconds'] ?? null;
  const isKept = !isOfSpec || (spec?.['minReadySeconds'] ?? null) === seconds;
  if (isKept && Object.keys(change).length === 0) return;
  control.patch(path, { metadata: change, ...(!isKept && { spec: { minReadySeconds: seconds } }) });
}

type Pairs = Record<string, string>;

/** As a merge patch. */
function differences(field: string, found: Pairs = {}, wanted: Pairs = {}): object {
  const keys = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  const wrong = Array.from(keys).filter((key) => found[key] !== wanted[key]);
  if (wrong.length === 0) return {};
  return { [field]: Object.fromEntries(wrong.map((key) => [key, wanted[key] ?? null])) };
}

/** Of a set or of a deployment: the tool that made it does not know that it owns anything. */
export function dropOwner(user: User): void {
  const picked = user.pick('machinesets', (object) => !isLone(object));
  if (picked) user.control.patch(picked.path, { metadata: { ownerReferences: null } });
}
