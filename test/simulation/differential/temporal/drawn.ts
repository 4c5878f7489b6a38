/** Scripts by seed. */
import { Chance } from '../../engine/chance.ts';
import { StepSource } from './drawn-steps.ts';
import type { Outside, Script, Step } from './script.ts';

export function drawn(seed: number): Script {
  const chance = new Chance(seed);
  const name = `drawn by seed ${seed}`;
  const kinds = [
    { weight: 6, value: usual },
    { weight: 1, value: cancelled },
    { weight: 1, value: terminated },
    { weight: 1, value: killed },
  ];
  const draw = chance.weighted<(chance: Chance) => Omit<Script, 'name'>>(kinds) ?? usual;
  return { name, ...draw(chance) };
}

/** Up to three steps, each of them perhaps several side by side, and an end. */
function usual(chance: Chance): Omit<Script, 'name'> {
  const source = new StepSource(chance);
  const withCancels = chance.happens(0.5);
  const some = (most: number): Step[] =>
    Array.from({ length: 1 + chance.below(most) }, () => source.step(withCancels));
  const phases = Array.from({ length: 1 + chance.below(2) }, (): Step[] => {
    if (chance.happens(0.4)) return some(2);
    return [
      { do: 'parallel', branches: Array.from({ length: 2 + chance.below(2) }, () => some(2)) },
    ];
  });
  const steps = phases.flat();
  const outside: Outside[] = [];
  // A second run would wait for another signal.
  const isRetried = chance.happens(0.4);
  if (!isRetried && chance.happens(0.6)) {
    steps.splice(chance.below(steps.length + 1), 0, { do: 'await', signal: 'go' });
    const act = chance.pick(['signal', 'signalWithStart'] as const);
    outside.push({ act, name: 'go', when: [{ afterMs: chance.below(2_000) }] });
  }
  const end = endOf(chance, source);
  return {
    steps: [...steps, ...end],
    outside,
    isUnordered: true,
    ...(isRetried && { start: { retry: { attempts: 2, firstMs: 500 } } }),
  };
}

function endOf(chance: Chance, source: StepSource): Step[] {
  return chance.pick<() => Step[]>([
    () => [],
    () => [],
    () => [{ do: 'fail', type: 'Trouble', isFinal: chance.happens(0.3) }],
    () => [{ do: 'continue', steps: [source.step(false), source.step(false)] }],
  ])();
}

/** The whole run, while an activity lasts; what comes after it is refused, and a shield is not. */
function cancelled(chance: Chance): Omit<Script, 'name'> {
  const source = new StepSource(chance);
  const lasting = source.lasting();
  const steps: Step[] = [lasting, source.step(false), { do: 'shield', body: [source.step(false)] }];
  if (chance.happens(0.5)) steps.push({ do: 'confess' });
  const when = [{ started: `${lasting.label}#1` }, { resting: true }] as const;
  return { steps, outside: [{ act: 'cancel', when }], isUnordered: true };
}

function terminated(chance: Chance): Omit<Script, 'name'> {
  const source = new StepSource(chance);
  const hanging = source.hanging();
  const when = [{ started: `${hanging.label}#1` }, { resting: true }, { afterMs: 500 }] as const;
  return { steps: [source.step(false), hanging], outside: [{ act: 'terminate', when }] };
}

/** A worker is killed during an activity, or during a local one. */
function killed(chance: Chance): Omit<Script, 'name'> {
  const source = new StepSource(chance);
  const hanging = source.hanging();
  const local: Step = {
    do: 'local',
    label: source.label(),
    startToClose: 60_000,
    attempts: [{ worksMs: 2_000, ends: { is: 'done' } }],
  };
  const victim = chance.pick([hanging, local]);
  const started = `${victim === hanging ? hanging.label : local.label}#1`;
  const when =
    victim === hanging
      ? ([{ started }, { resting: true }, { afterMs: 500 }] as const)
      : ([{ started }, { afterMs: 500 }] as const);
  return {
    steps: [{ do: 'state', value: 'One' }, victim, source.step(false)],
    start: { taskTimeout: 6_000 },
    outside: [{ act: 'killWorker', when }, { act: 'startWorker' }],
    isUnordered: true,
  };
}
