/** Templates and strategies of deployments. */
import type { Chance } from '../../engine/chance.ts';
import { inPlaceStrategyOf, isInPlace } from '../in-place.ts';
import { labelsOf, limitsOf, strategyOf } from '../objects.ts';
import { classNames } from '../set-up.ts';
import { manifestOf } from '../manifest.ts';
import { isDeleting, minuteMs, secondMs } from '../user.ts';
import type { Picked, User } from '../user.ts';

export function pickDeployment(user: User): Picked | undefined {
  return user.pick('machinedeployments', (object) => !isDeleting(object));
}

const inSpec = (template: object): Record<string, unknown> => ({ spec: { template } });

/** A template of which each machine is made anew; few ones, so that earlier ones come back. */
function anotherTemplate(chance: Chance): Record<string, unknown> {
  const version = chance.pick(['1', '2', '3', null]);
  return inSpec({
    ...(chance.happens(0.5) && { metadata: { labels: { version } } }),
    ...(chance.happens(0.2) && { metadata: { annotations: { 'example.com/build': version } } }),
    ...(chance.happens(0.6) && {
      spec: { class: { kind: 'MachineClass', name: chance.pick(classNames) } },
    }),
  });
}

export async function roll(user: User): Promise<void> {
  const picked = pickDeployment(user);
  if (picked) await user.change(picked, anotherTemplate(user.chance));
}

/** Before the first change can be through. */
export async function rollAgain(user: User): Promise<void> {
  const picked = pickDeployment(user);
  if (!picked) return;
  const edits = 2 + user.chance.below(3);
  for (let edit = 0; edit < edits; edit += 1) {
    user.control.patch(picked.path, anotherTemplate(user.chance));
    if (!(await user.wait(secondMs / 10, 2 * minuteMs))) return;
  }
}

/** What is passed on to the machines that there are. */
export async function editInPlace(user: User): Promise<void> {
  const { chance } = user;
  const kind = chance.happens(0.8) ? 'machinedeployments' : 'machinesets';
  const picked = user.pick(kind, (object) => !isDeleting(object));
  if (!picked) return;
  const labels = { 'example.com/edited': chance.pick(['1', '2', null]) };
  const taint = { key: 'example.com/edited', effect: 'PreferNoSchedule' };
  const taints = chance.happens(0.5) ? [taint] : [];
  const limits = Object.keys(limitsOf(chance)).map((name) => [name, null]);
  const body = {
    ...(chance.happens(0.3) ? Object.fromEntries(limits) : limitsOf(chance)),
    ...(chance.happens(0.2) && { disableHealthTimeout: chance.pick([true, false, null]) }),
    ...(chance.happens(0.5) && { nodeTemplate: { metadata: { labels }, spec: { taints } } }),
  };
  await user.change(picked, inSpec({ spec: body }));
}

/** To the template before, to a certain one, or to one that never was. */
export async function undo(user: User): Promise<void> {
  const picked = pickDeployment(user);
  if (!picked) return;
  const revision = user.chance.pick([0, 0, 0, 1, 2, 3, 99]);
  await user.change(picked, { spec: { rollbackTo: { revision } } });
}

/** Some forget to resume. */
export async function pause(user: User): Promise<void> {
  const picked = pickDeployment(user);
  if (!picked) return;
  await user.change(picked, { spec: { paused: true } });
  if (user.chance.happens(0.2) || !(await user.wait(secondMs, 20 * minuteMs))) return;
  user.control.patch(picked.path, { spec: { paused: user.chance.pick([false, null]) } });
}

export async function editStrategy(user: User): Promise<void> {
  const picked = pickDeployment(user);
  if (!picked) return;
  const { chance } = user;
  // Most of those that are updated in place stay so.
  const another = isInPlace(picked.object) && chance.happens(0.7) ? inPlaceStrategy : wholeStrategy;
  await user.change(picked, {
    spec: {
      ...(chance.happens(0.7) && { strategy: another(chance) }),
      ...(chance.happens(0.4) && { progressDeadlineSeconds: chance.pick([60, 300, 900, null]) }),
      ...(chance.happens(0.3) && { revisionHistoryLimit: chance.pick([0, 1, 2, null]) }),
      ...(chance.happens(0.3) && { minReadySeconds: chance.pick([0, 30, null]) }),
      ...(chance.happens(0.3) && { autoPreserveFailedMachineMax: chance.pick([0, 1, 2, null]) }),
    },
  });
}

/** What the other types need goes. */
function wholeStrategy(chance: Chance): object {
  return { rollingUpdate: null, inPlaceUpdate: null, ...strategyOf(chance) };
}

export function inPlaceStrategy(chance: Chance): object {
  return { rollingUpdate: null, ...inPlaceStrategyOf(chance) };
}

const inPlace = { maxSurge: 1, maxUnavailable: 0, orchestrationType: 'Auto' };

/** Valid, and not what was meant: until somebody sees it. */
export async function breakSpec(user: User): Promise<void> {
  const picked = pickDeployment(user);
  if (!picked) return;
  const { chance } = user;
  const spec = chance.happens(0.5)
    ? { strategy: { type: 'InPlaceUpdate', rollingUpdate: null, inPlaceUpdate: inPlace } }
    : { selector: { matchLabels: null } };
  user.control.patch(picked.path, { spec });
  if (await user.wait(5 * secondMs, 10 * minuteMs)) mendSpec(user, picked, chance);
}

function mendSpec(user: User, { path, name }: Picked, chance: Chance): void {
  const selector = { matchLabels: labelsOf(name) };
  user.control.patch(path, { spec: { selector, strategy: wholeStrategy(chance) } });
}

/** Puts back what others changed, and what they deleted. */
export async function reconcileFromGit(user: User): Promise<void> {
  const picked = pickDeployment(user);
  if (!picked) return;
  const { rollbackTo: _once, ...wanted } = { ...picked.object.spec };
  const body = { ...manifestOf(picked.object), spec: wanted };
  const rounds = 3 + user.chance.below(20);
  for (let round = 0; round < rounds; round += 1) {
    if (!(await user.wait(10 * secondMs, minuteMs))) return;
    if (user.control.has(picked.path)) user.control.patch(picked.path, { spec: wanted });
    else user.control.create(collectionOf(picked), body);
  }
}

function collectionOf({ path, name }: Picked): string {
  return path.slice(0, -name.length - 1);
}
