/** Everything that a run of chaos will do, from its seed alone. */
import { actionKinds } from './actions.ts';
import { components, type Action, type Component } from './action.ts';
import { Dice } from './dice.ts';
import { Wishes, type Envelope, type Wish } from './wishes.ts';

export interface PlanOptions {
  seed: number;
  /** Time in which something is done; quiet points come on top. */
  minutes: number;
}

export interface Step {
  /** After the step before it. */
  afterMilliseconds: number;
  action: Action;
}

/** A time of trouble and what must have become of it when it is over. */
export interface Round {
  steps: Step[];
  /** By pool; one that is not wanted is missing. */
  wishes: Record<string, Wish>;
  envelopes: Record<string, Envelope>;
}

const roundMilliseconds = 40_000;
const pause = { least: 300, most: 3_000 };
/** The stack gives a component up that dies soon after its start again and again. */
const lifeMilliseconds = 15_000;
/** Kinds that can do nothing are drawn again; most can. */
const drawsMost = 1_000;

export function planChaos({ seed, minutes }: PlanOptions): Round[] {
  const dice = new Dice(seed);
  const wishes = new Wishes();
  const killedAt = new Map<Component, number>();
  const totalMilliseconds = minutes * 60_000;
  const rounds: Round[] = [];
  let now = 0;
  while (now < totalMilliseconds) {
    const end = Math.min(now + roundMilliseconds, totalMilliseconds);
    const steps: Step[] = [];
    wishes.beginRound();
    while (now < end) {
      const afterMilliseconds = dice.whole(pause.least, pause.most);
      now += afterMilliseconds;
      const time = now;
      const killable = components.filter(
        (component) => time - (killedAt.get(component) ?? -Infinity) >= lifeMilliseconds,
      );
      const action = drawAction({ dice, wishes, killable });
      if (action.type === 'kill') killedAt.set(action.component, now);
      wishes.apply(action);
      steps.push({ afterMilliseconds, action });
    }
    rounds.push({ steps, ...wishes.snapshot() });
  }
  return rounds;
}

function drawAction(draw: Parameters<(typeof actionKinds)[number]['draw']>[0]): Action {
  for (let draws = 0; draws < drawsMost; draws += 1) {
    const action = draw.dice.weighted(actionKinds).draw(draw);
    if (action) return action;
  }
  throw new Error(`In ${drawsMost} draws there was nothing that could be done.`);
}
