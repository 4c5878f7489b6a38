/**
 * What chaos can do, and how often. A kind draws its details from the dice; what cannot be done now
 * is drawn again.
 */
import type { Action, Component, PlannedFault } from './action.ts';
import type { Dice } from './dice.ts';
import type { Wishes } from './wishes.ts';

export interface Draw {
  dice: Dice;
  wishes: Wishes;
  /** Components that were not killed a moment ago. */
  killable: readonly Component[];
}

interface ActionKind {
  weight: number;
  /** Undefined when there is nothing to do it with. */
  draw(draw: Draw): Action | undefined;
}

const classes = ['small', 'medium'];
const replicasMost = 10;

/** The worker does the work: it has most to lose. */
const killWeights: Record<Component, number> = {
  worker: 3,
  'second-worker': 3,
  watcher: 2,
  'second-watcher': 2,
  temporal: 2,
  'kube-apiserver': 2,
};

export const actionKinds: readonly ActionKind[] = [
  {
    weight: 6,
    draw: ({ dice, wishes }) =>
      withOne(dice, wishes.absent, (pool) => ({
        type: 'create',
        pool,
        replicas: dice.whole(3, replicasMost),
        class: dice.oneOf(classes),
      })),
  },
  {
    weight: 5,
    draw: ({ dice, wishes }) =>
      withOne(dice, wishes.present, (pool) => ({
        type: 'scale',
        pool,
        replicas: dice.whole(0, replicasMost),
      })),
  },
  {
    weight: 4,
    draw: ({ dice, wishes }) =>
      withOne(dice, wishes.present, (pool) => ({
        type: 'roll',
        pool,
        class: classes.find((name) => name !== wishes.of(pool)?.class) ?? '',
      })),
  },
  {
    weight: 3,
    draw: ({ dice, wishes }) =>
      withOne(dice, wishes.present, (pool) => ({ type: 'drain', pool, share: dice.share() })),
  },
  {
    weight: 1,
    draw: ({ dice, wishes }) => withOne(dice, wishes.present, (pool) => ({ type: 'delete', pool })),
  },
  {
    weight: 6,
    draw({ dice, killable }) {
      if (killable.length === 0) return undefined;
      const weighted = killable.map((component) => ({ component, weight: killWeights[component] }));
      return { type: 'kill', component: dice.weighted(weighted).component };
    },
  },
  {
    weight: 4,
    draw: ({ dice }) => ({ type: 'fault', fault: drawFault(dice) }),
  },
  { weight: 2, draw: ({ dice }) => ({ type: 'cancel', share: dice.share() }) },
  { weight: 2, draw: ({ dice }) => ({ type: 'terminate', share: dice.share() }) },
  {
    weight: 2,
    draw: ({ dice }) => ({
      type: 'reset',
      share: dice.share(),
      point: dice.share(),
      reapply: dice.oneOf(['all', 'none'] as const),
    }),
  },
  { weight: 2, draw: ({ dice }) => ({ type: 'lie', share: dice.share() }) },
  { weight: 2, draw: ({ dice }) => ({ type: 'strip', seconds: dice.whole(1, 6) }) },
  { weight: 1, draw: () => ({ type: 'worst' }) },
];

function withOne(
  dice: Dice,
  pools: readonly string[],
  make: (pool: string) => Action,
): Action | undefined {
  return pools.length === 0 ? undefined : make(dice.oneOf(pools));
}

function drawFault(dice: Dice): PlannedFault {
  const kind = dice.oneOf(['loseAnswer', 'throttle', 'hang', 'vanish'] as const);
  const times = dice.whole(1, 3);
  if (kind === 'vanish') return { kind, operation: 'create', times, seconds: dice.whole(0, 10) };
  const operation = dice.oneOf(['create', 'delete', '*'] as const);
  if (kind === 'loseAnswer') return { kind, operation, times };
  return { kind, operation, times, seconds: dice.whole(1, 8) };
}
