/** Pools that are updated in place: people who begin updates, help them, and get in their way. */
import { node as nodePath } from '../../../../kube/client/paths.ts';
import { annotations, labels, options } from '../../../../workflows/api/constants.ts';
import { isInPlace, isManual, isSelected } from '../in-place.ts';
import type { Found } from '../kubectl.ts';
import { classNames } from '../set-up.ts';
import {
  isDeleting,
  isLone,
  minuteMs,
  nodeOf,
  phaseOf,
  pickedOf,
  replicasOf,
  secondMs,
} from '../user.ts';
import type { Picked, User } from '../user.ts';
import { steerUpdate } from './commands.ts';
import { inPlaceStrategy } from './rollouts.ts';
import { machinesOf } from './scaling.ts';

const mayRoll = (object: Found): boolean => !isDeleting(object) && isLone(object);

function pickPool(user: User, fits: (object: Found) => boolean = () => true): Picked | undefined {
  return user.pick(
    'machinedeployments',
    (object) => mayRoll(object) && isInPlace(object) && fits(object),
  );
}

function newTemplate({ chance }: User): Record<string, unknown> {
  const version = String(4 + chance.below(1_000));
  const another = { class: { kind: 'MachineClass', name: chance.pick(classNames) } };
  const spec = chance.happens(0.5) && { spec: another };
  return { spec: { template: { metadata: { labels: { version } }, ...spec } } };
}

/** With what happens to a pool while its machines are updated. */
export async function rollInPlace(user: User): Promise<void> {
  const { chance, control } = user;
  const picked = pickPool(user) ?? (await convert(user));
  if (!picked) return;
  await user.change(picked, newTemplate(user));
  if (chance.happens(0.4)) return;
  const changes = 1 + chance.below(3);
  for (let change = 0; change < changes; change += 1) {
    if (!(await user.wait(5 * secondMs, 12 * minuteMs))) return;
    if (control.has(picked.path)) control.patch(picked.path, anotherWish(user, picked));
  }
  if (!(await user.wait(minuteMs, 15 * minuteMs)) || !control.has(picked.path)) return;
  control.patch(picked.path, { spec: { paused: null } });
}

/** A pool of another strategy, before its template changes. */
async function convert(user: User): Promise<Picked | undefined> {
  const picked = user.pick('machinedeployments', mayRoll);
  if (!picked) return undefined;
  user.control.patch(picked.path, { spec: { strategy: inPlaceStrategy(user.chance) } });
  return (await user.wait(secondMs, minuteMs)) ? picked : undefined;
}

function anotherWish(user: User, { object }: Picked): Record<string, unknown> {
  const { chance } = user;
  const replicas = Math.max(0, replicasOf(object) + chance.pick([-2, -1, 1, 2]));
  return chance.pick<Record<string, unknown>>([
    newTemplate(user),
    { spec: { replicas } },
    { spec: { replicas } },
    { spec: { paused: true } },
    { spec: { rollbackTo: { revision: 0 } } },
    { spec: { strategy: inPlaceStrategy(chance) } },
    {
      metadata: {
        annotations: { [options.inPlaceFailure]: chance.pick(['stop', 'replace', null]) },
      },
    },
  ]);
}

interface Machine {
  picked: Picked;
  node: Picked;
}

/** Those of a pool that have Nodes. */
function joinedOf(user: User, pool: Picked): Machine[] {
  return machinesOf(user, pool).flatMap((picked) => {
    const name = nodeOf(picked.object);
    const node = name === undefined ? undefined : user.target.get(nodePath(name));
    return node ? [{ picked, node: pickedOf(nodePath(), node) }] : [];
  });
}

const isCandidate = ({ object }: Picked): boolean =>
  object.metadata.labels?.[labels.candidateForUpdate] === 'true';

/** Who updates by hand labels one Node after the other, and some in pools of the other kind. */
export async function selectByHand(user: User): Promise<void> {
  const { chance } = user;
  const pool = pickPool(user, (object) => isManual(object) || chance.happens(0.1));
  if (!pool) return;
  const rounds = 1 + chance.below(6);
  for (let round = 0; round < rounds; round += 1) {
    const open = joinedOf(user, pool).filter(({ node }) => isCandidate(node));
    const next = user.oneOf(open.filter(({ node }) => !isSelected(node.object)));
    if (next) await select(user, next);
    if (!(await user.wait(20 * secondMs, 6 * minuteMs))) return;
  }
}

async function select(user: User, { picked, node }: Machine): Promise<void> {
  if (user.chance.happens(0.5)) await steerUpdate(user, picked.name, 'selectForUpdate');
  else user.target.patch(node.path, { metadata: { labels: selected } });
}

const selected = { [labels.selectedForUpdate]: 'true' };

/** By mistake, or because this Node is not to be updated now; some put back what they took. */
export async function takeLabelsOff(user: User): Promise<void> {
  const { chance, target } = user;
  const pool = pickPool(user);
  const machine = pool && user.oneOf(joinedOf(user, pool));
  if (!machine) return;
  const all = [labels.candidateForUpdate, labels.selectedForUpdate, labels.updateResult];
  const keys = chance.happens(0.3) ? all : [chance.pick(all)];
  const { path, object } = machine.node;
  const gone = Object.fromEntries(keys.map((key) => [key, null]));
  target.patch(path, { metadata: { labels: gone } });
  if (chance.happens(0.6) || !(await user.wait(secondMs, 4 * minuteMs))) return;
  const before = keys.map((key) => [key, object.metadata.labels?.[key] ?? null]);
  if (target.has(path)) target.patch(path, { metadata: { labels: Object.fromEntries(before) } });
}

const isFailed = ({ picked, node: { object } }: Machine): boolean =>
  object.metadata.labels?.[labels.updateResult] === 'failed' ||
  phaseOf(picked.object) === 'InPlaceUpdateFailed';

/** A person looks after a Node whose update failed: it was successful after all, or tried again. */
export async function repairUpdate(user: User): Promise<void> {
  const { chance, target } = user;
  const pool = pickPool(user, () => chance.happens(0.8));
  const machine = pool && user.oneOf(joinedOf(user, pool).filter(isFailed));
  if (!machine) return;
  if (chance.happens(0.5)) {
    const verb = chance.pick(['retryUpdate', 'retryUpdate', 'giveUpUpdate'] as const);
    return steerUpdate(user, machine.picked.name, verb);
  }
  const { path } = machine.node;
  const again = { labels: { [labels.updateResult]: null, [labels.selectedForUpdate]: null } };
  const done = {
    labels: { [labels.updateResult]: 'successful' },
    annotations: { [annotations.updateFailedReason]: null },
  };
  target.patch(path, { metadata: chance.happens(0.7) ? done : again });
}
